import type { Input, Output } from '../../../contract/index.ts'
import type { Permission } from '../../../contract/permissions.ts'
import { type Context, requireSession } from '../../kernel/context.ts'
import { jsonObject } from '../../kernel/db/json-object.ts'
import { conflict, invalid, notFound, outOfScope } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { detectBodyFormat } from '../../protocols/mime/body.ts'
import { stripTags } from '../../protocols/mime/strip-tags.ts'
import { findActingApp } from '../accounts/acting-app.ts'
import { audit } from '../accounts/audit-log.ts'
import { isInScope } from '../accounts/permission-scope.ts'
import { moveUnsentThread } from '../messages/move-thread.ts'
import { parseRecipients } from '../messages/recipients.ts'
import {
  changeDraft,
  type EmailFile,
  type EmailRecipients,
  lockMessageThread,
  removeEmailMessage,
  setEmailApprovalRequest,
} from '../messages/write-email-messages.ts'
import { deleteEndedSend, recallSend } from '../outbox/sends.ts'
import { setAttachments } from './attachments.ts'
import { findMailbox } from './choose-mailbox.ts'
import { emailDraftFields } from './draft-objections.ts'
import { getEmailMessage } from './email-messages.ts'
import { checkSending, draftAlreadySending, queueDraft } from './queue-draft.ts'
import {
  findParent,
  findSuppression,
  insertReplyDraft,
  type Parent,
  type ReplyDraft,
  toSender,
} from './reply-draft.ts'
import {
  parseSendAt,
  requireExpectedFiles,
  requireExpectedRecipients,
  requireUnchanged,
  toDelayedTime,
} from './send-conditions.ts'

/** Creates a reply in the thread of a message, by default to its sender or, for our own message, to its recipients. */
export async function createEmailDraft(
  ctx: Context,
  {
    prospectId,
    emailMessageIdToReplyTo,
    subject,
    body,
    recipients: recipientsInput,
    attachmentIds,
  }: Input<'createEmailDraft'>,
): Promise<Output<'createEmailDraft'>> {
  await lockMessageThread(ctx.sql, emailMessageIdToReplyTo)
  const scope = isInScope(ctx, 'Inbox.CreateDraft', ctx.sql`t.rep_id`)
  const parent = await findParent(ctx, emailMessageIdToReplyTo, scope)
  if (!parent) throw invalid('emailMessageIdToReplyTo', 'must be the ID of an email message in this account')
  if (parent.status !== 'sent') throw invalid('emailMessageIdToReplyTo', 'must be a message that was sent')
  if (parent.prospectId !== (prospectId ?? null)) {
    throw invalid(
      'prospectId',
      parent.prospectId
        ? 'must belong to the thread of the message'
        : 'must be omitted: the thread has no prospect',
    )
  }
  const recipients = parseRecipients(recipientsInput ?? defaultRecipients(parent))
  const messageId = await insertReplyDraft(ctx, parent, { type: 'manual', subject, body, recipients })
  await setAttachments(ctx, messageId, attachmentIds)
  await audit(ctx, 'create', 'email_message', messageId)
  return getNewDraft(ctx, messageId)
}

export async function updateEmailDraft(
  ctx: Context,
  {
    emailMessageId,
    subject,
    body,
    recipients: recipientsInput,
    attachmentIds,
    mailboxId,
    expectedBody,
  }: Input<'updateEmailDraft'>,
): Promise<Json<Output<'updateEmailDraft'>>> {
  const draft = await recallDraft(ctx, emailMessageId)
  requireUnchanged(draft.body, expectedBody, body)
  if (mailboxId) await changeSender(ctx, draft.threadId, mailboxId)
  const recipients = recipientsInput && parseRecipients(recipientsInput)
  await changeDraft(ctx.sql, emailMessageId, {
    subject,
    body,
    bodyFormat: body === undefined ? undefined : detectBodyFormat(body),
    recipients,
    ...(await findSuppression(ctx, draft, recipients ?? draft.recipients)),
    sentAt: ctx.app.now(),
  })
  await setAttachments(ctx, emailMessageId, attachmentIds)
  await audit(ctx, 'update', 'email_message', emailMessageId)
  return getEmailMessage(ctx, { emailMessageId })
}

