import { z } from 'zod'
import { mailbox } from './mailboxes.ts'
import { operation } from './operation.ts'
import { id, text } from './page.ts'

const tag = 'Mailboxes'
const alias = {
  mailboxId: id.describe('Mailbox ID'),
  email: text(320).describe('Address that the mailbox may send as'),
}

export const addMailboxAlias = operation({
  method: 'POST',
  path: '/mailboxes/{mailboxId}/aliases',
  summary: 'Add an alias to a mailbox',
  description:
    'Sends a test email from the alias to itself. The alias is `verified` once that email arrives in the mailbox with the alias as its sender, and can then be the `fromEmail` of the mailbox. Repeat the request to send another test email.',
  tag,
  extension: true,
  permission: 'Rep.EditRep',
  reachesOutside: 'always',
  isRemote: true,
  timeoutMs: 60_000,
  input: z.strictObject(alias),
  output: mailbox,
  example: { input: { email: 'sales@navy.example' } },
})

export const removeMailboxAlias = operation({
  method: 'POST',
  path: '/mailboxes/{mailboxId}/aliases/remove',
  summary: 'Remove an alias from a mailbox',
  description:
    'If the alias is the `fromEmail` of the mailbox, emails are sent from the address of the mailbox again.',
  tag,
  extension: true,
  permission: 'Rep.EditRep',
  input: z.strictObject(alias),
  output: mailbox,
  example: { input: { email: 'sales@navy.example' } },
})
