import { randomUUIDv7 } from 'node:crypto'
import type {
  deliveryStatuses,
  messageStatuses,
  messageTypes,
  receivedKinds,
} from '../../../contract/inbox.ts'
import { currentAccount, type Fragment, pipeline, type Sql, toJsonRows } from '../../kernel/db/database.ts'
import type { BodyFormat } from '../../protocols/mime/body.ts'
import { insertTagCopies } from './email-thread-tags.ts'

/**
 * The only writers of email threads, their messages and the copies in `email_message_tags`. Each requires a transaction
 * within the account, and locks the thread's row first, so that values derived from a thread's messages are computed by
 * one transaction at a time.
 */

export type EmailContact = { name: string; email: string }
export type EmailRecipients = {
  to: EmailContact[]
  cc?: EmailContact[] | undefined
  bcc?: EmailContact[] | undefined
}
export type DeliveryStatus = (typeof deliveryStatuses)[number]
type MessageStatus = (typeof messageStatuses)[number]

export type NewThread = {
  /** Defaults to a new ID. */
  id?: string
  subject: string
  personId?: string | null
  prospectId?: string | null
  campaignId?: string | null
  repId?: string | null
  mailboxId?: string | null
}

/** A file of a message; has no `id` if its content was not stored. */
export type EmailFile = { id?: string; name: string; type: string; size: number }

export type ReceivedContent = {
  kind: (typeof receivedKinds)[number]
  /** The body without the quoted message. */
  newText: string
  attachments: EmailFile[]
}

export type NewEmailMessage = {
  /** Defaults to a new ID. */
  id?: string
  threadId: string
  type: (typeof messageTypes)[number]
  /** Null for outgoing mail that the mail server hasn't accepted yet. */
  status: MessageStatus | null
  deliveryStatus?: DeliveryStatus | null
  deliveryReason?: string | null
  stepId?: string | null
  variantId?: string | null
  /** Defaults to the thread's mailbox. */
  mailboxId?: string
  subject: string
  body: string
  bodyFormat: BodyFormat
  sender: EmailContact | null
  recipients: EmailRecipients
  /** The Reply-To addresses of a received message. */
  replyTo?: readonly EmailContact[] | null
  received?: ReceivedContent
  /** In angle brackets, as in the header. */
  messageId: string
  inReplyTo?: string | null
  referenceIds?: string[]
  sentAt: Date
}

type IdentifiedMessage = NewEmailMessage & { id: string }

export async function openThread(tx: Sql, thread: NewThread): Promise<string> {
  const id = thread.id ?? randomUUIDv7()
  await openThreads(tx, [{ ...thread, id }])
  return id
}

export const openThreads = (tx: Sql, threads: readonly (NewThread & { id: string })[]) => tx`
  insert into email_threads (account_id, id, subject, person_id, prospect_id, campaign_id, rep_id, mailbox_id)
  select current_account_id(), id, subject, "personId", "prospectId", "campaignId", "repId", "mailboxId"
    from jsonb_to_recordset(${toJsonRows(threads)}::text::jsonb)
         t(id uuid, subject text, "personId" uuid, "prospectId" uuid, "campaignId" uuid, "repId" uuid, "mailboxId" uuid)`

export async function insertEmailMessage(tx: Sql, message: NewEmailMessage): Promise<string> {
  const id = message.id ?? randomUUIDv7()
  await insertEmailMessages(tx, [{ ...message, id }])
  return id
}

/** Inserts messages. Each takes its campaign, prospect, rep, mailbox and tags from its thread. */
export async function insertEmailMessages(tx: Sql, messages: readonly IdentifiedMessage[]): Promise<void> {
  const threadIds = [...new Set(messages.map(({ threadId }) => threadId))]
  const lock = lockThreads(tx, threadIds)
  const rows = messages.map(({ received, ...message }) => ({ ...message, ...received }))
  const insert = tx`
    insert into email_messages (account_id, id, thread_id, campaign_id, prospect_id, rep_id, mailbox_id, tags, step_id,
                                variant_id, type, status, delivery_status, delivery_reason, subject, body, body_format, sender,
                                recipients, reply_to, message_id, in_reply_to, reference_ids, sent_at, thread_seen_at,
                                received_kind, new_text, attachments)
    select account_id, m.id, t.id, campaign_id, prospect_id, rep_id, coalesce(m."mailboxId", mailbox_id), tags,
           m."stepId", m."variantId", m.type, m.status, m."deliveryStatus", m."deliveryReason", m.subject, m.body,
           m."bodyFormat", m.sender, m.recipients, m."replyTo", m."messageId", m."inReplyTo",
           coalesce(m."referenceIds", '{}'), m."sentAt", case m.status when 'draft' then m."sentAt" end, m.kind,
           m."newText", m.attachments
      from jsonb_to_recordset(${toJsonRows(rows)}::text::jsonb)
           m(id uuid, "threadId" uuid, "mailboxId" uuid, "stepId" uuid, "variantId" uuid, type text, status text,
             "deliveryStatus" text, "deliveryReason" text, subject text, body text, "bodyFormat" text, sender jsonb,
             recipients jsonb, "replyTo" jsonb, "messageId" text, "inReplyTo" text, "referenceIds" text[],
             "sentAt" timestamptz, kind text, "newText" text, attachments jsonb)
     cross join lateral (
             -- The limit makes the planner use the key; otherwise it may read all threads of the account.
             select * from email_threads where account_id = ${currentAccount(tx)} and id = m."threadId" limit 1) t`
  const insertTags = insertTagCopies(tx, tx`and m.id = any(${messages.map(({ id }) => id)}::uuid[])`)
  const [, { count }] = await pipeline(lock, insert, insertTags)
  if (count < messages.length) throw new Error(`There is no email thread ${threadIds}.`)
  const statuses = [...new Set(messages.flatMap(({ status }) => status ?? []))]
  if (statuses.length > 0) await refreshThreads(tx, threadIds, statuses)
}

