import { addressesOf } from '../messages/recipients.ts'
import { setQueued } from '../messages/write-email-messages.ts'
import { findSendingMailbox } from '../outbox/sending-mailbox.ts'
import { queueSend } from '../outbox/sends.ts'
import { stopSequences } from '../outbox/stop-on-reply.ts'
import {
  type Accepted,
  findEmailObjections,
  type Objection,
  objectionsText,
  unaccepted,
} from './draft-objections.ts'
import { messageIdOf, type ReplyDraft, senderOf, suppressionOf, type Writer } from './reply-draft.ts'

export const onItsWay = 'This draft is on its way already.'

type DraftRefusal = {
  reason: 'do_not_contact' | 'newer_message' | 'other_sender' | 'no_mailbox' | 'on_its_way'
  message: string
  /** Checks that the caller may overrule. */
  objections?: Objection[]
}

/**
 * Puts a draft into the queue of its mailbox, whoever decided it, a person or autopilot: no other way leads there.
 * Needs its thread locked. Gives why it can't go, and has changed nothing then.
 */
export async function queueDraft(
  who: Writer,
  id: string,
  draft: ReplyDraft,
  accepted: Accepted = {},
): Promise<DraftRefusal | undefined> {
  const { sql, app } = who
  const { deliveryReason } = await suppressionOf(who, draft.prospectId, draft.recipients)
  if (deliveryReason) return { reason: 'do_not_contact', message: `${deliveryReason}.` }
  const objections = unaccepted(await findEmailObjections(who, id), accepted)
  const [first] = objections
  if (first) {
    const reason = first.path === 'force' ? 'newer_message' : 'other_sender'
    return { reason, message: objectionsText(objections), objections }
  }
  const mailbox = await findSendingMailbox(who, draft)
  if (!mailbox) {
    const message = "No mailbox of this thread's rep works. Verify one, then send again."
    return { reason: 'no_mailbox', message }
  }
  const recipientEmails = addressesOf(draft.recipients)
  // Neither prospect nor campaign: it is no step, and no pause holds it.
  const send = { messageId: id, mailboxId: mailbox.id, recipientEmails, dueAt: app.now() }
  if (!(await queueSend(sql, send))) return { reason: 'on_its_way', message: onItsWay }
  await setQueued(sql, id, {
    mailboxId: mailbox.id,
    sender: senderOf(mailbox),
    messageId: messageIdOf(who, id, mailbox),
    at: app.now(),
  })
  await stopSequences(
    sql,
    { prospectId: draft.prospectId, emails: recipientEmails },
    'manual_email',
    app.now(),
  )
  return undefined
}
