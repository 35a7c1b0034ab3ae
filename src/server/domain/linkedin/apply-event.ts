import type { Sql } from '../../kernel/db/database.ts'
import { detectReplyIntent } from '../../protocols/mail-reading/reply-intent.ts'
import {
  type ConversationPair,
  type LinkedinEntry,
  lockPair,
  recordLinkedinEntry,
} from '../messages/record-linkedin-message.ts'
import { stopForReply, stopSequences } from '../outbox/stop-on-reply.ts'
import { expediteSteps } from '../prospects/in-touch.ts'
import { recordAcceptance } from '../prospects/linkedin-connections.ts'
import { storeLinkedinReply } from '../reply-agent/replies.ts'
import { finishInvitations, finishMatchingDraft, finishMatchingTask } from '../tasks/finish-task.ts'

/**
 * Stores a message in its conversation and applies its effects. A received message is classified and stops sequences,
 * like a reply by email. A sent message completes the matching draft or task, or else stops the sequence. Messages
 * from before the person became a prospect are only stored.
 */
export async function applyMessage(
  tx: Sql,
  entry: LinkedinEntry,
  now: Date,
): Promise<{ id: string; isNew: boolean }> {
  await lockPair(tx, entry)
  const draftId = entry.type === 'manual' && (await finishMatchingDraft(tx, entry))
  if (draftId) return { id: draftId, isNew: true }
  const { prospect, ...recorded } = await recordLinkedinEntry(tx, entry)
  if (!prospect) return recorded
  const person = { prospectId: prospect.prospectId, emails: [] }
  if (entry.type === 'received') {
    await storeLinkedinReply(tx, {
      messageId: recorded.id,
      classification: detectReplyIntent(entry.text, entry.happenedAt) ?? {},
      receivedAt: entry.happenedAt,
      now,
    })
    await stopForReply(tx, person, null, now)
  } else if (!(await finishMatchingTask(tx, entry, now)))
    await stopSequences(tx, person, 'manual_linkedin', now)
  return recorded
}

/** Records the connection and completes an open invitation task. Returns whether the connection is new. */
export async function applyAcceptance(
  tx: Sql,
  pair: ConversationPair,
  acceptedAt: Date,
  now: Date,
): Promise<boolean> {
  await lockPair(tx, pair)
  if (!(await recordAcceptance(tx, pair, acceptedAt))) return false
  await finishInvitations(tx, pair, now)
  await expediteSteps(tx, pair, now)
  return true
}