type DraftChange = {
  subject?: string | undefined
  body?: string | undefined
  bodyFormat?: BodyFormat | undefined
  recipients?: EmailRecipients | undefined
  deliveryStatus: DeliveryStatus | null
  deliveryReason: string | null
  sentAt: Date
}

/** A request to approve a draft: when it was made, by which app, and when the app would send the draft. */
export type ApprovalRequest = { at: string; by?: string | undefined; sendAt?: string | undefined }

/** Sets the sanitized HTML of a received message, unless its person was erased in the meantime. */
export const setHtml = (tx: Sql, id: string, html: string) => tx`
  update email_messages set html = ${html}
   where account_id = ${currentAccount(tx)} and id = ${id} and type = 'received' and message_id <> ''`

/** Sets the list of a draft's files. */
export const setDraftFiles = (tx: Sql, id: string, files: readonly EmailFile[]) => tx`
  update email_messages
     set attachments = ${files.length > 0 ? tx.json(files as never) : null}
   where account_id = ${currentAccount(tx)} and id = ${id} and status = 'draft'`

/** Updates a draft; omitted fields keep their values. */
export async function changeDraft(tx: Sql, id: string, change: DraftChange): Promise<void> {
  await withThreadLock(tx, id, ['draft'], async () => {
    await tx`
      update email_messages
         set subject = coalesce(${change.subject ?? null}, subject),
             body = coalesce(${change.body ?? null}, body),
             body_format = coalesce(${change.bodyFormat ?? null}, body_format),
             recipients = coalesce(${change.recipients ? tx.json(change.recipients as never) : null}, recipients),
             delivery_status = ${change.deliveryStatus}, delivery_reason = ${change.deliveryReason},
             approval_request = null, sent_at = ${change.sentAt}, updated_at = now()
       where account_id = ${currentAccount(tx)} and id = ${id} and status = 'draft'`
  })
}

export async function markEmailMessagesSent(tx: Sql, ids: readonly string[], sentAt: Date): Promise<void> {
  const threads = await tx<{ id: string }[]>`
    with thread as materialized (
      select distinct m.thread_id as id
        from unnest(${[...ids]}::uuid[]) message(id)
       cross join lateral (
               select thread_id from email_messages where account_id = ${currentAccount(tx)} and id = message.id limit 1) m
       order by id)
    select thread.id from thread ${joinThreadLocks(tx)}`
  await tx`
    update email_messages m
       set status = 'sent', delivery_status = null, delivery_reason = null, sent_at = ${sentAt}, updated_at = now(),
           -- Set here for the first message of a thread, so that its row isn't written twice.
           is_last = not exists (select from email_messages o
                                  where o.account_id = m.account_id and o.thread_id = m.thread_id
                                    and (o.status = 'sent' or o.id <> m.id and o.id = any(${[...ids]}::uuid[])))
     where m.account_id = ${currentAccount(tx)} and m.id = any(${[...ids]}::uuid[])`
  await refreshThreads(
    tx,
    threads.map(({ id }) => id),
    ['sent', 'draft'],
  )
}

/** Sets the delivery status of a message that is still to be sent, and the reason for it. */
export const setDelivery = (
  tx: Sql,
  id: string,
  deliveryStatus: DeliveryStatus | null,
  reason: string | null,
) => tx`
  update email_messages
     -- The reason may contain an address, which must not return to the message of an erased person.
     set delivery_status = ${deliveryStatus},
         delivery_reason = case when recipients <> '{"to": []}' then ${reason}::text end, updated_at = now()
   where account_id = ${currentAccount(tx)} and id = ${id}`

