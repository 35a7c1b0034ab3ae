import type { Output } from '../../../contract/index.ts'
import { useOperation } from '../../api.ts'
import { SelectField, TextField } from '../../ui/field.tsx'
import { emptyToNull, type Form } from '../../ui/form.tsx'

export type CustomField = Output<'listCustomFields'>['data'][number]

/** Loads the custom fields of persons or companies. */
export function useCustomFields(appliesTo: CustomField['appliesTo']) {
  const { data, error, refetch } = useOperation('listCustomFields', { limit: 100 })
  return { data: data?.data.filter(field => field.appliesTo === appliesTo), error, refetch }
}

type Values = Record<string, string | number>

/** Returns a form value for each field; null for one without a value. */
export const toCustomValues = (
  fields: CustomField[],
  values: Values | undefined,
): Record<string, string | number | null> =>
  Object.fromEntries(fields.map(({ key }) => [key, values?.[key] ?? null]))

const numberOrNull = {
  setValueAs: (value: string | number | null) => (value === '' || value === null ? null : Number(value)),
}

type FieldProps = ReturnType<Form<Record<string, unknown>>['field']>

/** Adds a stored value that is no longer one of the choices. */
const addStored = (choices: readonly string[], stored: string | number | undefined): readonly string[] =>
  stored === undefined || choices.includes(`${stored}`) ? choices : [...choices, `${stored}`]

/** Edits the values of custom fields. */
export function CustomFields({
  fields,
  values,
  field,
}: {
  fields: CustomField[]
  values: Values | undefined
  field: (key: string, options: { setValueAs: (value: string | null) => unknown }) => FieldProps
}) {
  return fields.map(({ id, key, label, type, choices = [] }) =>
    type === 'choice' ? (
      <SelectField key={id} label={label} {...field(key, emptyToNull)}>
        <option value="">None</option>
        {addStored(choices, values?.[key]).map(choice => (
          <option key={choice}>{choice}</option>
        ))}
      </SelectField>
    ) : (
      <TextField
        key={id}
        label={label}
        type={type === 'date' ? 'date' : 'text'}
        inputMode={type === 'number' ? 'decimal' : undefined}
        {...field(key, type === 'number' ? numberOrNull : emptyToNull)}
      />
    ),
  )
}
