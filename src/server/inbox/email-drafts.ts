import { randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../contract/index.ts'
import type { Permission } from '../../contract/permissions.ts'
import { audit } from '../accounts/audit-log.ts'
import type { Context } from '../context.ts'
import { findOptOut } from '../dnc/opted-out.ts'
import { bodyFormat } from '../email/body.ts'
import { messageIdFor } from '../email/compose.ts'
import { messageIdsIn, replyReferences, replySubject } from '../email/reply.ts'
import { conflict, forbidden, invalid, notFound } from '../errors.ts'
import type { Json } from '../json.ts'
import { getEmailMessage } from './email-messages.ts'
import { isReached } from './reach.ts'
import { addressesOf, readRecipients } from './recipients.ts'
import { findSendingMailbox, type SendingMailbox } from './sending-mailbox.ts'
import { forgetEndedSend, queueSend } from './sends.ts'
import { takeOver } from './take-over.ts'
import {
  changeDraft,
  type EmailContact,
  type EmailRecipients,
  insertEmailMessage,
  lockThreadOf,
  removeEmailMessage,
  setDelivery,
  setSender,
} from './write-email-messages.ts'

const MAX_OWN_IDS = 20

/** A reply in the thread of the message: to whom it came from, or to whom we wrote. */
export async function createEmailDraft(
  ctx: Context,
  { prospectId, emailMessageIdToReplyTo, body, recipients: given }: Input<'createEmailDraft'>,
): Promise<Output<'createEmailDraft'>> {
  const parent = await findParent(ctx, emailMessageIdToReplyTo)
  if (parent.prospectId !== prospectId)
    throw invalid('prospectId', 'does not belong to the thread of the message')
  const recipients = readRecipients(given ?? defaultRecipients(parent))
  const mailbox = await findSendingMailbox(ctx, parent)
  const id = randomUUIDv7()
  await insertEmailMessage(ctx.sql, {
    id,
    threadId: parent.threadId,
    type: 'manual',
    status: 'draft',
    ...(await suppressionOf(ctx, prospectId, recipients)),
    subject: replySubject(parent.subject),
    body,
    bodyFormat: bodyFormat(body),
    sender: mailbox ? senderOf(mailbox) : null,
    recipients,
    messageId: messageIdOf(ctx, id, mailbox),
    inReplyTo: messageIdsIn(parent.messageId)[0] ?? null,
    referenceIds: replyReferences({
      messageId: parent.messageId,
      references: [...parent.referenceIds, ...(await findOwnIds(ctx, parent.threadId))].join(' '),
      inReplyTo: parent.inReplyTo ?? undefined,
    }),
    sentAt: ctx.app.now(),
  })
  await audit(ctx, 'create', 'email_message', id)
  return { messageId: id }
}

export async function updateEmailDraft(
  ctx: Context,
  { emailMessageId, subject, body, recipients: given }: Input<'updateEmailDraft'>,
): Promise<Json<Output<'updateEmailDraft'>>> {
  const draft = await editableDraft(ctx, 'Inbox.CreateDraft', emailMessageId)
  if (subject && /\p{Cc}/u.test(subject)) {
    throw invalid('subject', 'must not contain line breaks or control characters')
  }
  const recipients = given && readRecipients(given)
  await changeDraft(ctx.sql, emailMessageId, {
    subject,
    body,
    bodyFormat: body === undefined ? undefined : bodyFormat(body),
    recipients,
    ...(await suppressionOf(ctx, draft.prospectId, recipients ?? draft.recipients)),
    sentAt: ctx.app.now(),
  })
  await audit(ctx, 'update', 'email_message', emailMessageId)
  return getEmailMessage(ctx, { emailMessageId })
}

export async function deleteEmailDraft(
  ctx: Context,
  { emailMessageId }: Input<'deleteEmailDraft'>,
): Promise<Output<'deleteEmailDraft'>> {
  await editableDraft(ctx, 'Inbox.CreateDraft', emailMessageId)
  await forgetEndedSend(ctx.sql, emailMessageId)
  await removeEmailMessage(ctx.sql, emailMessageId)
  await audit(ctx, 'delete', 'email_message', emailMessageId)
  return { ok: true }
}

/** Into the queue of its mailbox; it stays a draft until the mail server took it. */
export async function sendEmailDraft(
  ctx: Context,
  { emailMessageId }: Input<'sendEmailDraft'>,
): Promise<Json<Output<'sendEmailDraft'>>> {
  const draft = await editableDraft(ctx, 'Inbox.SendMessage', emailMessageId)
  const { deliveryReason } = await suppressionOf(ctx, draft.prospectId, draft.recipients)
  if (deliveryReason) throw conflict(`${deliveryReason}.`)
  const mailbox = await findSendingMailbox(ctx, draft)
  if (!mailbox) throw conflict("No mailbox of this thread's rep works. Verify one, then send again.")
  await setSender(ctx.sql, emailMessageId, {
    mailboxId: mailbox.id,
    sender: senderOf(mailbox),
    messageId: messageIdOf(ctx, emailMessageId, mailbox),
  })
  // Neither prospect nor campaign: what a person writes is no step, and no pause holds it.
  const isQueued = await queueSend(ctx.sql, {
    messageId: emailMessageId,
    mailboxId: mailbox.id,
    recipientEmails: addressesOf(draft.recipients),
    dueAt: ctx.app.now(),
  })
  if (!isQueued) throw conflict(onItsWay)
  await setDelivery(ctx.sql, emailMessageId, 'queued', null)
  await takeOver(
    ctx.sql,
    { prospectId: draft.prospectId, emails: addressesOf(draft.recipients) },
    'manual_email',
    ctx.app.now(),
  )
  await audit(ctx, 'send', 'email_message', emailMessageId)
  return getEmailMessage(ctx, { emailMessageId })
}

type Parent = {
  threadId: string
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

/** What the caller may not answer to is as unknown as what does not exist. */
async function findParent(ctx: Context, id: string): Promise<Parent> {
  const [parent] = await ctx.sql<Parent[]>`
    select m.thread_id as "threadId", t.prospect_id as "prospectId", t.rep_id as "repId", t.mailbox_id as "mailboxId",
           m.type, m.status, m.subject, m.sender, m.recipients, m.reply_to as "replyTo", m.message_id as "messageId",
           m.in_reply_to as "inReplyTo", m.reference_ids as "referenceIds"
      from email_messages m
      join email_threads t on t.account_id = m.account_id and t.id = m.thread_id
     where m.account_id = ${ctx.accountId} and m.id = ${id}
       and ${isReached(ctx, 'Inbox.CreateDraft', ctx.sql`m.rep_id`)}`
  if (!parent) throw invalid('emailMessageIdToReplyTo', 'is no email message of this account')
  if (parent.status !== 'sent') throw invalid('emailMessageIdToReplyTo', 'is not sent yet')
  return parent
}

/** Ours are named even when the other side quotes the ids that a server put in their place. */
async function findOwnIds({ sql, accountId }: Context, threadId: string): Promise<string[]> {
  const rows = await sql<{ messageId: string }[]>`
    select message_id as "messageId"
      from email_messages
     where account_id = ${accountId} and thread_id = ${threadId} and type <> 'received' and status = 'sent'
     order by sent_at, id
     limit ${MAX_OWN_IDS}`
  return rows.map(row => row.messageId)
}

function defaultRecipients({ type, sender, recipients, replyTo }: Parent): EmailRecipients {
  if (type !== 'received') return { to: recipients.to }
  const to = replyTo?.length ? replyTo : sender ? [sender] : []
  if (to.length === 0) throw invalid('recipients', 'is required, for the message has no sender')
  return { to }
}

type Draft = {
  threadId: string
  prospectId: string | null
  repId: string | null
  mailboxId: string | null
  recipients: EmailRecipients
}

const onItsWay = 'This draft is on its way already.'

/** The draft, locked with its thread for a change by this caller. */
async function editableDraft(ctx: Context, permission: Permission, id: string): Promise<Draft> {
  await lockThreadOf(ctx.sql, id)
  const repId = ctx.sql`m.rep_id`
  const [found] = await ctx.sql<
    (Draft & {
      status: string | null
      deliveryStatus: string | null
      isReadable: boolean
      isEditable: boolean
    })[]
  >`
    select m.thread_id as "threadId", m.prospect_id as "prospectId", m.rep_id as "repId", t.mailbox_id as "mailboxId",
           m.recipients, m.status, m.delivery_status as "deliveryStatus",
           ${isReached(ctx, 'Inbox.ReadInbox', repId)} as "isReadable", ${isReached(ctx, permission, repId)} as "isEditable"
      from email_messages m
      join email_threads t on t.account_id = m.account_id and t.id = m.thread_id
     where m.account_id = ${ctx.accountId} and m.id = ${id}`
  if (!found?.isReadable) throw notFound('email message')
  if (!found.isEditable) throw forbidden(permission)
  if (found.status !== 'draft') throw conflict('This message is no draft.')
  if (found.deliveryStatus === 'unconfirmed')
    throw conflict('This draft may have been sent; nobody can know.')
  if (found.deliveryStatus === 'queued' || found.deliveryStatus === 'sending') throw conflict(onItsWay)
  return found
}

/** A draft is made whoever it is for, and tells when it will not be sent: its people are asked like at the gate. */
async function suppressionOf(
  ctx: Context,
  prospectId: string | null,
  recipients: EmailRecipients,
): Promise<{ deliveryStatus: 'suppressed' | null; deliveryReason: string | null }> {
  const [person] = await ctx.sql<
    { email: string | null; linkedinUrl: string | null; phone: string | null }[]
  >`
    select p.email, p.linkedin_url as "linkedinUrl", p.phone
      from prospects r
      join persons p on p.account_id = r.account_id and p.id = r.person_id
     where r.account_id = ${ctx.accountId} and r.id = ${prospectId}`
  const emails = [...new Set([...addressesOf(recipients), ...(person?.email ? [person.email] : [])])]
  const optOut = await findOptOut(ctx, { ...person, emails })
  return optOut
    ? { deliveryStatus: 'suppressed', deliveryReason: `${optOut.value} is on the Do Not Contact list` }
    : { deliveryStatus: null, deliveryReason: null }
}

const senderOf = ({ name, email }: SendingMailbox): EmailContact => ({ name, email })

/** The same for every attempt; it names the sender's domain, so that no spam filter wonders. */
const messageIdOf = (ctx: Context, id: string, mailbox: SendingMailbox | undefined): string =>
  messageIdFor(
    [ctx.accountId, id],
    mailbox?.email.slice(mailbox.email.lastIndexOf('@') + 1) ?? 'draft.invalid',
  )
