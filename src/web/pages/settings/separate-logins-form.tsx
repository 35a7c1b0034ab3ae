import { z } from 'zod'
import { useOperationMutation } from '../../api.ts'
import type { Mailbox } from '../../components/mailbox-state.tsx'
import { PasswordField, TextField } from '../../ui/field.tsx'
import { emptyToNull, FormBody, getChangedValues, useSchemaForm } from '../../ui/form.tsx'
import { ServerFields, server } from './server-fields.tsx'

const password = z.string().max(1024)
const fields = z.object({
  smtp: server.extend({ user: z.string().trim().max(320).nullable(), password }),
  imap: server.extend({ user: z.string().trim().min(1).max(320), password }),
})

type SeparateLogins = Mailbox & Required<Pick<Mailbox, 'smtp' | 'imap'>>

/** Reports whether a mailbox signs in to its two servers with different user names. */
export const hasSeparateLogins = (mailbox: Mailbox | undefined): mailbox is SeparateLogins =>
  mailbox?.smtp !== undefined && mailbox.imap !== undefined && mailbox.smtp.user !== mailbox.imap.user

type Props = { mailbox: SeparateLogins; onTested: (mailbox: Mailbox) => void }

/** Corrects and tests the two servers of a mailbox with separate logins. An empty password keeps the stored one. */
export function SeparateLoginsForm({ mailbox: { id: mailboxId, smtp, imap }, onTested }: Props) {
  const update = useOperationMutation('updateMailbox', 'listMailboxes')
  const verify = useOperationMutation('verifyMailbox', 'listMailboxes', 'listDomains')
  const toValues = <U,>({ host, port, tls }: SeparateLogins['smtp'], user: U) => ({
    ...{ host, port, tls, user },
    password: '',
  })
  const form = useSchemaForm(fields, {
    values: { smtp: toValues(smtp, smtp.user ?? null), imap: toValues(imap, imap.user) },
    onSubmit: async (input, initial) => {
      const changed = {
        smtp: getChangedValues(input.smtp, initial.smtp),
        imap: getChangedValues(input.imap, initial.imap),
      }
      await update({ mailboxId, ...changed })
      onTested(await verify({ mailboxId }))
    },
  })
  return (
    <FormBody form={form} submit={form.isBusy ? 'Testing the connection…' : 'Test and connect'} isGuarded>
      {servers.map(([name, title]) => (
        <div key={name} className="grid gap-4">
          <ServerFields title={title} name={name} field={form.field} />
          <TextField
            label={`${title}: user name`}
            autoComplete="off"
            isOptional={name === 'smtp'}
            {...form.field(`${name}.user`, name === 'smtp' ? emptyToNull : undefined)}
          />
          <PasswordField
            label={`${title}: password`}
            autoComplete="off"
            isOptional
            help="Leave empty to keep the stored password."
            {...form.field(`${name}.password`)}
          />
        </div>
      ))}
    </FormBody>
  )
}

const servers = [
  ['smtp', 'Sending (SMTP)'],
  ['imap', 'Receiving (IMAP)'],
] as const
