import type { campaignStatuses } from '../../../contract/campaigns.ts'
import type { Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { conflict } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { audit, auditEngine } from '../accounts/audit-log.ts'
import { getCampaign, lockCampaign } from './campaigns.ts'

type CampaignStatus = (typeof campaignStatuses)[number]
export type ChangedCampaign = Json<Output<'getCampaign'>>

/** Locks the campaign and returns its status. Throws a conflict if it is archived or its status is not in `from`. */
export async function checkTransition(
  ctx: Context,
  campaignId: string,
  verb: string,
  from: CampaignStatus[],
): Promise<CampaignStatus> {
  const { status, isArchived } = await lockCampaign(ctx, campaignId)
  if (isArchived) {
    throw conflict(`The campaign is ${status} and archived; it can't be ${verb}. Unarchive it first.`)
  }
  if (!from.includes(status)) {
    throw conflict(`The campaign is ${status}; only campaigns that are ${from.join(' or ')} can be ${verb}.`)
  }
  return status
}

export async function setStatus(
  ctx: Context,
  campaignId: string,
  action: string,
  status: CampaignStatus,
): Promise<ChangedCampaign> {
  await ctx.sql`
    update campaigns
       set status = ${status}, launched_at = coalesce(launched_at, ${ctx.app.now()}), health = null, updated_at = now()
     where account_id = ${ctx.accountId} and id = ${campaignId}`
  await audit(ctx, action, 'campaign', campaignId)
  return getCampaign(ctx, { campaignId })
}

export async function setArchived(
  ctx: Context,
  campaignId: string,
  action: string,
  isArchived: boolean,
): Promise<ChangedCampaign> {
  await ctx.sql`
    update campaigns
       set is_archived = ${isArchived}, updated_at = now()
     where account_id = ${ctx.accountId} and id = ${campaignId}`
  await audit(ctx, action, 'campaign', campaignId)
  return getCampaign(ctx, { campaignId })
}

/**
 * Completes an active, non-evergreen campaign `c` if `isOver` holds; returns whether the campaign was completed. The
 * caller must have locked the campaign.
 */
export async function markCompleted(tx: Sql, campaignId: string, isOver: Fragment): Promise<boolean> {
  const completed = await tx`
    update campaigns c
       set status = 'completed', completed_at = now(), health = null, updated_at = now()
     where account_id = current_account_id() and id = ${campaignId} and status = 'active' and not is_evergreen
       and ${isOver}
    returning account_id`
  if (completed.count > 0) await auditEngine(tx, 'complete', 'campaign', campaignId)
  return completed.count > 0
}

/** Records why steps of the campaign wait for a person; null when none does. */
export const setCampaignHealth = (tx: Sql, campaignId: string, health: string | null) => tx`
  update campaigns
     set health = ${health}, updated_at = now()
   where account_id = current_account_id() and id = ${campaignId} and health is distinct from ${health}`
