import { z } from 'zod'
import { mailClientKinds } from './mail-clients.ts'
import { imapInput, paceInput, passwordRequired, port, smtpInput, tlsModes } from './mailbox-inputs.ts'
import { operation } from './operation.ts'
import { base, done, id, optionalText, pageInput, pageSchema, patchText, text, time } from './page.ts'

export const mailboxKinds = ['smtp', 'sandbox'] as const
export const mailboxStatuses = ['unverified', 'active', 'failing'] as const
export const aliasStatuses = ['unverified', 'verified', 'failing'] as const
export const syncStatuses = ['waiting', 'syncing', 'failing'] as const

/** People who can resolve an error of a connection. */
export const connectionResolvers = ['user', 'admin', 'operator', 'nobody'] as const

const mailboxConnection = z.object({
  provider: z.enum(mailClientKinds),
  isShared: z.boolean().describe('Whether a user other than its owner opens the mailbox'),
  user: z.string().optional().describe('Account that signed in'),
  connectedAt: time.optional().describe('Absent until it is connected for the first time'),
  error: z
    .object({
      resolvedBy: z
        .enum(connectionResolvers)
        .describe(
          '`user`: connect the mailbox again; `admin`: an administrator of the organization must allow access; `operator`: the OAuth client is wrong; `nobody`: the provider has a problem, and Overture tries again',
        ),
      reason: z.string(),
      since: time,
    })
    .optional()
    .describe('Reason Overture has no access to the mailbox'),
})

export const mailbox = z
  .object({
    ...base('mailbox'),
    repId: id,
    kind: z
      .enum(mailboxKinds)
      .describe('`sandbox` stores every email in a folder on the server and delivers none'),
    email: z.string().describe('Address of the mailbox'),
    senderName: z.string().optional(),
    fromEmail: z
      .string()
      .optional()
      .describe('Alias that its emails are sent from; absent if they are sent from `email`'),
    aliases: z
      .array(
        z.object({
          email: z.string(),
          status: z
            .enum(aliasStatuses)
            .describe(
              '`verified`: a test email arrived in this mailbox with the alias as its sender; `failing`: the server refused or replaced the sender',
            ),
          statusReason: z.string().optional(),
          testedAt: time.describe('Time of the last test email'),
        }),
      )
      .optional()
      .describe('Further addresses that it may send as. Replies to them are replies to the mailbox'),
    smtp: z.object({ host: z.string(), port, tls: z.enum(tlsModes), user: z.string().optional() }).optional(),
    imap: z
      .object({ host: z.string(), port, tls: z.enum(tlsModes), user: z.string(), syncFrom: time })
      .optional()
      .describe(
        'Server that receives its replies: the inbox, junk, archive and trash folders (in Gmail, all mail), and sent mail to prospects',
      ),
    connection: mailboxConnection
      .optional()
      .describe('Present if it signs in with OAuth instead of a password'),
    signIn: z
      .object({ expiresAt: time, error: z.string().optional().describe('Reason the sign-in failed') })
      .optional()
      .describe('Sign-in that `connectMailbox` started, while it is pending or after it failed'),
    dailyCap: z
      .int()
      .optional()
      .describe('Maximum number of emails in any 24 hours; replies count but are never delayed'),
    minGapSeconds: z.int().optional().describe('Minimum time between two emails; replies are never delayed'),
    rampUp: z
      .object({
        start: z.int(),
        increase: z.int(),
        since: time,
        steppedBackAt: time.optional().describe('Day of sending whose bounces last lowered the limit'),
      })
      .optional(),
    plusAddressing: z
      .boolean()
      .describe(
        'Whether its server delivers name+anything@ to it; bounces then arrive at an address that identifies the email',
      ),
    savesSentCopies: z
      .boolean()
      .optional()
      .describe('Whether Overture stores a copy of each sent email in its Sent folder; only with `imap`'),
    sentCopyError: z.string().optional().describe('Reason the last copy could not be stored'),
    inboundUrl: z
      .string()
      .optional()
      .describe(
        'URL that accepts incoming mail: POST the raw message with the content type `message/rfc822`. Only returned by getMailbox, to users who may edit the mailbox',
      ),
    status: z.enum(mailboxStatuses).describe('Sending status'),
    statusReason: z.string().optional(),
    health: z
      .object({ reason: z.string().optional(), failures: z.int(), retryAt: time.optional() })
      .optional()
      .describe(
        'Current sending problem, the number of consecutive failures and the time of the next attempt; absent if there is none. An `active` mailbox waits for its server, a `failing` one for a successful sign-in',
      ),
    usage: z
      .object({
        sent: z.int().describe('Emails handed to its server in the last 24 hours'),
        limit: z
          .int()
          .optional()
          .describe('Current limit of emails in 24 hours: `dailyCap`, or less during the warm-up'),
        rampUpDay: z
          .int()
          .optional()
          .describe(
            'Day of the warm-up, from 1; days without campaign emails do not count. Absent when it is over',
          ),
        lastEmails: z.int().describe('Number of its last emails that `bounced` refers to: up to 100'),
        bounced: z.int().describe('Number of these emails that went to addresses that do not exist'),
      })
      .optional()
      .describe('Recent sending. Only returned by listMailboxes and getMailbox'),
    pausedAt: time
      .optional()
      .describe(
        'When its campaign emails were paused because too many emails bounced or were reported as spam; absent unless they are paused. Replies are still sent',
      ),
    pauseReason: z.string().optional().describe('Reason for the pause'),
    verifiedAt: time.optional(),
    syncStatus: z.enum(syncStatuses).optional().describe('Receiving status; only with `imap`'),
    syncStatusReason: z.string().optional().describe('Reason receiving fails'),
    lastSyncedAt: time
      .optional()
      .describe(
        'All email that arrived before this time in the inbox, junk, archive and trash folders (in Gmail, in any folder) has been processed. Follow-ups wait if this is too long ago',
      ),
    skippedMails: z
      .int()
      .min(1)
      .optional()
      .describe('Number of received emails that could not be processed; absent if none'),
  })
  .meta({ id: 'Mailbox' })

