import { randomUUIDv7 } from 'node:crypto'
import type { Context } from '../../kernel/context.ts'
import type { Fragment } from '../../kernel/db/database.ts'
import { parseMessageIds } from '../../protocols/identity/message-id.ts'
import { type BodyFormat, detectBodyFormat } from '../../protocols/mime/body.ts'
import { createMessageId } from '../../protocols/mime/compose.ts'
import { toReplyReferences, toReplySubject } from '../../protocols/mime/reply.ts'
import { getAddresses } from '../messages/recipients.ts'
import {
  type EmailContact,
  type EmailRecipients,
  insertEmailMessage,
} from '../messages/write-email-messages.ts'
import { findSendingMailbox, type SendingMailbox } from '../outbox/sending-mailbox.ts'
import { findOptOutForEach } from '../people/opt-outs/find-opt-outs.ts'
import { type RecipientContact, selectRecipientContacts } from '../people/persons/recipient-contacts.ts'

const MAX_OWN_IDS = 20

/** The context of an inbox write: a caller's, or the engine's within a transaction of the account. */
export type Writer = Pick<Context, 'app' | 'sql' | 'accountId'>

/** A message to reply to, with fields of its thread. */
export type Parent = {
  threadId: string
  personId: string | null
  prospectId: string | null
  repId: string | null
  mailboxId: string | null
  type: string
  status: string | null
  subject: string
  sender: EmailContact | null
  recipients: EmailRecipients
  replyTo: EmailContact[] | null
  messageId: string
  inReplyTo: string | null
  referenceIds: string[]
}

/** Finds the message to reply to; undefined when it doesn't exist or is out of scope. */
export async function findParent(
  { sql, accountId }: Writer,
  id: string,
  scope: Fragment,
): Promise<Parent | undefined> {
  const [parent] = await sql<Parent[]>`
    select m.thread_id as "threadId", t.person_id as "personId", t.prospect_id as "prospectId", t.rep_id as "repId", t.mailbox_id as "mailboxId",
           m.type, m.status, m.subject, m.sender, m.recipients, m.reply_to as "replyTo", m.message_id as "messageId",
           m.in_reply_to as "inReplyTo", m.reference_ids as "referenceIds"
      from email_messages m
      join email_threads t on t.account_id = m.account_id and t.id = m.thread_id
     where m.account_id = ${accountId} and m.id = ${id} and ${scope}`
  return parent
}

type NewReplyDraft = {
  /** Defaults to a new ID. */
  id?: string
  type: 'manual' | 'reply_agent'
  /** Defaults to `Re:` and the subject of the message. */
  subject?: string | undefined
  body: string
  /** Defaults to the format detected in the body. */
  format?: BodyFormat
  recipients: EmailRecipients
}

/** Inserts a draft in the thread of the message that it replies to; returns its ID. */
export async function insertReplyDraft(
  writer: Writer,
  parent: Parent,
  { id = randomUUIDv7(), type, subject, body, format = detectBodyFormat(body), recipients }: NewReplyDraft,
): Promise<string> {
  const mailbox = await findSendingMailbox(writer, parent)
  return insertEmailMessage(writer.sql, {
    id,
    threadId: parent.threadId,
    type,
    status: 'draft',
    ...(await findSuppression(writer, parent, recipients)),
    subject: subject ?? toReplySubject(parent.subject),
    body,
    bodyFormat: format,
    sender: mailbox ? toSender(mailbox) : null,
    recipients,
    messageId: createDraftMessageId(writer, id, mailbox),
    inReplyTo: parseMessageIds(parent.messageId)[0] ?? null,
    referenceIds: toReplyReferences({
      messageId: parent.messageId,
      references: [...parent.referenceIds, ...(await findOwnIds(writer, parent.threadId))].join(' '),
      inReplyTo: parent.inReplyTo ?? undefined,
    }),
    sentAt: writer.app.now(),
  })
}

/**
 * Lists our own Message-IDs, which the references include even if a server rewrote them and replies quote the new ones.
 */
async function findOwnIds({ sql, accountId }: Writer, threadId: string): Promise<string[]> {
  const rows = await sql<{ messageId: string }[]>`
    select message_id as "messageId"
      from email_messages
     where account_id = ${accountId} and thread_id = ${threadId} and type <> 'received' and status = 'sent'
     order by sent_at, id
     limit ${MAX_OWN_IDS}`
  return rows.map(row => row.messageId)
}

/** The fields of a draft that are needed to send it. */
export type ReplyDraft = {
  threadId: string
  personId: string | null
  prospectId: string | null
  repId: string | null
  mailboxId: string | null
  recipients: EmailRecipients
}

/** Returns the delivery status of a draft: `suppressed` when a recipient or the draft's person has opted out. */
export async function findSuppression(
  { app, sql, accountId }: Writer,
  { prospectId, personId }: Pick<ReplyDraft, 'prospectId' | 'personId'>,
  recipients: EmailRecipients,
): Promise<{ deliveryStatus: 'suppressed' | null; deliveryReason: string | null }> {
  const [person] = await sql<
    { personId: string; email: string | null; linkedinUrl: string | null; phone: string | null }[]
  >`
    select id as "personId", email, linkedin_url as "linkedinUrl", phone
      from persons
     where account_id = ${accountId}
       and id = coalesce((select person_id from prospects where account_id = ${accountId} and id = ${prospectId}),
                         ${personId})`
  const addresses = getAddresses(recipients)
  const [found] = await sql<{ contacts: RecipientContact[] | null }[]>`
    select ${selectRecipientContacts(sql, sql`${addresses}::text[]`, sql`${accountId}::uuid`)} as contacts`
  const emails = [...new Set([...addresses, ...(person?.email ? [person.email] : [])])]
  const optOuts = await findOptOutForEach({ app, sql, accountId }, [
    { personId: undefined, ...person, emails },
    ...(found?.contacts ?? []),
  ])
  const optOut = optOuts.find(entry => entry)
  return optOut
    ? { deliveryStatus: 'suppressed', deliveryReason: `${optOut.value} is on the Do Not Contact list` }
    : { deliveryStatus: null, deliveryReason: null }
}

export const toSender = ({ name, email }: SendingMailbox): EmailContact => ({ name, email })

/** Returns the same Message-ID for every attempt, at the sender's domain, as spam filters expect. */
export const createDraftMessageId = (
  { accountId }: Pick<Writer, 'accountId'>,
  id: string,
  mailbox: SendingMailbox | undefined,
): string =>
  createMessageId(
    [accountId, id],
    mailbox?.email.slice(mailbox.email.lastIndexOf('@') + 1) ?? 'draft.invalid',
  )
