import type { Sql } from '../db.ts'
import type { EmailAddress, ParsedEmail } from '../email/parse.ts'
import { canonicalEmail } from '../identity/email.ts'
import { type EmailContact, insertEmailMessage, type ReceivedContent } from '../inbox/write-email-messages.ts'

const MAX_BODY = 200_000
const MAX_SUBJECT = 998
const MAX_ADDRESSES = 100

type Place = {
  id: string
  threadId: string
  mailboxId: string
  kind: ReceivedContent['kind']
  receivedAt: Date
  fingerprint: Buffer
}

/** A received mail as a message of its thread: its words alone, never its HTML or files. */
export const storeReceived = (tx: Sql, place: Place, mail: ParsedEmail): Promise<string> =>
  insertEmailMessage(tx, {
    id: place.id,
    threadId: place.threadId,
    mailboxId: place.mailboxId,
    type: 'received',
    status: 'sent',
    subject: oneLine(mail.subject).slice(0, MAX_SUBJECT),
    body: mail.bodyText.slice(0, MAX_BODY).toWellFormed(),
    bodyFormat: 'text',
    received: {
      kind: place.kind,
      newText: mail.newText.slice(0, MAX_BODY).toWellFormed(),
      attachments: mail.attachments.map(({ name, type, size }) => ({ name: oneLine(name), type, size })),
    },
    sender: mail.from ? toContact(mail.from) : null,
    recipients: { to: contacts(mail.to), ...(mail.cc.length > 0 && { cc: contacts(mail.cc) }) },
    replyTo: mail.replyTo.length > 0 ? contacts(mail.replyTo) : null,
    // Answers name it, so one that has none gets one.
    messageId: mail.messageId ?? `<${place.fingerprint.toString('hex')}@received.invalid>`,
    inReplyTo: mail.inReplyTo ?? null,
    referenceIds: mail.references,
    sentAt: place.receivedAt,
  })

const contacts = (addresses: readonly EmailAddress[]): EmailContact[] =>
  addresses.slice(0, MAX_ADDRESSES).map(toContact)

function toContact({ name, address }: EmailAddress): EmailContact {
  const email = canonicalEmail(address) ?? address
  return { name: oneLine(name) || email, email }
}

const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
