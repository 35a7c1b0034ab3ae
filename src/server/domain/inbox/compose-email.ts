import { randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { conflict, invalid } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { detectBodyFormat } from '../../protocols/mime/body.ts'
import { audit } from '../accounts/audit-log.ts'
import { parseRecipients } from '../messages/recipients.ts'
import { type EmailRecipients, insertEmailMessage, openThread } from '../messages/write-email-messages.ts'
import type { SendingMailbox } from '../outbox/sending-mailbox.ts'
import { setAttachments } from './attachments.ts'
import { chooseMailbox } from './choose-mailbox.ts'
import { requestEmailApproval } from './email-drafts.ts'
import { getEmailMessage } from './email-messages.ts'
import { queueDraft } from './queue-draft.ts'
import { createDraftMessageId, findSuppression, toSender } from './reply-draft.ts'
import { parseSendAt, requireExpectedRecipients } from './send-conditions.ts'

/**
 * Opens a thread with a person outside of campaigns. Its first message is a draft, which is queued unless `draft` is
 * set.
 */
export async function composeEmail(
  ctx: Context,
  input: Input<'composeEmail'>,
): Promise<Json<Output<'composeEmail'>>> {
  const { personId, subject, body } = input
  const person = await findAddressee(ctx, personId)
  const recipients = parseRecipients(input.recipients ?? { to: [person] })
  if (!recipients.to.some(({ email }) => email === person.email))
    throw invalid('recipients.to', `must include the person: ${person.email}`)
  requireExpectedRecipients(recipients, input.expectedRecipients)
  const dueAt = parseSendAt(ctx, input.sendAt)
  const { repId, ...mailbox } = await chooseMailbox(ctx, input)

  const thread = { id: randomUUIDv7(), subject, personId, repId, mailboxId: mailbox.id }
  await openThread(ctx.sql, thread)
  const emailMessageId = await insertFirstEmail(ctx, thread, { body, recipients, mailbox })
  await setAttachments(ctx, emailMessageId, input.attachmentIds)
  await audit(ctx, 'create', 'email_message', emailMessageId)
  if (!input.draft) {
    const draft = { ...thread, threadId: thread.id, prospectId: null, recipients }
    const refusal = await queueDraft(ctx, emailMessageId, draft, { dueAt, allowNewRecipients: true })
    if (refusal) throw conflict(refusal.message)
    await audit(ctx, 'send', 'email_message', emailMessageId)
  }
  return getEmailMessage(ctx, { emailMessageId })
}

/** Creates the draft of a first email and requests its approval, unless only a draft was requested. */
export async function requestComposedEmail(
  ctx: Context,
  { sendAt, ...input }: Input<'composeEmail'>,
): Promise<Json<Output<'composeEmail'>>> {
  const draft = await composeEmail(ctx, { ...input, draft: true })
  if (input.draft) return draft
  const { id: emailMessageId } = JSON.parse(draft.text) as Output<'composeEmail'>
  return requestEmailApproval(ctx, { emailMessageId, sendAt, allowNewRecipients: true })
}

/** Finds the person to write to, who can't be erased until the transaction ends. Throws ValidationError. */
async function findAddressee(
  { sql, accountId }: Context,
  personId: string,
): Promise<{ email: string; name: string | undefined }> {
  const [person] = await sql<{ email: string | null; name: string }[]>`
    select email, concat_ws(' ', first_name, last_name) as name
      from persons
     where account_id = ${accountId} and id = ${personId}
       for key share`
  if (!person) throw invalid('personId', 'must be the ID of a person in this account')
  if (!person.email) throw invalid('personId', 'has no email address; add one with `updatePerson`')
  return { email: person.email, name: person.name || undefined }
}

type FirstEmail = { body: string; recipients: EmailRecipients; mailbox: SendingMailbox }

/** Inserts the first message of a thread as a draft; returns its ID. */
async function insertFirstEmail(
  ctx: Context,
  thread: { id: string; subject: string; personId: string },
  { body, recipients, mailbox }: FirstEmail,
): Promise<string> {
  const id = randomUUIDv7()
  return insertEmailMessage(ctx.sql, {
    id,
    threadId: thread.id,
    type: 'manual',
    status: 'draft',
    ...(await findSuppression(ctx, { prospectId: null, personId: thread.personId }, recipients)),
    subject: thread.subject,
    body,
    bodyFormat: detectBodyFormat(body),
    sender: toSender(mailbox),
    recipients,
    messageId: createDraftMessageId(ctx, id, mailbox),
    sentAt: ctx.app.now(),
  })
}