/** Changes the mailbox of a conversation that has only a draft. The conversation's rep becomes the mailbox's rep. */
async function changeSender(ctx: Context, threadId: string, mailboxId: string): Promise<void> {
  const mailbox = await findMailbox(ctx, mailboxId)
  const { repId } = mailbox
  if (!(await moveUnsentThread(ctx.sql, threadId, { repId, mailboxId, sender: toSender(mailbox) })))
    throw invalid('mailboxId', 'must be omitted: a reply is sent from the mailbox of its conversation')
}

export async function deleteEmailDraft(
  ctx: Context,
  { emailMessageId }: Input<'deleteEmailDraft'>,
): Promise<Output<'deleteEmailDraft'>> {
  await recallDraft(ctx, emailMessageId)
  await deleteEndedSend(ctx.sql, emailMessageId)
  await removeEmailMessage(ctx.sql, emailMessageId)
  await audit(ctx, 'delete', 'email_message', emailMessageId)
  return { ok: true }
}

/** Queues a draft. It keeps the status `draft` until the mail server accepts it. */
export async function sendEmailDraft(
  ctx: Context,
  input: Input<'sendEmailDraft'>,
): Promise<Json<Output<'sendEmailDraft'>>> {
  const { emailMessageId, sendAt, delaySeconds, force, allowNewRecipients } = input
  const draft = await lockSendableDraft(ctx, input)
  if (draft.needsApproval) requireSession(ctx, 'send a draft that waits for approval')
  const refusal = await queueDraft(ctx, emailMessageId, draft, {
    ...{ force, allowNewRecipients },
    dueAt: parseSendAt(ctx, sendAt) ?? toDelayedTime(ctx, delaySeconds),
  })
  if (refusal) throw conflict(refusal.message, refusal.objections)
  await audit(ctx, 'send', 'email_message', emailMessageId)
  return getEmailMessage(ctx, { emailMessageId })
}

/** Requests a person's approval of a draft, after the same checks as sending it. */
export async function requestEmailApproval(
  ctx: Context,
  input: Input<'sendEmailDraft'>,
): Promise<Json<Output<'sendEmailDraft'>>> {
  const { emailMessageId, sendAt } = input
  const draft = await lockSendableDraft(ctx, input)
  const { refusal } = await checkSending(ctx, emailMessageId, draft, input)
  if (refusal) throw conflict(refusal.message, refusal.objections)
  await setEmailApprovalRequest(ctx.sql, emailMessageId, {
    at: ctx.app.now().toISOString(),
    by: await findActingApp(ctx),
    sendAt: parseSendAt(ctx, sendAt)?.toISOString(),
  })
  await audit(ctx, 'request_approval', 'email_message', emailMessageId)
  return getEmailMessage(ctx, { emailMessageId })
}

/** Locks a draft to send it. Throws when it is being sent, or differs from what someone approved. */
async function lockSendableDraft(ctx: Context, input: Input<'sendEmailDraft'>): Promise<LockedDraft> {
  const draft = await lockEmailDraft(ctx, 'Inbox.SendMessage', input.emailMessageId)
  requireExpected(draft, input)
  if (isBeingSent(draft)) throw conflict(draftAlreadySending)
  return draft
}

/** Returns the new draft's ID with warnings about sending it. */
async function getNewDraft({ sql, accountId }: Context, id: string): Promise<Output<'createEmailDraft'>> {
  const [draft] = await sql<{ json: Output<'createEmailDraft'> }[]>`
    select ${jsonObject({ ...emailDraftFields(sql), messageId: sql`m.id` })}::json as json
      from email_messages m
     where m.account_id = ${accountId} and m.id = ${id}`
  return draft!.json
}

