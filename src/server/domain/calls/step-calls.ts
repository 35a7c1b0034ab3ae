import type { App } from '../../kernel/context.ts'
import { currentAccount, type Sql } from '../../kernel/db/database.ts'
import { isRetried } from '../campaigns/next-step.ts'
import { matchesFilter, type StepFilter } from '../campaigns/step-filter.ts'
import { UNCONFIRMED } from '../campaigns/unconfirmed.ts'
import { stopColleagues } from '../outbox/stop-colleagues.ts'
import { finishSteps, retryStep, revertStep, stopProspect } from '../prospects/advance-prospects.ts'
import { completeCampaign } from '../prospects/complete-campaign.ts'
import { clockColumns } from '../prospects/due-time.ts'
import type { Hold } from '../prospects/hold.ts'
import { markReplied } from '../prospects/in-touch.ts'
import { inboxSyncedAt } from '../prospects/inbox-freshness.ts'
import { findPlannedHold, type PlannedStepFacts } from '../prospects/planned-hold.ts'

/**
 * Locks the prospect before its call, in the same order as stopping a prospect, which withdraws its calls. Calls
 * outside a sequence take no lock.
 */
export const lockStepProspect = (tx: Sql, callId: string) => tx`
  select from prospects
   where account_id = ${currentAccount(tx)}
     and id = (select prospect_id from calls
                where account_id = ${currentAccount(tx)} and id = ${callId} and step_id is not null)
     for update`

/** Returns why the call’s campaign step is on hold at the time of dialing; undefined when it isn’t. */
export async function findStepHold(app: App, tx: Sql, callId: string, now: Date): Promise<Hold | undefined> {
  const [facts] = await tx<(PlannedStepFacts & { isRemoved: boolean; hasNewNumber: boolean })[]>`
    select st.removed_at is not null as "isRemoved", p.phone is distinct from k.to_number as "hasNewNumber",
           r.status as "prospectStatus", c.status as "campaignStatus",
           ${clockColumns(tx)}, ${inboxSyncedAt(tx)} as "inboxSyncedAt"
      from calls k
      join prospects r on r.account_id = k.account_id and r.id = k.prospect_id
      join campaigns c on c.account_id = k.account_id and c.id = k.campaign_id
      join campaign_steps st on st.account_id = k.account_id and st.id = k.step_id
      join persons p on p.account_id = r.account_id and p.id = r.person_id
      join accounts a on a.id = k.account_id
     where k.account_id = ${currentAccount(tx)} and k.id = ${callId}`
  // A worker had claimed the call when the other calls of its step were withdrawn.
  if (facts?.isRemoved) return { reason: 'steps_changed' }
  if (facts?.hasNewNumber) return { reason: 'number_changed' }
  return facts && findPlannedHold(app, facts, now)
}

/**
 * Makes queued step calls due if they were waiting for the schedule or for calling hours. Call this when the schedule
 * or the calling hours have changed.
 */
export const expediteCalls = (tx: Sql, filter: StepFilter, now: Date) => tx`
  update calls k
     set held_by = null, not_before = null, due_at = ${now}, updated_at = now()
   where account_id = ${currentAccount(tx)} and ${matchesFilter(tx, tx`k`, filter)} and step_id is not null
     and status = 'queued' and held_by in ('window', 'calling_hours') and lease_until is null`

/** Withdraws the queued calls of a campaign and returns their prospects’ IDs. */
export async function withdrawCalls(
  tx: Sql,
  campaignId: string,
  reason: string,
  now: Date,
): Promise<string[]> {
  const waiting = tx`
    account_id = ${currentAccount(tx)} and campaign_id = ${campaignId} and status = 'queued'`
  await tx`
    select from prospects
     where account_id = ${currentAccount(tx)} and id in (select prospect_id from calls where ${waiting})
     order by id
       for update`
  const rows = await tx<{ prospectId: string }[]>`
    update calls
       set status = 'ended', outcome = 'withdrawn', outcome_reason = ${reason}, ended_at = ${now}, held_by = null,
           due_at = null, lease_until = null, updated_at = now()
     where ${waiting}
    returning prospect_id as "prospectId"`
  return rows.map(({ prospectId }) => prospectId)
}

type EndedCall = {
  prospectId: string
  campaignId: string
  outcome: string
  reason: string | null
  onAnswered: string
  isRetried: boolean
}

/**
 * Applies the end of a call to its sequence. Runs in the transaction that ends the call, with the prospect locked.
 * `wasUnconfirmed`: the call was already closed as unconfirmed, so the sequence has moved on.
 */
export async function resolveStep(
  tx: Sql,
  callId: string,
  { now, wasUnconfirmed = false }: { now: Date; wasUnconfirmed?: boolean },
): Promise<void> {
  const [call] = await tx<EndedCall[]>`
    select k.prospect_id as "prospectId", k.campaign_id as "campaignId", k.outcome, k.outcome_reason as reason,
           k.on_answered as "onAnswered", ${isRetried(tx)} as "isRetried"
      from calls k
      join campaign_steps received on received.account_id = k.account_id and received.id = k.step_id
     where k.account_id = ${currentAccount(tx)} and k.id = ${callId}`
  if (!call) return
  const { prospectId, campaignId, outcome, reason } = call
  if (outcome === 'answered' && call.onAnswered === 'stop') {
    await markReplied(tx, prospectId, 'answered_call')
    await stopColleagues(tx, [prospectId], now)
  } else if (wasUnconfirmed) return
  else if (reason === 'do_not_contact') await stopProspect(tx, prospectId, 'paused', reason, now)
  else if (outcome === 'withdrawn') await revertStep(tx, prospectId, now)
  else if (call.isRetried) {
    if (!(await retryStep(tx, prospectId, now))) await finishSteps(tx, [prospectId], now)
  } else if (outcome === 'failed' && reason === UNCONFIRMED)
    // It is unknown whether anybody answered, so a user decides how to continue.
    await stopProspect(tx, prospectId, 'paused', 'call_unconfirmed', now)
  else await finishSteps(tx, [prospectId], now, outcome === 'refused' ? `call_refused: ${reason}` : null)
  await completeCampaign(tx, campaignId)
}
