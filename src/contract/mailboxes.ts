import { z } from 'zod'
import { providerKeys } from './mail-providers.ts'
import { operation } from './operation.ts'
import {
  base,
  done,
  id,
  optionalText,
  pageInput,
  pageSchema,
  rejectControlCharacters,
  text,
  time,
  timeInput,
} from './page.ts'

export const mailboxKinds = ['smtp', 'sandbox'] as const
export const tlsModes = ['implicit', 'starttls', 'none'] as const
export const mailboxStatuses = ['unverified', 'active', 'failing'] as const
export const readingStatuses = ['waiting', 'reading', 'failing'] as const

const port = z.int().min(1).max(65535)

export const mailbox = z
  .object({
    ...base('mailbox'),
    repId: id,
    kind: z
      .enum(mailboxKinds)
      .describe('`sandbox` stores every email in a folder on the server and delivers none'),
    email: z.string().describe('Sender address'),
    senderName: z.string().optional(),
    smtp: z.object({ host: z.string(), port, tls: z.enum(tlsModes), user: z.string().optional() }).optional(),
    imap: z
      .object({ host: z.string(), port, tls: z.enum(tlsModes), user: z.string(), readFrom: time })
      .optional()
      .describe('Server that receives its replies: the inbox and junk folders, and sent mail to prospects'),
    dailyCap: z.int().optional().describe('Maximum number of campaign emails in any 24 hours'),
    minGapSeconds: z.int().optional().describe('Minimum time between two campaign emails'),
    rampUp: z.object({ start: z.int(), increase: z.int(), since: time }).optional(),
    plusAddressing: z
      .boolean()
      .describe(
        'Whether its server delivers name+anything@ to it; bounces then arrive at an address that identifies the email',
      ),
    inboundUrl: z
      .string()
      .optional()
      .describe(
        'URL that accepts incoming mail: POST the raw message with the content type `message/rfc822`. Only returned by getMailbox, to users who may edit the mailbox',
      ),
    status: z.enum(mailboxStatuses).describe('Sending status'),
    statusReason: z.string().optional(),
    health: z
      .object({ reason: z.string().optional(), faults: z.int(), retryAt: time.optional() })
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
          .describe('Current limit of campaign emails in 24 hours: `dailyCap`, or less during the warm-up'),
        lastEmails: z.int().describe('Number of its last emails that `bounced` refers to: up to 100'),
        bounced: z.int().describe('How many of them went to addresses that do not exist'),
      })
      .optional()
      .describe('Recent sending. Only returned by listMailboxes and getMailbox'),
    pausedAt: time
      .optional()
      .describe(
        'Time since which its campaign emails are paused because too many emails bounced or were reported as spam; absent while they are not. Replies are still sent',
      ),
    pauseReason: z.string().optional().describe('Reason for the pause'),
    verifiedAt: time.optional(),
    readingStatus: z.enum(readingStatuses).optional().describe('Receiving status; only with `imap`'),
    readingReason: z.string().optional().describe('Why receiving fails'),
    lastReadAt: time
      .optional()
      .describe(
        'Everything that arrived in the inbox, junk, archive and trash folders before this time has been processed. Follow-ups wait if this is too long ago',
      ),
    skippedMails: z
      .int()
      .min(1)
      .optional()
      .describe('Number of received emails that could not be processed; absent if none'),
  })
  .meta({ id: 'Mailbox' })

const perDay = z.int().min(1).max(100_000)

const paceInput = {
  dailyCap: perDay
    .nullish()
    .describe(
      'Maximum number of campaign emails in any 24 hours. Rejected and manual emails count, but manual ones are never delayed. Start with 50: providers close mailboxes whose volume jumps. Null or absent: no limit',
    ),
  minGapSeconds: z
    .int()
    .min(0)
    .max(86_400)
    .optional()
    .describe(
      'Minimum time between two campaign emails, plus a random extra of up to half of it. 90 looks human',
    ),
  rampUp: z
    .strictObject({
      start: perDay.describe('Limit on the first day'),
      increase: perDay.describe('Daily increase of the limit, up to `dailyCap`'),
    })
    .nullish()
    .describe('Warm-up of a new mailbox: a lower limit that grows from today'),
}

const one = z.strictObject({ mailboxId: id.describe('Mailbox ID') })

const passwordRequired = 'A different host or port, or weaker TLS, requires the password'
const password = rejectControlCharacters(z.string().min(1).max(1024))

const smtpInput = {
  host: text(253),
  port,
  tls: z.enum(tlsModes).describe('`implicit` for port 465, `starttls` for 587'),
  user: optionalText(320),
  password: password.optional().describe('Stored encrypted and never returned'),
}

