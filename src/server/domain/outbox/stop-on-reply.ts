import type { Sql } from '../../kernel/db/database.ts'
import { completeCampaign } from '../prospects/complete-campaign.ts'
import { findOpenProspects, type InTouch, markReplied, pauseProspects } from '../prospects/in-touch.ts'
import { withdrawQueuedSteps } from './withdraw-queued.ts'

/** Why a sequence rests: the person answered another one, or a rep writes to them. */
type TakeOver = 'replied_elsewhere' | 'manual_email' | 'manual_linkedin'

/**
 * A conversation begins, so sequences don't talk into it: what waits in the queue is withdrawn, and what is to come
 * waits for a person. A step that is past its queue already is refused at its gate.
 */
export async function takeOver(tx: Sql, who: InTouch, reason: TakeOver, now: Date): Promise<void> {
  const ids = await findOpenProspects(tx, who, 'as the account wants')
  await withdrawQueuedSteps(tx, ids, now)
  await pauseProspects(tx, ids, reason, now)
}

/** Somebody answered, on whichever way: nothing more comes in the campaign they answered to, and the others rest. */
export async function stopForReply(
  tx: Sql,
  who: InTouch,
  reason: 'asks_to_unsubscribe' | null,
  now: Date,
): Promise<void> {
  await takeOver(tx, who, 'replied_elsewhere', now)
  if (!who.prospectId) return
  const campaignId = await markReplied(tx, who.prospectId, reason)
  if (campaignId) await completeCampaign(tx, campaignId)
}
