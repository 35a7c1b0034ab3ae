import { useState } from 'react'
import { z } from 'zod'
import { createCustomField, customFieldObjects, customFieldTypes } from '../../../contract/custom-fields.ts'
import { useOperationMutation } from '../../api.ts'
import { toCustomFieldKey } from '../../components/custom-field-key.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { LongTextField, SelectField, TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { showToast } from '../../ui/toast.tsx'
import { objectLabels, typeLabels } from './custom-field-labels.ts'
import type { CustomField } from './custom-fields.tsx'

const { label, appliesTo, type } = createCustomField.input.shape

/** Choices are entered one per line. */
const choices = z.string()
const toChoices = (text: string): string[] =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean)

export function CreateCustomField({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Create field">
      <CreateForm onCreated={onClose} />
    </Dialog>
  )
}

const ChoicesField = (props: React.ComponentProps<typeof LongTextField>) => (
  <LongTextField {...props} rows={5} placeholder={'Free\nTeam'} />
)

function CreateForm({ onCreated }: { onCreated: () => void }) {
  const create = useOperationMutation('createCustomField', 'listCustomFields')
  const [chosenType, setChosenType] = useState<CustomField['type']>('text')
  const form = useSchemaForm(z.object({ label, key: z.string().trim(), appliesTo, type, choices }), {
    values: { label: '', key: '', appliesTo: 'person', type: 'text', choices: '' },
    onSubmit: async ({ choices, key, ...input }) => {
      await create({
        ...input,
        key: key || toCustomFieldKey(input.label),
        ...(input.type === 'choice' && { choices: toChoices(choices) }),
      })
      showToast(`${input.label} was created.`)
      onCreated()
    },
  })
  const typeField = form.field('type')
  return (
    <FormBody form={form} submit="Create field">
      <TextField label="Name" placeholder="Current plan" {...form.field('label')} />
      <SelectField label="Applies to" {...form.field('appliesTo')}>
        {customFieldObjects.map(object => (
          <option key={object} value={object}>
            {objectLabels[object]}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="Type"
        {...typeField}
        onChange={event => {
          setChosenType(event.target.value as CustomField['type'])
          return typeField.onChange(event)
        }}
      >
        {customFieldTypes.map(each => (
          <option key={each} value={each}>
            {typeLabels[each]}
          </option>
        ))}
      </SelectField>
      {chosenType === 'choice' && (
        <ChoicesField label="Options" help="One per line." {...form.field('choices')} />
      )}
      <TextField
        label="Name in templates"
        isOptional
        placeholder="currentPlan"
        help="Derived from the name if empty, as in {{ currentPlan }}. It can’t be changed later, and neither can the type."
        {...form.field('key')}
      />
    </FormBody>
  )
}

export function EditCustomField({ field, onClose }: { field: CustomField; onClose: () => void }) {
  return (
    <Dialog isOpen onClose={onClose} title={`Edit ${field.label}`}>
      <EditForm field={field} onSaved={onClose} />
    </Dialog>
  )
}

function EditForm({ field, onSaved }: { field: CustomField; onSaved: () => void }) {
  const update = useOperationMutation('updateCustomField', 'listCustomFields')
  const form = useSchemaForm(z.object({ label, choices }), {
    values: { label: field.label, choices: field.choices?.join('\n') ?? '' },
    onSubmit: async ({ label, choices }) => {
      await update({
        customFieldId: field.id,
        label,
        ...(field.type === 'choice' && { choices: toChoices(choices) }),
      })
      showToast('Field saved.')
      onSaved()
    },
  })
  return (
    <FormBody form={form} submit="Save field">
      <TextField label="Name" {...form.field('label')} />
      {field.type === 'choice' && (
        <ChoicesField
          label="Options"
          help="One per line. Existing values stay when you remove an option, until someone changes them."
          {...form.field('choices')}
        />
      )}
    </FormBody>
  )
}
