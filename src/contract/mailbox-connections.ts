import { z } from 'zod'
import { mailClientKinds } from './mail-clients.ts'
import { mailbox } from './mailboxes.ts'
import { operation } from './operation.ts'
import { id, text, time } from './page.ts'

const tag = 'Mailboxes'

export const connectMailbox = operation({
  method: 'POST',
  path: '/mailboxes/{mailboxId}/connect',
  summary: 'Connect a mailbox to Google or Microsoft',
  description:
    'Returns the URL at which the owner of the mailbox signs in and consents. The provider then sends the browser to the web app, which calls `completeMailboxConnection`. Until then, and after a failure, the mailbox has `signIn`. Repeat the request to connect the mailbox again, or to replace a password. Mailboxes of a service account or an application need no sign-in: create them with `provider` and verify them.',
  tag,
  extension: true,
  permission: 'Rep.EditRep',
  reachesOutside: 'always',
  input: z.strictObject({
    mailboxId: id.describe('Mailbox ID'),
    provider: z
      .enum(mailClientKinds)
      .optional()
      .describe('Replaces the password or the previous provider of the mailbox. Defaults to its provider'),
    isShared: z
      .boolean()
      .optional()
      .describe(
        'With `microsoft`: whether it is a shared mailbox. Any user who may open it and send as it can then sign in, not only the one who connected it before. Defaults to its current setting',
      ),
  }),
  output: z.object({
    url: z.string().describe('URL to open in a browser that is signed in to Overture as the same user'),
    expiresAt: time,
  }),
  example: { input: { provider: 'google' } },
})

export const completeMailboxConnection = operation({
  method: 'POST',
  path: '/mailboxes/connection',
  summary: 'Complete the connection of a mailbox',
  description:
    'Exchanges the parameters of the redirect for tokens, checks that the mailbox is shared or belongs to the account that signed in, and verifies the mailbox. Only the user who began the connection can complete it, within 30 minutes and once.',
  tag,
  extension: true,
  permission: 'Rep.EditRep',
  reachesOutside: 'always',
  isRemote: true,
  timeoutMs: 90_000,
  input: z
    .strictObject({
      state: text(200).describe('`state` of the redirect'),
      code: text(4000).optional().describe('`code` of the redirect'),
      error: text(200).optional().describe('`error` of the redirect: the user or the provider refused'),
    })
    .refine(({ code, error }) => (code === undefined) !== (error === undefined), {
      path: ['code'],
      message: 'either `code` or `error` is required',
    }),
  output: mailbox,
  example: { input: { state: 'q8Zr2vX1', code: '4/0AbCdEf' } },
})
