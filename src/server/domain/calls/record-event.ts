import { id } from '../../../contract/page.ts'
import { type App, inAccount } from '../../kernel/context.ts'
import { retryOnDeadlock, type Sql } from '../../kernel/db/database.ts'
import { failpoint } from '../../kernel/failpoints.ts'
import type { CallEvent } from '../../protocols/voice/provider.ts'
import { asksToStopCalling } from '../../protocols/voice/stop-calling-request.ts'
import { auditEngine } from '../accounts/audit-log.ts'
import { UNCONFIRMED } from '../campaigns/unconfirmed.ts'
import { type OptOutRequestContext, recordOptOutRequest } from '../dnc/record-opt-out-request.ts'
import { lockStepProspect, resolveStep } from './step-calls.ts'

type EndOfCall = Extract<CallEvent, { type: 'end-of-call' }>

/** Providers analyze a call within seconds of its end and send the analysis in another callback, which may get lost. */
const ANALYSIS_DELAY_MS = 20_000

/**
 * Records a provider’s event, from a callback or from polling. Events may be repeated, late and out of order: a call
 * only moves forward, and the first end wins. Events for unknown calls are dropped. An answered call that ended
 * without its analysis stays due, so that the engine polls for it.
 */
export async function recordCallEvent(
  app: App,
  accountId: string,
  callId: string,
  event: CallEvent,
): Promise<void> {
  if (![accountId, callId].every(text => id.safeParse(text).success)) return
  await retryOnDeadlock(() =>
    inAccount(app.db.app, accountId, async tx => {
      if (event.type === 'end-of-call') {
        await lockStepProspect(tx, callId)
        const ended = await recordEnd(tx, callId, event, app.now())
        if (isOptOutRequest(event)) await optOutCallee({ app, sql: tx, accountId }, callId)
        if (ended) await resolveStep(tx, callId, { ...ended, now: app.now() })
        await failpoint('call.ended', callId)
        // `dialing` was recorded before the provider was contacted.
      } else if (event.status === 'in_progress') await recordStart(tx, callId, event.happenedAt)
    }),
  )
}

const recordStart = (tx: Sql, callId: string, startedAt: Date) => tx`
  update calls
     set status = 'in_progress', started_at = ${startedAt}, updated_at = now()
   where account_id = current_account_id() and id = ${callId} and status = 'dialing'`

/**
 * Records the end of a call. The first end wins, except that a later, real end replaces an unconfirmed end.
 * Later events, such as a summary, only fill empty fields.
 */
async function recordEnd(
  tx: Sql,
  callId: string,
  event: EndOfCall,
  now: Date,
): Promise<{ wasUnconfirmed: boolean } | undefined> {
  const { transcript, extractedData, cost } = event
  const nextPollAt =
    event.outcome === 'answered' && !isAnalyzed(event) ? new Date(now.getTime() + ANALYSIS_DELAY_MS) : null
  const [ended] = await tx<{ wasUnconfirmed: boolean }[]>`
    update calls c
       set status           = 'ended',
           outcome          = ${event.outcome},
           outcome_reason   = ${event.reason ?? null},
           started_at       = coalesce(${event.startedAt ?? null}, c.started_at),
           ended_at         = ${event.endedAt},
           duration_seconds = ${event.durationSeconds ?? null},
           end_reason       = ${event.endReason ?? null},
           due_at = ${nextPollAt}, lease_until = null, updated_at = now()
      from (select account_id, id, status = 'ended' as was_unconfirmed
              from calls
             where account_id = current_account_id() and id = ${callId}
               and (status in ('dialing', 'in_progress') or outcome_reason = ${UNCONFIRMED})
               for update) before
     where c.account_id = before.account_id and c.id = before.id
    returning before.was_unconfirmed as "wasUnconfirmed"`
  await tx`
    update calls c
       set summary        = coalesce(c.summary, reported.summary),
           transcript     = coalesce(c.transcript, reported.transcript),
           recording_url  = coalesce(c.recording_url, reported.recording_url),
           extracted_data = coalesce(c.extracted_data, reported.extracted_data),
           cost_amount    = coalesce(c.cost_amount, reported.cost_amount),
           cost_currency  = coalesce(c.cost_currency, reported.cost_currency),
           due_at         = case when ${isAnalyzed(event)} then null else c.due_at end,
           updated_at     = now()
      from (select ${event.summary ?? null}::text as summary,
                   ${transcript ? tx.json(transcript) : null}::jsonb as transcript,
                   ${event.recordingUrl ?? null}::text as recording_url,
                   ${extractedData ? tx.json(extractedData) : null}::jsonb as extracted_data,
                   ${cost?.amount ?? null}::numeric as cost_amount,
                   ${cost?.currency ?? null}::text as cost_currency) reported
     where c.account_id = current_account_id() and c.id = ${callId} and c.status = 'ended'
       and c.placed_at is not null
       -- An erased call stays erased.
       and '' not in (c.from_number, c.to_number)
       and (c.summary is null and reported.summary is not null
            or c.transcript is null and reported.transcript is not null
            or c.recording_url is null and reported.recording_url is not null
            or c.extracted_data is null and reported.extracted_data is not null
            or c.cost_amount is null and reported.cost_amount is not null)`
  if (ended) await auditEngine(tx, 'end', 'call', callId)
  return ended
}

