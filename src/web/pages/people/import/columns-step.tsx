import { type FormEvent, useMemo, useState } from 'react'
import { customFieldTypes } from '../../../../contract/custom-fields.ts'
import { prospectFields } from '../../../../contract/person-fields.ts'
import { usePermission } from '../../../api.ts'
import { toCustomFieldKey } from '../../../components/custom-field-key.ts'
import { RepField } from '../../../components/rep-field.tsx'
import { Button } from '../../../ui/button.tsx'
import { ErrorState } from '../../../ui/error-state.tsx'
import { SelectField, TextField } from '../../../ui/field.tsx'
import type { CustomField } from '../custom-values.tsx'
import { KNOWN_TAGS_ID, KnownTags } from '../known-tags.tsx'
import {
  type ColumnMapping,
  type FieldType,
  fieldLabels,
  findErrors,
  getSamples,
  type Target,
} from './mapping.ts'
import type { CsvTable } from './parse-csv.ts'

const typeLabels: Record<FieldType, string> = {
  text: 'Text',
  number: 'Number',
  date: 'Date, such as 2026-12-24',
  url: 'Link',
  choice: 'Choice',
}

type Props = {
  table: CsvTable
  columns: ColumnMapping[]
  customFields: CustomField[]
  onChange: (columns: ColumnMapping[]) => void
  tag: string
  onTag: (tag: string) => void
  ownerRepId: string
  onOwner: (repId: string) => void
  onBack: () => void
  onContinue: () => void
}

/** Edits the mapping of each column, and the tag and the owner of everyone in the file. */
export function ColumnsStep({
  table,
  columns,
  customFields,
  onChange,
  onContinue,
  onBack,
  ...options
}: Props) {
  const [isChecked, setChecked] = useState(false)
  const errors = useMemo(
    () => (isChecked ? findErrors(table, columns, customFields) : new Map<number | '', string>()),
    [isChecked, table, columns, customFields],
  )
  const canTag = usePermission('Inbox.EditTags')
  const handleSubmit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (findErrors(table, columns, customFields).size === 0) onContinue()
  }
  const general = errors.get('')
  return (
    <form noValidate onSubmit={handleSubmit} className="grid gap-6">
      <ul aria-label="Columns" className="rounded-card border border-line bg-surface">
        {columns.map(column => (
          <ColumnRow
            key={column.index}
            column={column}
            samples={getSamples(table, column.index)}
            customFields={customFields}
            error={errors.get(column.index)}
            onChange={changed =>
              onChange(columns.map(other => (other.index === changed.index ? changed : other)))
            }
          />
        ))}
      </ul>
      <div className="grid max-w-2xl gap-5 narrow:grid-cols-2">
        {canTag && (
          <TextField
            label="Tag for everyone in the file"
            isOptional
            list={KNOWN_TAGS_ID}
            maxLength={100}
            value={options.tag}
            onChange={({ target }) => options.onTag(target.value)}
          />
        )}
        <KnownTags />
        <RepField
          label="Owner for people without one"
          isOptional
          none="Nobody"
          value={options.ownerRepId}
          onChange={({ target }) => options.onOwner(target.value)}
        />
      </div>
      {general && <ErrorState error={Object.assign(new Error(general), { code: 'ValidationError' })} />}
      <div className="flex flex-wrap gap-3">
        <Button type="submit" look="primary">
          Preview import
        </Button>
        <Button onClick={onBack}>Choose another file</Button>
      </div>
    </form>
  )
}

type RowProps = {
  column: ColumnMapping
  samples: string[]
  customFields: CustomField[]
  error: string | undefined
  onChange: (column: ColumnMapping) => void
}

function ColumnRow({ column, samples, customFields, error, onChange }: RowProps) {
  const { name, target, field } = column
  const canCreate = usePermission('Campaign.EditCampaign')
  return (
    <li className="grid gap-x-8 gap-y-2 border-line border-b p-4 last:border-0 narrow:grid-cols-2">
      <div className="grid min-w-0 content-start gap-3">
        <SelectField
          label={name}
          value={target}
          onChange={event => onChange({ ...column, target: event.target.value as Target })}
        >
          <option value="">Don’t import</option>
          <optgroup label="Person and company">
            {prospectFields.map(each => (
              <option key={each} value={`field:${each}`}>
                {fieldLabels[each]}
              </option>
            ))}
          </optgroup>
          <optgroup label="Custom fields">
            {customFields.map(({ key, label }) => (
              <option key={key} value={`custom:${key}`}>
                {label}
              </option>
            ))}
            {canCreate && <option value="new">New custom field…</option>}
          </optgroup>
          <optgroup label="Do Not Contact">
            <option value="optedOut">Opted out: yes means no contact</option>
            <option value="consent">Consent: no means no contact</option>
          </optgroup>
        </SelectField>
        {target === 'new' && (
          <div className="grid items-start gap-3 wide:grid-cols-2">
            <TextField
              label="Name of the new field"
              maxLength={100}
              value={field.label}
              error={error}
              help={field.label.trim() ? `{{ ${toCustomFieldKey(field.label)} }} in templates` : undefined}
              onChange={event => onChange({ ...column, field: { ...field, label: event.target.value } })}
            />
            <SelectField
              label="Type"
              help={field.type === 'choice' ? 'The options are the values of this column.' : undefined}
              value={field.type}
              onChange={event =>
                onChange({ ...column, field: { ...field, type: event.target.value as FieldType } })
              }
            >
              {customFieldTypes.map(type => (
                <option key={type} value={type}>
                  {typeLabels[type]}
                </option>
              ))}
            </SelectField>
          </div>
        )}
      </div>
      <Samples samples={samples} />
    </li>
  )
}

const Samples = ({ samples }: { samples: string[] }) => (
  <div className="min-w-0 text-sm">
    <p className="text-muted">{samples.length > 0 ? 'Examples' : 'No values'}</p>
    <ul className="mt-1 grid gap-0.5">
      {samples.map(sample => (
        <li key={sample} className="truncate" title={sample.slice(0, 500)}>
          {sample.slice(0, 200)}
        </li>
      ))}
    </ul>
  </div>
)
