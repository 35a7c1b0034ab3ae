import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { conflict } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { audit } from '../accounts/audit-log.ts'
import { checkReps, checkSchedule, getCampaign, lockCampaign, setReps } from './campaigns.ts'
import { forbidAppTriggeredCalls } from './forbid-app-triggered-calls.ts'
import type {
  CompleteCampaign,
  ReleaseRiskyAddresses,
  RescheduleSteps,
  WithdrawEffects,
} from './prospect-effects.ts'

export async function updateCampaign(
  ctx: Context,
  { campaignId, name, description, repIds, settings, schedule, newProspectsPerDay }: Input<'updateCampaign'>,
  effects: WithdrawEffects & {
    rescheduleSteps: RescheduleSteps
    completeCampaign: CompleteCampaign
    releaseRiskyAddresses: ReleaseRiskyAddresses
  },
): Promise<Json<Output<'updateCampaign'>>> {
  const { sql } = ctx
  const { status } = await lockCampaign(ctx, campaignId)
  if (repIds || settings || schedule !== undefined || newProspectsPerDay !== undefined)
    await forbidAppTriggeredCalls(ctx, campaignId)
  checkSchedule(schedule)
  if (repIds) {
    if (repIds.length === 0 && status === 'active') {
      throw conflict('An active campaign needs at least one rep. Pause it before you remove the last one.')
    }
    await checkReps(ctx, repIds)
    await setReps(ctx, campaignId, repIds)
    if (status !== 'draft') await withdrawFromRemovedReps(ctx, campaignId, { repIds, ...effects })
  }
  await sql`
    update campaigns
       set name                  = coalesce(${name ?? null}, name),
           description           = ${description === undefined ? sql`description` : description},
           is_evergreen          = coalesce(${settings?.isEvergreen ?? null}, is_evergreen),
           skip_active_elsewhere = coalesce(${settings?.skipActiveElsewhere ?? null}, skip_active_elsewhere),
           stop_company_on_reply = coalesce(${settings?.stopCompanyOnReply ?? null}, stop_company_on_reply),
           hold_risky_addresses  = coalesce(${settings?.holdRiskyAddresses ?? null}, hold_risky_addresses),
           auto_winner           = ${settings?.autoWinner === undefined ? sql`auto_winner` : settings.autoWinner},
           -- Checks the new metric without waiting an hour.
           winners_checked_at    = ${settings?.autoWinner === undefined ? sql`winners_checked_at` : null},
           schedule              = ${schedule === undefined ? sql`schedule` : schedule && sql.json(schedule)},
           new_prospects_per_day = ${newProspectsPerDay === undefined ? sql`new_prospects_per_day` : newProspectsPerDay},
           -- The new limits may allow new prospects earlier.
           begins_from           = null,
           -- Set again unless the change has resolved it.
           health                = ${repIds || schedule !== undefined ? null : sql`health`},
           updated_at            = now()
     where account_id = ${ctx.accountId} and id = ${campaignId}`
  if (schedule !== undefined && status !== 'draft') await effects.rescheduleSteps(ctx, { campaignId })
  await audit(ctx, 'update', 'campaign', campaignId)
  if (settings?.holdRiskyAddresses === false) await effects.releaseRiskyAddresses(ctx, campaignId)
  if (settings?.isEvergreen === false) await effects.completeCampaign(sql, campaignId)
  return getCampaign(ctx, { campaignId })
}

/**
 * Withdraws the queued emails and open tasks of reps who are not among `repIds`; they are planned again for another
 * rep. Queued calls stay, because they don't depend on the campaign's reps.
 */
async function withdrawFromRemovedReps(
  ctx: Context,
  campaignId: string,
  { repIds, withdrawQueuedEmails, deleteOpenTasks, revertStep }: WithdrawEffects & { repIds: string[] },
): Promise<void> {
  await withdrawQueuedEmails(ctx, campaignId, repIds)
  for (const prospectId of await deleteOpenTasks(ctx.sql, campaignId, repIds))
    await revertStep(ctx.sql, prospectId, ctx.app.now())
}
