import { useState } from 'react'
import { updatePerson } from '../../../contract/persons.ts'
import { useOperationMutation } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { emptyToUndefined, FormBody, useSchemaForm } from '../../ui/form.tsx'
import { showToast } from '../../ui/toast.tsx'
import { findMissingFields, type MissingField } from './missing-fields.ts'
import { getName } from './prospect-cells.tsx'
import type { Prospect } from './prospect-status.tsx'

/** Fills in what a failed prospect lacks, so that its sequence goes on. */
export function FixProspect({ prospect }: { prospect: Prospect }) {
  const [isOpen, setOpen] = useState(false)
  const fields = findMissingFields(prospect)
  if (!fields) return null
  const name = getName(prospect)
  const label = fields.some(field => field.name === 'email') ? 'Add address' : 'Add missing values'
  return (
    <>
      <Button size="small" aria-label={`${label} of ${name}`} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title={name}>
        <FixForm prospect={prospect} fields={fields} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

type FixFormProps = { prospect: Prospect; fields: MissingField[]; onClose: () => void }

function FixForm({ prospect, fields, onClose }: FixFormProps) {
  const update = useOperationMutation(
    'updatePerson',
    'listCampaignProspects',
    'getCampaignStats',
    'getPerson',
    'getCampaign',
  )
  const form = useSchemaForm<typeof updatePerson.input>(updatePerson.input, {
    values: { personId: prospect.person.id, ...Object.fromEntries(fields.map(({ name }) => [name, ''])) },
    onSubmit: async input => {
      await update(input)
      showToast(`${getName(prospect)} goes on with the sequence.`)
      onClose()
    },
  })
  return (
    <FormBody form={form} submit="Save and continue">
      <p className="text-muted">The sequence goes on as soon as this is filled in.</p>
      {fields.map(({ name, label }) => (
        <TextField
          key={name}
          label={label}
          type={name === 'email' ? 'email' : 'text'}
          {...form.field(name, emptyToUndefined)}
        />
      ))}
    </FormBody>
  )
}
