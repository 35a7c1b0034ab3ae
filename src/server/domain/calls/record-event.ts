import { id } from '../../../contract/page.ts'
import { type App, inAccount } from '../../kernel/context.ts'
import { retryOnDeadlock, type Sql } from '../../kernel/db/database.ts'
import { failpoint } from '../../kernel/failpoints.ts'
import type { CallEvent } from '../../protocols/voice/provider.ts'
import { asksToStopCalling } from '../../protocols/voice/stop-calling-request.ts'
import { auditEngine } from '../accounts/audit-log.ts'
import { UNCONFIRMED } from '../campaigns/unconfirmed.ts'
import { recordOwnOptOut } from '../dnc/own-opt-out.ts'
import { lockStepProspect, settleStep } from './step-calls.ts'

type EndOfCall = Extract<CallEvent, { type: 'end-of-call' }>

/** Providers analyze a call within seconds of its end and tell of that by another callback, which may get lost. */
const ANALYZED_WITHIN_MS = 20_000

/**
 * What a provider tells, by callback or when asked. Events may come twice, late and in any order: a call only moves
 * forward, and the first end stands. What is told of an unknown call is dropped. A conversation that ended without its
 * analysis stays due, for that to be asked for.
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
        if (wantsNoCalls(event)) await optOutCalled(tx, accountId, callId)
        if (ended) await settleStep(tx, callId, { ...ended, now: app.now() })
        await failpoint('call.ended', callId)
        // That it dials was already written down before the provider was asked.
      } else if (event.status === 'in_progress') await recordStart(tx, callId, event.happenedAt)
    }),
  )
}

const recordStart = (tx: Sql, callId: string, startedAt: Date) => tx`
  update calls
     set status = 'in_progress', started_at = ${startedAt}, updated_at = now()
   where account_id = current_account_id() and id = ${callId} and status = 'dialing'`

/**
 * The first end stands, but for a call that was given up as unconfirmed: that one takes the truth when it comes after
 * all. What is told later, as a summary may be, fills what is still empty.
 */
async function recordEnd(
  tx: Sql,
  callId: string,
  event: EndOfCall,
  now: Date,
): Promise<{ isLate: boolean } | undefined> {
  const { transcript, extractedData, cost } = event
  const askAgainAt =
    event.outcome === 'answered' && !isAnalyzed(event) ? new Date(now.getTime() + ANALYZED_WITHIN_MS) : null
  const [ended] = await tx<{ isLate: boolean }[]>`
    update calls c
       set status           = 'ended',
           outcome          = ${event.outcome},
           outcome_reason   = ${event.reason ?? null},
           started_at       = coalesce(${event.startedAt ?? null}, c.started_at),
           ended_at         = ${event.endedAt},
           duration_seconds = ${event.durationSeconds ?? null},
           end_reason       = ${event.endReason ?? null},
           due_at = ${askAgainAt}, lease_until = null, updated_at = now()
      from (select account_id, id, status = 'ended' as is_late
              from calls
             where account_id = current_account_id() and id = ${callId}
               and (status in ('dialing', 'in_progress') or outcome_reason = ${UNCONFIRMED})
               for update) before
     where c.account_id = before.account_id and c.id = before.id
    returning before.is_late as "isLate"`
  await tx`
    update calls c
       set summary        = coalesce(c.summary, told.summary),
           transcript     = coalesce(c.transcript, told.transcript),
           recording_url  = coalesce(c.recording_url, told.recording_url),
           extracted_data = coalesce(c.extracted_data, told.extracted_data),
           cost_amount    = coalesce(c.cost_amount, told.cost_amount),
           cost_currency  = coalesce(c.cost_currency, told.cost_currency),
           due_at         = case when ${isAnalyzed(event)} then null else c.due_at end,
           updated_at     = now()
      from (select ${event.summary ?? null}::text as summary,
                   ${transcript ? tx.json(transcript) : null}::jsonb as transcript,
                   ${event.recordingUrl ?? null}::text as recording_url,
                   ${extractedData ? tx.json(extractedData) : null}::jsonb as extracted_data,
                   ${cost?.amount ?? null}::numeric as cost_amount,
                   ${cost?.currency ?? null}::text as cost_currency) told
     where c.account_id = current_account_id() and c.id = ${callId} and c.status = 'ended'
       and c.placed_at is not null
       and (c.summary is null and told.summary is not null
            or c.transcript is null and told.transcript is not null
            or c.recording_url is null and told.recording_url is not null
            or c.extracted_data is null and told.extracted_data is not null
            or c.cost_amount is null and told.cost_amount is not null)`
  if (ended) await auditEngine(tx, 'end', 'call', callId)
  return ended
}

/** Whether what the provider's analysis found is told of, and with it whether somebody wants no more calls. */
const isAnalyzed = ({ summary, extractedData }: Pick<EndOfCall, 'summary' | 'extractedData'>): boolean =>
  summary !== undefined || extractedData !== undefined

const wantsNoCalls = ({ isOptOut, transcript = [] }: EndOfCall): boolean =>
  isOptOut === true || transcript.some(({ role, text }) => role === 'person' && asksToStopCalling(text))

/** Whoever says so in a call is on the list with their number before anybody is told of the call's end. */
async function optOutCalled(tx: Sql, accountId: string, callId: string): Promise<void> {
  const [call] = await tx<{ phone: string }[]>`
    select case call_type when 'inbound' then from_number else to_number end as phone
      from calls
     where account_id = current_account_id() and id = ${callId} and call_type <> 'web' and status <> 'queued'`
  if (call) await recordOwnOptOut({ sql: tx, accountId, actor: 'call' }, { source: 'call', callId, ...call })
}

/** Ends a call that the provider did not end: it was never placed, or nobody knows. */
export async function closeCall(
  tx: Sql,
  callId: string,
  end: { outcome: 'failed' | 'refused' | 'withdrawn'; reason: string; advice?: string; endedAt: Date },
): Promise<void> {
  await lockStepProspect(tx, callId)
  const closed = await tx`
    update calls
       set status = 'ended', outcome = ${end.outcome}, outcome_reason = ${end.reason.slice(0, 500)},
           outcome_advice = ${end.advice ?? null}, ended_at = ${end.endedAt}, due_at = null, lease_until = null, updated_at = now()
     where account_id = current_account_id() and id = ${callId} and status <> 'ended'`
  if (closed.count === 0) return
  await auditEngine(
    tx,
    { failed: 'end', refused: 'refuse', withdrawn: 'withdraw' }[end.outcome],
    'call',
    callId,
  )
  await settleStep(tx, callId, { now: end.endedAt })
}