type Queued = { mailboxId: string; sender: EmailContact; messageId: string; at: Date }

/** Marks a draft as queued and replaces its mailbox, sender and Message-ID with those it is sent with. */
export const setQueued = (tx: Sql, id: string, from: Queued) => tx`
  update email_messages
     set delivery_status = 'queued', delivery_reason = null, approval_request = null, mailbox_id = ${from.mailboxId},
         sender = ${tx.json(from.sender)}, message_id = ${from.messageId}, thread_seen_at = ${from.at}, updated_at = now()
   where account_id = ${currentAccount(tx)} and id = ${id}`

export const setSenderEmail = (tx: Sql, id: string, email: string) => tx`
  update email_messages set sender = jsonb_set(sender, '{email}', to_jsonb(${email}::text)), updated_at = now()
   where account_id = ${currentAccount(tx)} and id = ${id}`

export const setEmailApprovalRequest = (tx: Sql, id: string, request: ApprovalRequest) => tx`
  update email_messages set approval_request = ${tx.json(request)}, updated_at = now()
   where account_id = ${currentAccount(tx)} and id = ${id} and status = 'draft'`

/** Deletes a message, and its thread if it has no other messages. */
export async function removeEmailMessage(tx: Sql, id: string): Promise<void> {
  const threadId = await withThreadLock(tx, id, ['sent', 'draft'], async () => {
    await tx`delete from email_messages where account_id = ${currentAccount(tx)} and id = ${id}`
  })
  if (!threadId) return
  await tx`
    delete from email_threads t
     where t.account_id = ${currentAccount(tx)} and t.id = ${threadId}
       and not exists (select from email_messages m where m.account_id = t.account_id and m.thread_id = t.id)`
}

const lockThreads = (tx: Sql, threadIds: readonly string[]) => tx`
  select from unnest(${threadIds.toSorted()}::uuid[]) thread(id) ${joinThreadLocks(tx)}`

/** Locks the rows of `thread` in order. The limit makes the planner use the key. */
const joinThreadLocks = (tx: Sql): Fragment => tx`
  cross join lateral (
          select from email_threads where account_id = ${currentAccount(tx)} and id = thread.id limit 1 for update) locked`

/** Locks the thread of a message and returns the thread's ID; undefined if there is no such message. */
export async function lockMessageThread(tx: Sql, id: string): Promise<string | undefined> {
  const [message] = await tx<{ threadId: string }[]>`
    select thread_id as "threadId" from email_messages where account_id = ${currentAccount(tx)} and id = ${id}`
  if (message) await lockThreads(tx, [message.threadId])
  return message?.threadId
}

/** Locks a message's thread, changes the message and returns the thread's ID; undefined if there is no such message. */
async function withThreadLock(
  tx: Sql,
  id: string,
  statuses: MessageStatus[],
  change: () => Promise<void>,
): Promise<string | undefined> {
  const threadId = await lockMessageThread(tx, id)
  if (!threadId) return undefined
  await change()
  await refreshThreads(tx, [threadId], statuses)
  return threadId
}

/**
 * Recomputes which message of each thread is the last of its status, and updates the copies in `email_message_tags`.
 */
async function refreshThreads(tx: Sql, threadIds: string[], statuses: MessageStatus[]): Promise<void> {
  // Clears and sets `is_last` in separate statements, because the unique index on it is checked row by row.
  await pipeline(
    tx`
    update email_messages m
       set is_last = false
     where m.account_id = ${currentAccount(tx)} and m.thread_id = any(${threadIds}::uuid[]) and m.is_last
       and m.status = any(${statuses})
       and exists (select from email_messages o
                    where o.account_id = m.account_id and o.thread_id = m.thread_id and o.status = m.status
                      and (o.sent_at, o.id) > (m.sent_at, m.id))`,
    tx`
    with own as materialized (
      -- Materialized, so that the planner can't scan all messages of a status instead.
      select id, thread_id, status, sent_at, is_last
        from email_messages
       where account_id = ${currentAccount(tx)} and thread_id = any(${threadIds}::uuid[])),
    last as (
      select distinct on (thread_id, status) id, is_last
        from own
       where status = any(${statuses})
       order by thread_id, status, sent_at desc, id desc)
    update email_messages m
       set is_last = true
     where m.account_id = ${currentAccount(tx)} and m.id = any(array(select id from last where not is_last))`,
    tx`
    update email_message_tags t
       set kind = m.kind, sent_at = m.sent_at
      from email_messages m
     where m.account_id = ${currentAccount(tx)} and m.thread_id = any(${threadIds}::uuid[]) and m.tags <> '{}'
       and t.account_id = m.account_id and t.id = m.id and (t.kind, t.sent_at) <> (m.kind, m.sent_at)`,
  )
}