const savesSentCopies = z
  .boolean()
  .optional()
  .describe(
    'Stores a copy of each sent email in the Sent folder, unless it already contains one. Defaults to false for Gmail, Microsoft 365 and Zoho, which do that themselves, else to true',
  )

const idInput = z.strictObject({ mailboxId: id.describe('Mailbox ID') })

export const listMailboxes = operation({
  method: 'GET',
  path: '/mailboxes',
  summary: 'List mailboxes',
  description: 'Lists the mailboxes of all reps with their state, limits and health, without passwords.',
  tag: 'Mailboxes',
  extension: true,
  permission: 'Rep.ReadRep',
  input: z.strictObject({ ...pageInput, repId: id.optional().describe('Only mailboxes of this rep') }),
  output: pageSchema(mailbox, 'Mailbox'),
})

export const createMailbox = operation({
  method: 'POST',
  path: '/mailboxes',
  summary: 'Create a mailbox',
  description:
    'An `smtp` mailbox sends once it is verified; a `sandbox` mailbox works immediately. The providers `google_service_account` and `microsoft_app` also need the permission `Account.ManageSettings`, because they open a mailbox without its owner.',
  tag: 'Mailboxes',
  extension: true,
  permission: 'Rep.EditRep',
  reachesOutside: 'always',
  input: z
    .strictObject({
      repId: id.describe('Rep who sends from it'),
      kind: z.enum(mailboxKinds).describe('`smtp` sends; `sandbox` stores emails as files and sends nothing'),
      email: text(320).describe('Email address'),
      senderName: optionalText(200).describe('Name shown to recipients. Defaults to the name of the rep'),
      ...paceInput,
      plusAddressing: z.boolean().optional().describe('Whether its server delivers name+anything@ to it'),
      savesSentCopies,
      provider: z
        .enum(mailClientKinds)
        .optional()
        .describe(
          'Signs in to Google or Microsoft with OAuth, instead of `smtp` and `imap`. Then call `connectMailbox`; or `verifyMailbox` for `google_service_account` and `microsoft_app`',
        ),
      isShared: z
        .boolean()
        .optional()
        .describe('With `microsoft`: a shared mailbox, opened by a user who may read it and send as it'),
      smtp: z.strictObject(smtpInput).optional().describe('Required for `smtp` without `provider`'),
      imap: z
        .strictObject(imapInput)
        .optional()
        .describe('Server that receives replies. Nothing is changed there, not even the unread flag'),
    })
    .refine(input => (input.kind === 'smtp' && !input.provider) === (input.smtp !== undefined), {
      path: ['smtp'],
      message: 'is required for `smtp`, and not allowed for `sandbox` or with `provider`',
    })
    .refine(input => input.kind === 'smtp' || input.provider === undefined, {
      path: ['provider'],
      message: 'is not allowed for `sandbox`',
    })
    .refine(input => !input.isShared || input.provider === 'microsoft', {
      path: ['isShared'],
      message: 'is allowed only with the provider `microsoft`',
    })
    .refine(input => input.imap === undefined || (input.kind === 'smtp' && !input.provider), {
      path: ['imap'],
      message: 'is not allowed for `sandbox` or with `provider`',
    }),
  output: mailbox,
  example: {
    input: {
      repId: '01980000-0000-7000-8000-000000000001',
      kind: 'smtp',
      email: 'grace@navy.example',
      dailyCap: 50,
      minGapSeconds: 90,
      rampUp: { start: 10, increase: 5 },
      smtp: {
        host: 'smtp.navy.example',
        port: 587,
        tls: 'starttls',
        user: 'grace',
        password: 'correct horse',
      },
      imap: {
        host: 'imap.navy.example',
        port: 993,
        tls: 'implicit',
        user: 'grace',
        password: 'correct horse',
      },
    },
  },
})

