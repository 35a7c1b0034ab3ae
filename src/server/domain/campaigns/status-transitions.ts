import type { campaignStatuses } from '../../../contract/campaigns.ts'
import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { conflict, type ErrorDetail } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { audit, auditEngine } from '../accounts/audit-log.ts'
import { mayComeBack } from '../prospects/incomplete.ts'
import { rescheduleProspects } from '../prospects/reschedule.ts'
import { lane } from '../prospects/write-prospects.ts'
import { getCampaign, lockCampaign } from './campaigns.ts'
import { leaveCallsToPeople } from './forbid-app-triggered-calls.ts'

type CampaignStatus = (typeof campaignStatuses)[number]
type Moved = Promise<Json<Output<'launchCampaign'>>>

export async function launchCampaign(ctx: Context, { campaignId }: Input<'launchCampaign'>): Moved {
  await checkMove(ctx, campaignId, 'launched', ['draft'])
  const missing = await findMissing(ctx, campaignId)
  if (missing[0]) {
    throw conflict(`The campaign stays a draft: ${missing[0].message}`, missing)
  }
  const launched = await move(ctx, campaignId, 'launch', 'active')
  const [waits] = await ctx.sql`
    select from campaign_steps
     where account_id = ${ctx.accountId} and campaign_id = ${campaignId} and removed_at is null
       and position = 1 and delay_amount > 0`
  if (waits) await rescheduleProspects(ctx, campaignId)
  return launched
}

export async function pauseCampaign(ctx: Context, { campaignId }: Input<'pauseCampaign'>): Moved {
  await checkMove(ctx, campaignId, 'paused', ['active'])
  return move(ctx, campaignId, 'pause', 'paused')
}

export async function resumeCampaign(ctx: Context, { campaignId }: Input<'resumeCampaign'>): Moved {
  const from = await checkMove(ctx, campaignId, 'resumed', ['paused', 'completed'])
  await leaveCallsToPeople(ctx, campaignId)
  const resumed = await move(ctx, campaignId, 'resume', 'active')
  // The last of its prospects may have ended meanwhile. Who resumes a completed one wants it open.
  const isOver = from === 'paused' && (await completeCampaigns(ctx.sql, campaignId))
  return isOver ? getCampaign(ctx, { campaignId }) : resumed
}

export async function archiveCampaign(ctx: Context, { campaignId }: Input<'archiveCampaign'>): Moved {
  await checkMove(ctx, campaignId, 'archived', ['draft', 'paused', 'completed'])
  return setArchived(ctx, campaignId, 'archive', true)
}

export async function unarchiveCampaign(ctx: Context, { campaignId }: Input<'unarchiveCampaign'>): Moved {
  const { status, isArchived } = await lockCampaign(ctx, campaignId)
  if (!isArchived) throw conflict(`The campaign is ${status} and not in the archive.`)
  return setArchived(ctx, campaignId, 'unarchive', false)
}

/** Ends the campaign when none of its prospects has anything to come; tells whether it did. */
export async function completeCampaigns(tx: Sql, campaignId: string): Promise<boolean> {
  if (await hasMoreToCome(tx, campaignId)) return false
  // One after the other: of two prospects that end at once, the later one sees the earlier.
  await tx`
    select from campaigns where account_id = current_account_id() and id = ${campaignId} for no key update`
  // The due ones have an index of their own, so that asking after each prospect costs little; `case` keeps the order.
  const completed = await tx`
    update campaigns c
       set status = 'completed', health = null, updated_at = now()
     where account_id = current_account_id() and id = ${campaignId} and status = 'active' and not is_evergreen
       and case when exists (select from prospects p
                              where p.account_id = c.account_id and p.campaign_id = c.id
                                and p.status in ('pending', 'active', 'out_of_office') and p.next_step_at is not null)
                then false
                else not exists (select from prospects p
                                  where p.account_id = c.account_id and p.campaign_id = c.id
                                    and (p.status in ('pending', 'active', 'out_of_office')
                                         or (p.status = 'paused' and p.status_reason is distinct from 'do_not_contact')
                                         or ${mayComeBack(tx, tx`p`)}))
                     and exists (select from prospects p
                                  where p.account_id = c.account_id and p.campaign_id = c.id)
           end
    returning account_id`
  if (completed.count > 0) await auditEngine(tx, 'complete', 'campaign', campaignId)
  return completed.count > 0
}

/**
 * Whether somebody of it has a step to come. That one is kept from taking it until this transaction ends, so that the
 * last of all sees every ending before; else all endings of a campaign would have to stand in line for its row.
 */
async function hasMoreToCome(tx: Sql, campaignId: string): Promise<boolean> {
  // The one whose turn comes last in some lane, so that nobody misses theirs.
  const last = await tx`
    select from prospects p
     where account_id = current_account_id() and campaign_id = ${campaignId}
       and status in ('pending', 'active', 'out_of_office') and next_step_at is not null
     order by ${lane(tx, tx`p`)} desc, next_step_at desc
     limit 1
       for share skip locked`
  return last.count > 0
}

