import { randomUUIDv7 } from 'node:crypto'
import { cleanFileName, findFreeBytes, insertAttachment } from '../../domain/messages/stored-attachments.ts'
import {
  type EmailContact,
  type EmailFile,
  insertEmailMessage,
  type NewEmailMessage,
  type ReceivedContent,
} from '../../domain/messages/write-email-messages.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { canonicalEmail } from '../../protocols/identity/email.ts'
import type { ParsedAddress, ParsedEmail } from '../../protocols/mime/parse.ts'
import type { IncomingMail } from './incoming-mail.ts'

const MAX_BODY = 200_000
const MAX_SUBJECT = 998
const MAX_ADDRESSES = 100

type Destination = {
  id: string
  threadId: string
  mailboxId: string
  receivedAt: Date
  fingerprint: Buffer
}

/** Stores a received email as a message of its thread, with its files while the account has free storage. */
export async function storeReceivedMail(
  tx: Sql,
  destination: Destination & { kind: ReceivedContent['kind'] },
  mail: ParsedEmail,
  { files: contents }: Pick<IncomingMail, 'files'>,
): Promise<void> {
  let freeBytes = contents.some(content => content) ? await findFreeBytes(tx, { isLocked: false }) : 0
  const files: (EmailFile & { content?: Uint8Array })[] = mail.attachments.map((listed, index) => {
    const name = cleanFileName(listed.name)
    const file = contents[index]
    if (!file || file.content.length > freeBytes) return { ...listed, name }
    freeBytes -= file.content.length
    return { ...file, id: randomUUIDv7(), name, size: file.content.length }
  })
  await insertEmailMessage(tx, {
    ...toMessage(destination, mail),
    type: 'received',
    received: {
      kind: destination.kind,
      newText: mail.newText.slice(0, MAX_BODY).toWellFormed(),
      attachments: files.map(({ content: _, ...file }) => file),
    },
    replyTo: mail.replyTo.length > 0 ? toContacts(mail.replyTo) : null,
  })
  for (const { id, name, type, content } of files)
    if (id && content)
      await insertAttachment(tx, { name, type, content }, { id, emailMessageId: destination.id })
}

/** Stores an email that the mailbox's owner wrote in another program. */
export const storeOwnMail = (tx: Sql, destination: Destination, mail: ParsedEmail): Promise<string> =>
  insertEmailMessage(tx, { ...toMessage(destination, mail), type: 'manual' })

const toMessage = (
  { id, threadId, mailboxId, receivedAt, fingerprint }: Destination,
  mail: ParsedEmail,
): Omit<NewEmailMessage, 'type'> => ({
  id,
  threadId,
  mailboxId,
  status: 'sent',
  subject: toOneLine(mail.subject).slice(0, MAX_SUBJECT),
  body: mail.bodyText.slice(0, MAX_BODY).toWellFormed(),
  bodyFormat: 'text',
  sender: mail.from ? toContact(mail.from) : null,
  recipients: { to: toContacts(mail.to), ...(mail.cc.length > 0 && { cc: toContacts(mail.cc) }) },
  // Generated if the email has none, because replies refer to the Message-ID.
  messageId: mail.messageId ?? `<${fingerprint.toString('hex')}@received.invalid>`,
  inReplyTo: mail.inReplyTo ?? null,
  referenceIds: mail.references,
  sentAt: receivedAt,
})

const toContacts = (addresses: readonly ParsedAddress[]): EmailContact[] =>
  addresses.slice(0, MAX_ADDRESSES).map(toContact)

function toContact({ name, address }: ParsedAddress): EmailContact {
  const email = canonicalEmail(address) ?? address
  return { name: toOneLine(name) || email, email }
}

const toOneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
