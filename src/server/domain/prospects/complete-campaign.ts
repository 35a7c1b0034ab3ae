import type { Sql } from '../../kernel/db/database.ts'
import { markCompleted } from '../campaigns/change-status.ts'
import { isRetryable } from './incomplete.ts'
import { dispatchKey } from './write-prospects.ts'

/** Completes the campaign if no prospect has an upcoming step; returns whether it did. */
export async function completeCampaign(tx: Sql, campaignId: string): Promise<boolean> {
  if (await hasUpcomingStep(tx, campaignId)) return false
  // Serializes completions: when two prospects end at the same time, the later transaction sees the earlier one.
  await tx`
    select from campaigns where account_id = current_account_id() and id = ${campaignId} for no key update`
  // Due prospects have an index of their own, which makes this check cheap enough to run after each prospect; `case`
  // fixes the order of evaluation.
  return markCompleted(
    tx,
    campaignId,
    tx`
      case when exists (select from prospects p
                         where p.account_id = c.account_id and p.campaign_id = c.id
                           and p.status in ('pending', 'active', 'out_of_office') and p.next_step_at is not null)
           then false
           else not exists (select from prospects p
                             where p.account_id = c.account_id and p.campaign_id = c.id
                               and (p.status in ('pending', 'active', 'out_of_office')
                                    or (p.status = 'paused' and p.status_reason is distinct from 'do_not_contact')
                                    or ${isRetryable(tx, tx`p`)}))
                and exists (select from prospects p
                             where p.account_id = c.account_id and p.campaign_id = c.id)
      end`,
  )
}

/**
 * Returns whether a prospect of the campaign has an upcoming step. Share-locks that prospect until the transaction
 * ends: the transaction that ends it later then sees all prospects that ended before, without a lock on the campaign's
 * row.
 */
async function hasUpcomingStep(tx: Sql, campaignId: string): Promise<boolean> {
  // Locks the prospect that is due last for its dispatch key, so that no other prospect is delayed.
  const last = await tx`
    select from prospects p
     where account_id = current_account_id() and campaign_id = ${campaignId}
       and status in ('pending', 'active', 'out_of_office') and next_step_at is not null
     order by ${dispatchKey(tx, tx`p`)} desc, next_step_at desc
     limit 1
       for share skip locked`
  return last.count > 0
}