/** Says why the campaign does not get on; null when it does. */
export const setCampaignHealth = (tx: Sql, campaignId: string, health: string | null) => tx`
  update campaigns
     set health = ${health}, updated_at = now()
   where account_id = current_account_id() and id = ${campaignId} and health is distinct from ${health}`

async function checkMove(
  ctx: Context,
  campaignId: string,
  verb: string,
  from: CampaignStatus[],
): Promise<CampaignStatus> {
  const { status, isArchived } = await lockCampaign(ctx, campaignId)
  if (isArchived) {
    throw conflict(
      `The campaign is ${status} and archived; it can't be ${verb}. Bring it back from the archive first.`,
    )
  }
  if (!from.includes(status)) {
    throw conflict(`The campaign is ${status}; one that is ${from.join(' or ')} can be ${verb}.`)
  }
  return status
}

async function move(ctx: Context, campaignId: string, verb: string, status: CampaignStatus): Moved {
  await ctx.sql`
    update campaigns
       set status = ${status}, launched_at = coalesce(launched_at, ${ctx.app.now()}), health = null, updated_at = now()
     where account_id = ${ctx.accountId} and id = ${campaignId}`
  await audit(ctx, verb, 'campaign', campaignId)
  return getCampaign(ctx, { campaignId })
}

async function setArchived(ctx: Context, campaignId: string, verb: string, isArchived: boolean): Moved {
  await ctx.sql`
    update campaigns
       set is_archived = ${isArchived}, updated_at = now()
     where account_id = ${ctx.accountId} and id = ${campaignId}`
  await audit(ctx, verb, 'campaign', campaignId)
  return getCampaign(ctx, { campaignId })
}

const missing = (isMissing: boolean | undefined, path: string, message: string): ErrorDetail[] =>
  isMissing ? [{ path, message }] : []

type Present = Record<'step' | 'email' | 'rep' | 'mailbox' | 'postalAddress' | 'optOutLine', boolean> & {
  callsByNobody: number[]
}

async function findPresent(ctx: Context, campaignId: string): Promise<Present> {
  const [present] = await ctx.sql<Present[]>`
    select exists (select from campaign_steps
                    where account_id = a.id and campaign_id = ${campaignId} and removed_at is null) as step,
           exists (select from campaign_steps
                    where account_id = a.id and campaign_id = ${campaignId} and removed_at is null
                      and channel = 'email') as email,
           array(select position from campaign_steps
                  where account_id = a.id and campaign_id = ${campaignId} and removed_at is null
                    and channel = 'call' and assistant_id is null
                  order by position) as "callsByNobody",
           exists (select from campaign_reps
                    where account_id = a.id and campaign_id = ${campaignId}) as rep,
           exists (select from campaign_reps k join mailboxes b on b.account_id = k.account_id and b.rep_id = k.rep_id
                    where k.account_id = a.id and k.campaign_id = ${campaignId}
                      and b.status = 'active' and b.removed_at is null) as mailbox,
           a.postal_address is not null as "postalAddress",
           a.opt_out_line is not null as "optOutLine"
      from accounts a
     where a.id = ${ctx.accountId}`
  return present!
}

/** What a campaign lacks to send lawfully, each with what to do. */
async function findMissing(ctx: Context, campaignId: string): Promise<ErrorDetail[]> {
  const has = await findPresent(ctx, campaignId)
  return [
    ...missing(!has.step, 'steps', 'it has no step. Set its steps.'),
    ...missing(!has.rep, 'repIds', 'it has no rep. Name the reps who send.'),
    ...has.callsByNobody.map(position => ({
      path: `steps.${position - 1}.call.assistantId`,
      message: `step ${position} has no assistant. Name the one that calls.`,
    })),
    ...(has.email || !has.step ? missingForEmail(has) : []),
  ]
}

/** Refuses steps just given to a campaign that was launched, if it lacks what their emails need. */
export async function checkEmailSteps(ctx: Context, campaignId: string): Promise<void> {
  const has = await findPresent(ctx, campaignId)
  const lacking = has.email ? missingForEmail(has) : []
  if (lacking[0]) throw conflict(`The steps stay as they were: ${lacking[0].message}`, lacking)
}

/** The law asks for address and opt-out line below every mail; nobody sees them in a task. */
const missingForEmail = (
  has: Record<'rep' | 'mailbox' | 'postalAddress' | 'optOutLine', boolean>,
): ErrorDetail[] => [
  ...missing(
    has.rep && !has.mailbox,
    'repIds',
    'none of its reps has a working mailbox. Add one, or verify the one that is there.',
  ),
  ...missing(
    !has.postalAddress,
    'account.postalAddress',
    'the account has no postal address. Give it one: the law asks for it below every campaign email.',
  ),
  ...missing(
    !has.optOutLine,
    'account.optOutLine',
    'the account has no opt-out line. Give it the sentence that tells how to opt out.',
  ),
]
