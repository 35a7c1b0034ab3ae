import { getAddresses } from '../messages/recipients.ts'
import { setQueued } from '../messages/write-email-messages.ts'
import { findSendingMailbox, type SendingMailbox } from '../outbox/sending-mailbox.ts'
import { queueSend } from '../outbox/sends.ts'
import { stopSequences } from '../outbox/stop-on-reply.ts'
import {
  type AcceptedObjections,
  findEmailObjections,
  findUnaccepted,
  formatObjections,
  type Objection,
} from './draft-objections.ts'
import {
  createDraftMessageId,
  findSuppression,
  type ReplyDraft,
  toSender,
  type Writer,
} from './reply-draft.ts'

export const draftAlreadySending = 'This draft is already being sent.'

type DraftRefusal = {
  reason: 'do_not_contact' | 'newer_message' | 'other_sender' | 'no_mailbox' | 'being_sent'
  message: string
  /** Objections that the caller may overrule. */
  objections?: Objection[]
}

/** Checks whether a draft can be sent, and from which mailbox. Requires a lock on its thread. */
export async function checkSending(
  writer: Writer,
  id: string,
  draft: ReplyDraft,
  accepted: AcceptedObjections,
): Promise<{ refusal: DraftRefusal } | { refusal?: undefined; mailbox: SendingMailbox }> {
  const { deliveryReason } = await findSuppression(writer, draft, draft.recipients)
  if (deliveryReason) return { refusal: { reason: 'do_not_contact', message: `${deliveryReason}.` } }
  const objections = findUnaccepted(await findEmailObjections(writer, id), accepted)
  const [first] = objections
  if (first) {
    const reason = first.path === 'force' ? 'newer_message' : 'other_sender'
    return { refusal: { reason, message: formatObjections(objections), objections } }
  }
  const mailbox = await findSendingMailbox(writer, draft)
  if (mailbox) return { mailbox }
  const message = "This thread's rep has no active mailbox. Verify one, then send again."
  return { refusal: { reason: 'no_mailbox', message } }
}

/**
 * Queues a draft, for users as well as for autopilot. Requires a lock on its thread. If it can't be sent, changes
 * nothing and returns the reason.
 */
export async function queueDraft(
  writer: Writer,
  id: string,
  draft: ReplyDraft,
  { dueAt = writer.app.now(), ...accepted }: AcceptedObjections & { dueAt?: Date | undefined } = {},
): Promise<DraftRefusal | undefined> {
  const { sql, app } = writer
  const checked = await checkSending(writer, id, draft, accepted)
  if (checked.refusal) return checked.refusal
  const { mailbox } = checked
  const recipientEmails = getAddresses(draft.recipients)
  // Omits prospect and campaign: the email isn't a campaign step, so pauses don't apply to it.
  const send = { messageId: id, mailboxId: mailbox.id, recipientEmails, dueAt }
  if (!(await queueSend(sql, send))) return { reason: 'being_sent', message: draftAlreadySending }
  await setQueued(sql, id, {
    mailboxId: mailbox.id,
    sender: toSender(mailbox),
    messageId: createDraftMessageId(writer, id, mailbox),
    at: app.now(),
  })
  await stopSequences(
    sql,
    { prospectId: draft.prospectId, personId: draft.personId, emails: recipientEmails },
    'manual_email',
    app.now(),
  )
  return undefined
}