const imapInput = {
  host: text(253),
  port,
  tls: z.enum(tlsModes).describe('`implicit` for port 993, `starttls` for 143'),
  user: text(320),
  password: password.describe('Stored encrypted and never returned'),
  readFrom: timeInput
    .optional()
    .describe(
      'Earliest mail to process. Defaults to the first email sent from this address within the last 60 days, or to today',
    ),
}

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

const mailServer = z.object({
  host: z.string(),
  port,
  tls: z.enum(tlsModes),
  user: z.string().describe('Usual user name at this server'),
})

export const discoverMailSettings = operation({
  method: 'POST',
  path: '/mailboxes/discover',
  summary: 'Find the mail servers of an address',
  description:
    'Finds how to connect a mailbox before it is created: by the provider of its domain, its MX records, the configuration that its domain or a public database publishes, or its SRV records. Only the domain leaves this server. Verify the mailbox to learn whether the settings work.',
  tag: 'Mailboxes',
  extension: true,
  permission: 'Rep.EditRep',
  isRemote: true,
  timeoutMs: 30_000,
  input: z.strictObject({ email: text(320).describe('Email address of the mailbox') }),
  output: z.object({
    source: z
      .enum(['provider', 'configuration', 'srv', 'guess'])
      .describe(
        '`provider`: a well-known provider; `configuration`: published for this domain; `srv`: DNS records of the domain; `guess`: nothing was found, these names are common',
      ),
    provider: z.enum(providerKeys).optional(),
    advice: z
      .object({ text: z.string(), url: z.string() })
      .optional()
      .describe('Steps to take at the provider before a password works'),
    smtp: mailServer,
    imap: mailServer,
  }),
  example: {
    input: { email: 'ada@gmail.com' },
    output: {
      source: 'provider',
      provider: 'google',
      smtp: { host: 'smtp.gmail.com', port: 465, tls: 'implicit', user: 'ada@gmail.com' },
      imap: { host: 'imap.gmail.com', port: 993, tls: 'implicit', user: 'ada@gmail.com' },
    },
  },
})

export const createMailbox = operation({
  method: 'POST',
  path: '/mailboxes',
  summary: 'Create a mailbox',
  description: 'An `smtp` mailbox sends once it is verified; a `sandbox` mailbox works at once.',
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
      smtp: z.strictObject(smtpInput).optional().describe('Required for `smtp`'),
      imap: z
        .strictObject(imapInput)
        .optional()
        .describe('Server that receives replies. Nothing is changed there, not even the unread flag'),
    })
    .refine(input => (input.kind === 'smtp') === (input.smtp !== undefined), {
      path: ['smtp'],
      message: 'is required for `smtp` and not allowed for `sandbox`',
    })
    .refine(input => input.kind === 'smtp' || input.imap === undefined, {
      path: ['imap'],
      message: 'is not allowed for `sandbox`',
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
  input: one,
  output: mailbox,
})

export const updateMailbox = operation({
  method: 'PATCH',
  path: '/mailboxes/{mailboxId}',
  summary: 'Update a mailbox',
  description: 'A change of `smtp` makes the mailbox unverified.',
  tag: 'Mailboxes',
  extension: true,
  permission: 'Rep.EditRep',
  reachesOutside: 'always',
  input: one.extend({
    senderName: optionalText(200).describe('Name shown to recipients'),
    ...paceInput,
    plusAddressing: z.boolean().optional().describe('Whether its server delivers name+anything@ to it'),
    renewInboundUrl: z.literal(true).optional().describe('Replaces `inboundUrl`; the old URL stops working'),
    smtp: z
      .strictObject(smtpInput)
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
  description: 'Keeps its messages. Refused while one is being sent.',
  tag: 'Mailboxes',
  extension: true,
  permission: 'Rep.EditRep',
  input: one,
  output: done,
})

export const verifyMailbox = operation({
  method: 'POST',
  path: '/mailboxes/{mailboxId}/verify',
  summary: 'Verify a mailbox',
  description:
    'Connects and signs in to the mail servers. Failures are reported in `statusReason` for sending and `readingReason` for receiving.',
  tag: 'Mailboxes',
  extension: true,
  permission: 'Rep.EditRep',
  isRemote: true,
  timeoutMs: 60_000,
  input: one,
  output: mailbox,
})

export const resumeMailbox = operation({
  method: 'POST',
  path: '/mailboxes/{mailboxId}/resume',
  summary: 'Resume a mailbox',
  description:
    'Ends the pause of a mailbox that stopped by itself because more emails bounced or were reported as spam than the account allows. First find out where the addresses come from: continuing harms the reputation of the domain. Earlier bounces and complaints no longer count. Repeating it changes nothing.',
  tag: 'Mailboxes',
  extension: true,
  permission: 'Rep.EditRep',
  reachesOutside: 'always',
  input: one,
  output: mailbox,
})
