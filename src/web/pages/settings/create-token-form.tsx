import { useState } from 'react'
import { createApiToken } from '../../../contract/users.ts'
import { useOperationMutation } from '../../api.ts'
import { CheckField, SelectField, TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'

const DAY_MS = 86_400_000
const lifetimes = { '30': 'In 30 days', '90': 'In 90 days', '365': 'In 1 year', '': 'Never' }

/** Creates an API token and passes it to `onCreated`, because the server returns the token only once. */
export function CreateTokenForm({ onCreated }: { onCreated: (token: string) => void }) {
  const create = useOperationMutation('createApiToken', 'listApiTokens')
  const [days, setDays] = useState('90')
  const form = useSchemaForm(createApiToken.input, {
    values: { name: '', isReadOnly: false },
    onSubmit: async input => {
      const expiresAt = days ? new Date(Date.now() + Number(days) * DAY_MS).toISOString() : undefined
      onCreated((await create({ ...input, ...(expiresAt && { expiresAt }) })).token)
    },
  })
  return (
    <FormBody form={form} submit="Create token">
      <TextField
        label="Name"
        placeholder="Reports"
        autoFocus
        help="Describes what the token is used for."
        {...form.field('name')}
      />
      <SelectField label="Expires" value={days} onChange={event => setDays(event.target.value)}>
        {Object.entries(lifetimes).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
      <CheckField
        label="Read-only"
        help="The token can read everything you can, but change nothing."
        {...form.field('isReadOnly')}
      />
    </FormBody>
  )
}
