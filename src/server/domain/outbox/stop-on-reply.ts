import type { Sql } from '../../kernel/db/database.ts'
import { completeCampaign } from '../prospects/complete-campaign.ts'
import {
  type ConversationPeople,
  findPausableProspects,
  markReplied,
  pausePausableProspects,
} from '../prospects/in-touch.ts'
import { stopColleagues } from './stop-colleagues.ts'
import { withdrawQueuedSteps } from './withdraw-queued.ts'

/** The reason why sequences stop: the person replied elsewhere, or a rep wrote to them. */
type StopReason = 'replied_elsewhere' | 'manual_email' | 'manual_linkedin'

/**
 * Stops the sequences of people who are in a conversation: withdraws queued steps and pauses the prospects until a user
 * resumes them, except `endingId`, whose sequence the caller ends. The gate refuses emails that a worker has already
 * claimed.
 */
export async function stopSequences(
  tx: Sql,
  person: ConversationPeople,
  reason: StopReason,
  now: Date,
  endingId?: string | null,
): Promise<void> {
  const ids = await findPausableProspects(tx, person)
  await withdrawQueuedSteps(tx, ids, now)
  await pausePausableProspects(tx, ids, reason, now, endingId)
}

/**
 * Stops sequences after a reply in any channel: ends the sequence that the person replied to, also for colleagues if
 * its campaign is configured to do so, and pauses the person's other sequences.
 */
export async function stopForReply(
  tx: Sql,
  person: ConversationPeople,
  reason: 'asks_to_unsubscribe' | 'meeting_booked' | null,
  now: Date,
): Promise<void> {
  await stopSequences(tx, person, 'replied_elsewhere', now, person.prospectId)
  if (!person.prospectId) return
  const campaignId = await markReplied(tx, person.prospectId, reason)
  await stopColleagues(tx, [person.prospectId], now)
  if (campaignId) await completeCampaign(tx, campaignId)
}