function defaultRecipients({ type, sender, recipients, replyTo }: Parent): EmailRecipients {
  if (type !== 'received') return { to: recipients.to }
  const to = replyTo?.length ? replyTo : sender ? [sender] : []
  if (to.length === 0) throw invalid('recipients', 'is required: the message has no sender')
  return { to }
}

/** Locks a draft for an edit or a deletion, and recalls it when it is queued. */
async function recallDraft(ctx: Context, id: string): Promise<LockedDraft> {
  const draft = await lockEmailDraft(ctx, 'Inbox.CreateDraft', id)
  if (isBeingSent(draft) && !(await recallSend(ctx.sql, id))) throw conflict(draftAlreadySending)
  return draft
}

type LockedDraft = ReplyDraft & {
  deliveryStatus: string | null
  subject: string
  body: string
  bodyFormat: string | null
  files: EmailFile[]
  needsApproval: boolean
}

/** Throws when a draft differs from what someone approved, for example because it has been edited since. */
function requireExpected(
  { recipients, subject, body, bodyFormat, files }: LockedDraft,
  {
    expectedRecipients,
    expectedSubject,
    expectedBody,
    expectedAttachmentIds,
    expectedFirstLine,
  }: Input<'sendEmailDraft'>,
): void {
  requireExpectedRecipients(recipients, expectedRecipients)
  requireUnchanged(subject, expectedSubject)
  requireUnchanged(body, expectedBody)
  requireExpectedFiles(files, expectedAttachmentIds)
  const text = bodyFormat === 'html' ? stripTags(body) : body.trim()
  const firstLine = findFirstLine(text)
  if (expectedFirstLine !== undefined && expectedFirstLine !== firstLine) {
    throw conflict(`The draft was not sent: its first line is “${firstLine}”.`)
  }
}

/** Returns the first line after any greeting such as `Dear Ada,`, which all drafts to a person share. */
function findFirstLine(text: string): string {
  const lines = text.split('\n').map(line => line.trim())
  const [first = '', second] = lines.filter(line => line !== '')
  return (second !== undefined && first.endsWith(',') ? second : first).slice(0, 1000).trim()
}

const isBeingSent = ({ deliveryStatus }: LockedDraft): boolean =>
  deliveryStatus === 'queued' || deliveryStatus === 'sending'

/** Locks a draft and its thread; throws when the caller may not change it. */
async function lockEmailDraft(ctx: Context, permission: Permission, id: string): Promise<LockedDraft> {
  await lockMessageThread(ctx.sql, id)
  const repId = ctx.sql`m.rep_id`
  const [found] = await ctx.sql<
    (LockedDraft & { status: string | null; isReadable: boolean; isEditable: boolean })[]
  >`
    select m.thread_id as "threadId", t.person_id as "personId", m.prospect_id as "prospectId", m.rep_id as "repId", t.mailbox_id as "mailboxId",
           m.recipients, m.subject, m.body, m.body_format as "bodyFormat", coalesce(m.attachments, '[]') as files, m.status, m.delivery_status as "deliveryStatus",
           m.approval_request is not null as "needsApproval",
           ${isInScope(ctx, 'Inbox.ReadInbox', repId)} as "isReadable", ${isInScope(ctx, permission, repId)} as "isEditable"
      from email_messages m
      join email_threads t on t.account_id = m.account_id and t.id = m.thread_id
     where m.account_id = ${ctx.accountId} and m.id = ${id}`
  if (!found?.isReadable) throw notFound('email message')
  if (!found.isEditable) throw outOfScope(permission, 'this email message belongs to another rep')
  if (found.status !== 'draft') throw conflict('This message is not a draft.')
  if (found.deliveryStatus === 'unconfirmed')
    throw conflict('This draft may have been sent already; its delivery is unconfirmed.')
  return found
}
