import { z } from 'zod'
import { operation } from './operation.ts'
import {
  base,
  done,
  id,
  optionalText,
  pageInput,
  pageOf,
  refuseControls,
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
      .describe('`sandbox` keeps every mail in a folder of the server and sends nothing on'),
    email: z.string().describe('Address it sends from'),
    senderName: z.string().optional(),
    smtp: z.object({ host: z.string(), port, tls: z.enum(tlsModes), user: z.string().optional() }).optional(),
    imap: z
      .object({ host: z.string(), port, tls: z.enum(tlsModes), user: z.string(), readFrom: time })
      .optional()
      .describe(
        'Where its replies come in: inbox and junk are read, and of sent mail what went to prospects',
      ),
    dailyCap: z.int().optional().describe('The most that leaves for campaigns in any 24 hours'),
    minGapSeconds: z.int().optional().describe('The least time between two mails of campaigns'),
    rampUp: z.object({ start: z.int(), increase: z.int(), since: time }).optional(),
    plusAddressing: z
      .boolean()
      .describe(
        'Whether its server delivers name+anything@ to it: bounces then come to an address that names the mail',
      ),
    inboundUrl: z
      .string()
      .optional()
      .describe(
        'Where mail for it can be handed in: POST the mail as it came, with the content type `message/rfc822`. Told by getMailbox alone, to whoever may change the mailbox',
      ),
    status: z.enum(mailboxStatuses).describe('Of sending'),
    statusReason: z.string().optional(),
    health: z
      .object({ reason: z.string().optional(), faults: z.int(), retryAt: time.optional() })
      .optional()
      .describe(
        'What hinders its sending, how often in a row, and when it is tried again by itself; absent while all is well. An `active` mailbox waits for its server, a `failing` one until it may sign in',
      ),
    verifiedAt: time.optional(),
    readingStatus: z.enum(readingStatuses).optional().describe('Of reading, where there is `imap`'),
    readingReason: z.string().optional().describe('Why reading fails'),
    lastReadAt: time
      .optional()
      .describe(
        'What had arrived by then in inbox, junk, archive or bin is known. Follow-ups wait while this is too long ago',
      ),
    skippedMails: z.int().min(1).optional().describe('Received mails that could not be processed, if any'),
  })
  .meta({ id: 'Mailbox' })

const perDay = z.int().min(1).max(100_000)

const paceInput = {
  dailyCap: perDay
    .nullish()
    .describe(
      'The most that leaves for campaigns in any 24 hours, refused mails and what people write themselves counted; theirs is never held up. Providers close mailboxes that suddenly send much: 50 is a good start. Null or absent: no limit',
    ),
  minGapSeconds: z
    .int()
    .min(0)
    .max(86_400)
    .optional()
    .describe(
      'The least time between two mails of campaigns; up to half as long again is added by chance. 90 looks like a person',
    ),
  rampUp: z
    .strictObject({
      start: perDay.describe('Cap of the first day'),
      increase: perDay.describe('By so much the cap grows each day, up to `dailyCap`'),
    })
    .nullish()
    .describe('For a new mailbox: the cap begins lower, from today on'),
}

const one = z.strictObject({ mailboxId: id.describe('The mailbox') })

const passwordAgain = 'Another host or port, or less TLS, needs the password again'
const password = refuseControls(z.string().min(1).max(1024))

const smtpInput = {
  host: text(253),
  port,
  tls: z.enum(tlsModes).describe('`implicit` for port 465, `starttls` for 587'),
  user: optionalText(320),
  password: password.optional().describe('Kept encrypted, never given back'),
}

const imapInput = {
  host: text(253),
  port,
  tls: z.enum(tlsModes).describe('`implicit` for port 993, `starttls` for 143'),
  user: text(320),
  password: password.describe('Kept encrypted, never given back'),
  readFrom: timeInput
    .optional()
    .describe(
      'Mail from that day on is read; when absent, from the first one on that was sent from this address within the last 60 days, or from today on',
    ),
}

export const listMailboxes = operation({
  method: 'GET',
  path: '/mailboxes',
  summary: 'List mailboxes',
  tag: 'Mailboxes',
  extension: true,
  permission: 'Rep.ReadRep',
  input: z.strictObject({ ...pageInput, repId: id.optional().describe('Only mailboxes of this rep') }),
  output: pageOf(mailbox, 'Mailbox'),
})

export const createMailbox = operation({
  method: 'POST',
  path: '/mailboxes',
  summary: 'Add a mailbox to a rep',
  description: 'An `smtp` mailbox sends once it has been verified; a `sandbox` one works at once.',
  tag: 'Mailboxes',
  extension: true,
  permission: 'Rep.EditRep',
  input: z
    .strictObject({
      repId: id,
      kind: z.enum(mailboxKinds),
      email: text(320),
      senderName: optionalText(200),
      ...paceInput,
      plusAddressing: z.boolean().optional(),
      smtp: z.strictObject(smtpInput).optional().describe('Needed for the kind `smtp`'),
      imap: z
        .strictObject(imapInput)
        .optional()
        .describe('Where replies come in. Nothing is changed there, not even what counts as unread'),
    })
    .refine(input => (input.kind === 'smtp') === (input.smtp !== undefined), {
      path: ['smtp'],
      message: 'give the server for the kind smtp, and only for that',
    })
    .refine(input => input.kind === 'smtp' || input.imap === undefined, {
      path: ['imap'],
      message: 'a sandbox mailbox has no server',
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
  tag: 'Mailboxes',
  extension: true,
  permission: 'Rep.ReadRep',
  input: one,
  output: mailbox,
})

export const updateMailbox = operation({
  method: 'PATCH',
  path: '/mailboxes/{mailboxId}',
  summary: 'Change a mailbox',
  description: 'A change of the sending server makes it unverified again.',
  tag: 'Mailboxes',
  extension: true,
  permission: 'Rep.EditRep',
  input: one.extend({
    senderName: optionalText(200),
    ...paceInput,
    plusAddressing: z.boolean().optional(),
    renewInboundUrl: z
      .literal(true)
      .optional()
      .describe('From now on another address takes its mail, and the one before takes none'),
    smtp: z.strictObject(smtpInput).partial().optional().describe(`What is left out stays. ${passwordAgain}`),
    imap: z
      .strictObject(imapInput)
      .partial()
      .nullable()
      .optional()
      .describe(`What is left out stays; null ends the reading. ${passwordAgain}`),
  }),
  output: mailbox,
  example: { input: { smtp: { password: 'battery staple' } } },
})

export const deleteMailbox = operation({
  method: 'DELETE',
  path: '/mailboxes/{mailboxId}',
  summary: 'Remove a mailbox',
  description: 'Its messages stay. Refused while a message is on its way.',
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
    'Connects and signs in to the mail servers. What fails is told in `statusReason` for sending, in `readingReason` for reading.',
  tag: 'Mailboxes',
  extension: true,
  permission: 'Rep.EditRep',
  isRemote: true,
  timeoutMs: 60_000,
  input: one,
  output: mailbox,
})
