import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { pipeline, type Sql } from '../../kernel/db/database.ts'
import { conflict } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import type { OptOutIdentifier } from '../../protocols/identity/opt-out-identifier.ts'
import { audit } from '../accounts/audit-log.ts'
import { forbidAppTriggeredCalls } from '../campaigns/forbid-app-triggered-calls.ts'
import { nextStep } from '../campaigns/next-step.ts'
import { findOptOutForEach } from '../people/opt-outs/find-opt-outs.ts'
import { completeCampaign } from './complete-campaign.ts'
import { getProspect } from './get-prospect.ts'
import { lockProspects } from './incomplete.ts'
import { readSelectedProspects, type SelectedProspect, selectProspectIds } from './selected-prospects.ts'
import { checkExpectedPeople, listCampaignIds } from './stop-prospects.ts'

type Result = Output<'resumeProspects'>['data'][number]

/**
 * A step whose email bounced permanently or is in flight; `isDone` is true if a mail server had accepted the email
 * before it bounced.
 */
export type BouncedStep = {
  prospectId: string
  stepId: string
  emails: string[]
  isDone: boolean
  isInFlight: boolean
}

/** Functions of the outbox; `handlers.ts` passes them in. */
type ResumeEffects = {
  /** Returns the bounced steps and those in flight, and locks their sends. */
  lockBouncedSteps: (tx: Sql, prospectIds: readonly string[]) => Promise<BouncedStep[]>
  /** Allows those steps to be sent once more. */
  releaseBouncedSteps: (tx: Sql, prospectIds: readonly string[]) => Promise<void>
}

/** Resumes a prospect. Throws NotFound, or a conflict with the reason if that is impossible. */
export async function resumeProspect(
  ctx: Context,
  { prospectId }: Input<'resumeProspect'>,
  effects: ResumeEffects,
): Promise<Json<Output<'resumeProspect'>>> {
  await getProspect(ctx, { prospectId })
  const [result] = await resume(ctx, [prospectId], effects)
  if (result!.reason) throw conflict(result!.reason)
  return getProspect(ctx, { prospectId })
}

/** Resumes these prospects, or the paused ones at a company. Those that cannot be resumed stay unchanged. */
export async function resumeProspects(
  ctx: Context,
  { expectedPeople, ...selection }: Input<'resumeProspects'>,
  effects: ResumeEffects,
): Promise<Output<'resumeProspects'>> {
  const prospectIds = await selectProspectIds(ctx, selection, ctx.sql`r.status = 'paused'`)
  const data = await resume(ctx, prospectIds, effects)
  const resumed = data.filter(({ outcome }) => outcome === 'resumed')
  checkExpectedPeople(expectedPeople, resumed, 'resumed')
  return { data, total: data.length, resumed: resumed.length, skipped: data.length - resumed.length }
}

/**
 * Resumes paused prospects; a step that became due in the meantime is due immediately. A bounced prospect continues
 * with the step that bounced, once the person's address is corrected.
 */
async function resume(
  ctx: Context,
  prospectIds: readonly string[],
  { lockBouncedSteps, releaseBouncedSteps }: ResumeEffects,
): Promise<Result[]> {
  const { sql } = ctx
  const steps = Map.groupBy(await lockBouncedSteps(sql, prospectIds), ({ prospectId }) => prospectId)
  await lockProspects(sql, prospectIds)
  const selected = await readSelectedProspects(ctx, prospectIds)
  const campaignIds = listCampaignIds(selected)
  for (const campaignId of campaignIds) await forbidAppTriggeredCalls(ctx, campaignId)
  const blockers = await findOptOutForEach(
    ctx,
    selected.map(({ email, ...contact }) => ({ ...contact, emails: email ? [email] : [] })),
  )
  const refusals = new Map(
    selected.map((prospect, index) => [
      prospect.id,
      findRefusal(prospect, steps.get(prospect.id) ?? [], blockers[index]),
    ]),
  )
  const listResumable = (...statuses: string[]) =>
    selected.filter(({ id, status }) => statuses.includes(status) && !refusals.get(id)).map(({ id }) => id)
  await resumePaused(ctx, listResumable('paused'))
  for (const id of listResumable('bounced')) {
    const isResumed = await resumeBounced(ctx, id, steps.get(id) ?? [])
    if (!isResumed) refusals.set(id, refuse('The campaign has no further step for this prospect.'))
  }
  const bounced = listResumable('bounced')
  if (bounced.length > 0) await releaseBouncedSteps(sql, bounced)
  for (const campaignId of campaignIds) await completeCampaign(sql, campaignId)
  const resumed = listResumable('paused', 'bounced')
  if (resumed.length > 0) await pipeline(...resumed.map(id => audit(ctx, 'resume', 'prospect', id)))
  return selected.map(({ id, personId }) => ({
    ...{ prospectId: id, personId },
    ...(refusals.get(id) ?? { outcome: 'resumed' }),
  }))
}

