import { z } from 'zod'
import { tlsModes } from '../../../contract/mailbox-inputs.ts'
import { SelectField, TextField } from '../../ui/field.tsx'
import { type Form, toNumber } from '../../ui/form.tsx'

export const server = z.object({
  host: z.string().trim().min(1).max(253),
  port: z.int().min(1).max(65_535),
  tls: z.enum(tlsModes),
})

const tlsLabels = { implicit: 'TLS', starttls: 'STARTTLS', none: 'None' }

type Props = {
  title: string
  name: 'smtp' | 'imap'
  field: Form<Record<'smtp' | 'imap', z.input<typeof server>>>['field']
}

export function ServerFields({ title, name, field }: Props) {
  return (
    <fieldset className="grid min-w-0 gap-4 narrow:grid-cols-[1fr_6rem_9rem]">
      <legend className="mb-2 font-medium">{title}</legend>
      <TextField label="Server" autoComplete="off" {...field(`${name}.host`)} />
      <TextField label="Port" type="number" {...field(`${name}.port`, toNumber)} />
      <SelectField label="Encryption" {...field(`${name}.tls`)}>
        {tlsModes.map(mode => (
          <option key={mode} value={mode}>
            {tlsLabels[mode]}
          </option>
        ))}
      </SelectField>
    </fieldset>
  )
}