/** Reports whether the event carries the provider’s analysis, which includes a possible opt-out. */
const isAnalyzed = ({ summary, extractedData }: Pick<EndOfCall, 'summary' | 'extractedData'>): boolean =>
  summary !== undefined || extractedData !== undefined

const isOptOutRequest = ({ isOptOut, transcript = [] }: EndOfCall): boolean =>
  isOptOut === true || transcript.some(({ role, text }) => role === 'person' && asksToStopCalling(text))

/** Opts out the callee's number and the callee as a person, before the end of the call is visible. */
async function optOutCallee(ctx: OptOutRequestContext, callId: string): Promise<void> {
  const [call] = await ctx.sql<{ phone: string; email: string | null; personId: string | null }[]>`
    select case c.call_type when 'inbound' then c.from_number else c.to_number end as phone, c.person_email as email,
           -- Outside campaigns, another person may share the number.
           coalesce(r.person_id, (select id from persons
                                   where account_id = c.account_id and id = c.person_id and email = c.person_email)) as "personId"
      from calls c
      left join prospects r on r.account_id = c.account_id and r.id = c.prospect_id
     where c.account_id = current_account_id() and c.id = ${callId} and c.call_type <> 'web' and c.status <> 'queued'
       and '' not in (c.from_number, c.to_number)`
  if (!call) return
  const { email, ...callee } = call
  await recordOptOutRequest(
    { ...ctx, actor: 'call' },
    { source: 'call', callId, ...callee, emails: email ? [email] : [] },
  )
}

/**
 * Ends a call that the provider did not end: it was never placed, or its result is unknown. Only the latter keeps its
 * provider, so that reports don't count calls that reached nobody.
 */
export async function closeCall(
  tx: Sql,
  callId: string,
  end: { outcome: 'failed' | 'refused' | 'withdrawn'; reason: string; advice?: string; endedAt: Date },
): Promise<void> {
  await lockStepProspect(tx, callId)
  const closed = await tx`
    update calls
       set status = 'ended', outcome = ${end.outcome}, outcome_reason = ${end.reason.slice(0, 500)},
           outcome_advice = ${end.advice ?? null}, provider = case when ${end.reason === UNCONFIRMED} then provider end,
           ended_at = ${end.endedAt}, due_at = null, lease_until = null, updated_at = now()
     where account_id = current_account_id() and id = ${callId} and status <> 'ended'`
  if (closed.count === 0) return
  await auditEngine(
    tx,
    { failed: 'end', refused: 'refuse', withdrawn: 'withdraw' }[end.outcome],
    'call',
    callId,
  )
  await resolveStep(tx, callId, { now: end.endedAt })
}