export const getMailbox = operation({
  method: 'GET',
  path: '/mailboxes/{mailboxId}',
  summary: 'Get a mailbox',
  description: 'Includes its state, the reason for a failure, and its limits, without passwords.',
  tag: 'Mailboxes',
  extension: true,
  permission: 'Rep.ReadRep',
  input: idInput,
  output: mailbox,
})

export const updateMailbox = operation({
  method: 'PATCH',
  path: '/mailboxes/{mailboxId}',
  summary: 'Update a mailbox',
  description: 'Changing `smtp` makes the mailbox unverified.',
  tag: 'Mailboxes',
  extension: true,
  permission: 'Rep.EditRep',
  reachesOutside: 'always',
  input: idInput.extend({
    senderName: patchText(200).describe('Name shown to recipients; null for the name of the rep'),
    fromEmail: text(320)
      .nullable()
      .optional()
      .describe(
        'Verified alias that its emails are sent from, in new threads and replies; null for its own address',
      ),
    ...paceInput,
    plusAddressing: z.boolean().optional().describe('Whether its server delivers name+anything@ to it'),
    savesSentCopies,
    renewInboundUrl: z.literal(true).optional().describe('Replaces `inboundUrl`; the old URL stops working'),
    smtp: z
      .strictObject({ ...smtpInput, user: patchText(320).describe('Null removes the password too') })
      .partial()
      .optional()
      .describe(`Absent fields stay as they are. ${passwordRequired}`),
    imap: z
      .strictObject(imapInput)
      .partial()
      .nullable()
      .optional()
      .describe(`Absent fields stay as they are; null stops receiving. ${passwordRequired}`),
  }),
  output: mailbox,
  example: { input: { smtp: { password: 'battery staple' } } },
})

export const deleteMailbox = operation({
  method: 'DELETE',
  path: '/mailboxes/{mailboxId}',
  summary: 'Delete a mailbox',
  description:
    'Keeps the messages. Queued campaign emails are written again for other mailboxes. Refused while an email is being sent or an email outside campaigns is queued.',
  tag: 'Mailboxes',
  extension: true,
  permission: 'Rep.EditRep',
  input: idInput,
  output: done,
})

export const verifyMailbox = operation({
  method: 'POST',
  path: '/mailboxes/{mailboxId}/verify',
  summary: 'Verify a mailbox',
  description:
    'Connects and signs in to the mail servers. Failures are reported in `statusReason` for sending and `syncStatusReason` for receiving. Retries emails that people sent.',
  tag: 'Mailboxes',
  extension: true,
  permission: 'Rep.EditRep',
  isRemote: true,
  timeoutMs: 60_000,
  input: idInput,
  output: mailbox,
})

export const resumeMailbox = operation({
  method: 'POST',
  path: '/mailboxes/{mailboxId}/resume',
  summary: 'Resume a mailbox',
  description:
    'Ends the pause of a mailbox that stopped by itself because more emails bounced or were reported as spam than the account allows. First find out where the addresses come from: continuing harms the reputation of the domain. Earlier bounces and complaints no longer count. Repeating the request changes nothing.',
  tag: 'Mailboxes',
  extension: true,
  permission: 'Rep.EditRep',
  reachesOutside: 'always',
  input: idInput,
  output: mailbox,
})
