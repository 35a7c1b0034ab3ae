import type { Sql } from '../../kernel/db/database.ts'
import { detectReplyIntent } from '../../protocols/mail-reading/reply-intent.ts'
import {
  findProspectOf,
  type LinkedinEntry,
  lockPair,
  type Pair,
  recordLinkedinEntry,
} from '../messages/record-linkedin-message.ts'
import { stopForReply, stopSequences } from '../outbox/stop-on-reply.ts'
import { expediteSteps } from '../prospects/in-touch.ts'
import { recordAcceptance } from '../prospects/linkedin-connections.ts'
import { storeLinkedinReply } from '../reply-agent/replies.ts'
import { finishDraftSent, finishTasksDone } from '../tasks/finish-task.ts'

/**
 * A message into its conversation, and what follows from it: an answer is read and stops sequences as an answered mail
 * does, and what the rep wrote is the draft that waited, or the task that asked for it, or else takes over. What was
 * before somebody was a prospect is only kept.
 */
export async function takeMessage(
  tx: Sql,
  entry: LinkedinEntry,
  now: Date,
): Promise<{ id: string; isNew: boolean }> {
  await lockPair(tx, entry)
  const draftId = entry.type === 'manual' && (await finishDraftSent(tx, entry))
  if (draftId) return { id: draftId, isNew: true }
  const recorded = await recordLinkedinEntry(tx, entry)
  const prospect = recorded.isNew && (await findProspectOf(tx, entry, entry.happenedAt))
  if (!prospect) return recorded
  const who = { prospectId: prospect.prospectId, emails: [] }
  if (entry.type === 'received') {
    await storeLinkedinReply(tx, {
      messageId: recorded.id,
      campaignId: prospect.campaignId,
      classification: detectReplyIntent(entry.text, entry.happenedAt) ?? {},
      receivedAt: entry.happenedAt,
      now,
    })
    await stopForReply(tx, who, null, now)
  } else if (!(await finishTasksDone(tx, entry, 'linkedin_message', { text: entry.text, endedAt: now })))
    await stopSequences(tx, who, 'manual_linkedin', now)
  return recorded
}

/** They are connected; the invitation was sent, if it was still to be. Tells whether it is news. */
export async function takeAcceptance(tx: Sql, pair: Pair, acceptedAt: Date, now: Date): Promise<boolean> {
  await lockPair(tx, pair)
  if (!(await recordAcceptance(tx, pair, acceptedAt))) return false
  await finishTasksDone(tx, pair, 'linkedin_connect', { endedAt: now })
  await expediteSteps(tx, pair, now)
  return true
}
