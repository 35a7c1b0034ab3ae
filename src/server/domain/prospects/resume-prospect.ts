import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { conflict } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { audit } from '../accounts/audit-log.ts'
import { forbidAppTriggeredCalls } from '../campaigns/forbid-app-triggered-calls.ts'
import { nextStep } from '../campaigns/next-step.ts'
import { findOptOut } from '../people/opt-outs/find-opt-outs.ts'
import { completeCampaign } from './complete-campaign.ts'
import { getProspect } from './get-prospect.ts'
import { lockProspect } from './lock-prospect.ts'

/**
 * A step whose email went to addresses that do not exist, or is in flight; `isDone` if a mail server had accepted it at
 * first.
 */
export type BouncedStep = { stepId: string; emails: string[]; isDone: boolean; isInFlight: boolean }

/** Functions of the outbox; `handlers.ts` passes them in. */
type ResumeEffects = {
  /** Returns the bounced steps and those in flight, and locks their sends. */
  lockBouncedSteps: (tx: Sql, prospectId: string) => Promise<BouncedStep[]>
  /** Lets those steps be sent once more. */
  releaseBouncedSteps: (tx: Sql, prospectId: string) => Promise<void>
}

/**
 * Resumes a paused prospect; a step that became due in the meantime is due at once. A bounced prospect continues with the
 * step that bounced, once their address is corrected.
 */
export async function resumeProspect(
  ctx: Context,
  { prospectId }: Input<'resumeProspect'>,
  { lockBouncedSteps, releaseBouncedSteps }: ResumeEffects,
): Promise<Json<Output<'resumeProspect'>>> {
  const bounced = await lockBouncedSteps(ctx.sql, prospectId)
  const { status, campaignId, ...contact } = await lockProspect(ctx, prospectId)
  await forbidAppTriggeredCalls(ctx, campaignId)
  if (status !== 'paused' && status !== 'bounced')
    throw conflict(`A prospect that is ${status} cannot be resumed; only paused and bounced prospects can.`)
  // A bounce may be reported before the send is recorded, which counts the step as done.
  if (status === 'bounced' && bounced.some(({ isInFlight }) => isInFlight))
    throw conflict('An email to this person is being sent. Try again in a minute.')
  const { email } = contact
  if (status === 'bounced' && (!email || bounced.some(({ emails }) => emails.includes(email))))
    throw conflict(
      `${email ? `Emails to ${email} bounced` : 'The person has no email address'}. Correct the address of the person, then resume the prospect.`,
    )
  const blocker = await findOptOut(ctx, { ...contact, emails: email ? [email] : [] })
  if (blocker) throw conflict(`This person is on the Do Not Contact list (${blocker.value}).`)
  if (status === 'paused') await resumePaused(ctx, prospectId)
  else {
    await releaseBouncedSteps(ctx.sql, prospectId)
    await resumeBounced(ctx, prospectId, bounced)
  }
  await completeCampaign(ctx.sql, campaignId)
  await audit(ctx, 'resume', 'prospect', prospectId)
  return getProspect(ctx, { prospectId })
}

/** The step in flight when it was paused may have been the last one and may be done by now. */
const resumePaused = ({ sql, accountId }: Context, prospectId: string) => sql`
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
   where account_id = ${accountId} and id = ${prospectId}`

/** Makes the prospect due. The delay before a bounced step has passed already. */
async function resumeBounced(
  { sql, accountId, app }: Context,
  prospectId: string,
  bounced: readonly BouncedStep[],
): Promise<void> {
  const stepIds = bounced.map(({ stepId }) => stepId)
  const undone = bounced.filter(({ isDone }) => isDone).length
  const { count } = await sql`
    update prospects p
       set status = case when p.rep_id is null then 'pending' else 'active' end, status_reason = null,
           steps_done = p.steps_done - ${undone}, next_step_at = ${app.now()}, lease_until = null, updated_at = now(),
           waits_since = case when st.id = any(${stepIds}::uuid[]) then p.created_at else p.waits_since end
      from prospects r cross join lateral (${nextStep(sql)}) st
     where p.account_id = ${accountId} and p.id = ${prospectId} and r.account_id = p.account_id and r.id = p.id`
  if (count === 0) throw conflict('The campaign has no further step for this prospect.')
}