type Refusal = Pick<Result, 'outcome' | 'reason'>

const refuse = (reason: string): Refusal => ({ outcome: 'not_resumable', reason })

/** Returns why a prospect cannot be resumed; undefined if it can. */
function findRefusal(
  { status, isDuplicate, email }: SelectedProspect,
  steps: readonly BouncedStep[],
  blocker: OptOutIdentifier | undefined,
): Refusal | undefined {
  if (status !== 'paused' && status !== 'bounced')
    return refuse(`A prospect that is ${status} cannot be resumed; only paused and bounced prospects can.`)
  if (isDuplicate)
    return refuse('This prospect was merged into the person’s other prospect in the campaign. Use that one.')
  // A bounce may be reported before the send is recorded, which counts the step as done.
  if (status === 'bounced' && steps.some(({ isInFlight }) => isInFlight))
    return refuse('An email to this person is being sent. Try again in a minute.')
  if (status === 'bounced' && (!email || steps.some(({ emails }) => emails.includes(email))))
    return refuse(
      `${email ? `Emails to ${email} bounced` : 'The person has no email address'}. Correct the address of the person, then resume the prospect.`,
    )
  return (
    blocker && {
      outcome: 'do_not_contact',
      reason: `This person is on the Do Not Contact list (${blocker.value}).`,
    }
  )
}

/** Resumes the prospects. Completes those whose last step was in flight when they were paused and is now done. */
const resumePaused = ({ sql, accountId }: Context, prospectIds: readonly string[]) => sql`
  update prospects r
     set status = case
                    when r.next_step_at is null and r.steps_done > 0
                         and not exists (select from email_sends e
                                          where e.account_id = r.account_id and e.prospect_id = r.id
                                            and e.state in ('queued', 'claimed', 'dot_pending'))
                         and not exists (select from tasks t
                                          where t.account_id = r.account_id and t.prospect_id = r.id and t.status = 'open'
                                            and t.step_id is not null)
                         and not exists (select from calls k
                                          where k.account_id = r.account_id and k.prospect_id = r.id
                                            and k.step_id is not null and k.status <> 'ended')
                      then 'completed'
                    when r.rep_id is not null then 'active'
                    else 'pending'
                  end,
         status_reason = null, updated_at = now()
   where account_id = ${accountId} and id = any(${[...prospectIds]}::uuid[])`

/**
 * Makes the prospect due, unless a task of its sequence is open; returns false if the campaign has no further step. The
 * delay before a bounced step has passed already.
 */
async function resumeBounced(
  { sql, accountId, app }: Context,
  prospectId: string,
  bounced: readonly BouncedStep[],
): Promise<boolean> {
  const stepIds = bounced.map(({ stepId }) => stepId)
  const doneCount = bounced.filter(({ isDone }) => isDone).length
  const step = nextStep(sql, sql`state not in ('refused', 'failed') and hard_bounced_at is null`)
  const { count } = await sql`
    update prospects p
       set status = case when p.rep_id is null then 'pending' else 'active' end, status_reason = null,
           steps_done = p.steps_done - ${doneCount}, lease_until = null, updated_at = now(),
           next_step_at = case when not exists (select from tasks t
                                                 where t.account_id = p.account_id and t.prospect_id = p.id
                                                   and t.status = 'open' and t.step_id is not null)
                            then ${app.now()}::timestamptz end,
           delay_starts_at = case when st.id = any(${stepIds}::uuid[]) then p.created_at else p.delay_starts_at end
      from prospects r cross join lateral (${step}) st
     where p.account_id = ${accountId} and p.id = ${prospectId} and r.account_id = p.account_id and r.id = p.id`
  return count > 0
}
