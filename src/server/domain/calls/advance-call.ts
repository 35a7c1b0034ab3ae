import { type App, inAccount } from '../../kernel/context.ts'
import { type Sql, toDatabaseError } from '../../kernel/db/database.ts'
import { AppError } from '../../kernel/errors.ts'
import { failpoint } from '../../kernel/failpoints.ts'
import {
  type CallEvent,
  CallPostponed,
  CallRefused,
  type CallTransfer,
  type DialRequest,
  type PlacedCall,
  type VoiceProvider,
} from '../../protocols/voice/provider.ts'
import { auditEngine } from '../accounts/audit-log.ts'
import { openProvider, type StoredVoice, voiceColumns } from '../assistants/voice-provider.ts'
import { UNCONFIRMED } from '../campaigns/unconfirmed.ts'
import { type GatedCall, lockNumbers, readCallFacts } from './call-facts.ts'
import type { ClaimedCall } from './claim-calls.ts'
import { mayCall } from './may-call.ts'
import { postpone, postponeSameCaller, requeue } from './postpone-call.ts'
import { closeCall, recordCallEvent } from './record-event.ts'
import { lockStepProspect } from './step-calls.ts'

/** Must stay well below the lease of a claim. */
const PROVIDER_TIMEOUT_MS = 15_000
/**
 * Polling slows down as a call ages, but a lost callback is noticed within a minute, even when a worker is killed
 * before polling and its lease has to expire first.
 */
const POLL_INTERVAL_MS = { min: 5_000, max: 20_000 }
/** A call that is still unknown to the provider after this time is closed as unconfirmed. */
const UNKNOWN_AFTER_MS = 5 * 60_000
/** Polling for an analysis ends after this time, before a second call to the same person is allowed. */
const NO_ANALYSIS_AFTER_MS = 2 * 60_000
/** No call lasts longer than this: by then, its end event must have been lost. */
const LOST_AFTER_MS = 6 * 3_600_000

/**
 * Advances a claimed call: places a queued call, or polls the provider about a call in progress. The intent to place a
 * call is committed before the provider is contacted, and a call is never placed twice: after a lost response or a
 * crash, the provider is asked for the state of the call instead.
 */
export async function advanceCall(app: App, claim: ClaimedCall, provider?: VoiceProvider): Promise<void> {
  await failpoint('call.claimed', claim.id)
  const inTransaction: InTransaction = work => inAccount(app.db.work, claim.accountId, work)
  const call = await inTransaction(tx => lockClaimed(tx, claim))
  if (!call) return
  const open = () => provider ?? openProvider(app, call.voice)
  if (call.status === 'queued') await placeCall(app, inTransaction, claim, open)
  else if (call.status === 'ended') await fetchAnalysis(app, inTransaction, claim, call, open)
  else await pollCall(app, inTransaction, claim, call, open)
}

type InTransaction = <T>(work: (tx: Sql) => Promise<T>) => Promise<T>

type Call = GatedCall & {
  status: 'queued' | 'dialing' | 'in_progress' | 'ended'
  placedAt: Date | null
  endedAt: Date | null
  providerCallId: string | null
  postponements: number
  voice: StoredVoice
  request: DialRequest
}

type OpenProvider = () => VoiceProvider

async function placeCall(
  app: App,
  inTransaction: InTransaction,
  claim: ClaimedCall,
  open: OpenProvider,
): Promise<void> {
  if (!(await inTransaction(tx => recordIntent(app, tx, claim)))) return
  await failpoint('call.intended', claim.id)
  // Checks again, because an opt-out may have been recorded before the intent was committed. Later opt-outs see that
  // this call is about to be placed.
  const call = await inTransaction(tx => findAllowed(app, tx, claim))
  if (!call) return
  await failpoint('call.allowed', claim.id)
  const now = app.now()
  try {
    const placed = await open().placeCall(call.request, now, AbortSignal.timeout(PROVIDER_TIMEOUT_MS))
    await failpoint('call.placed', claim.id)
    await inTransaction(tx =>
      release(tx, claim, placed.nextPollAt ?? getNextPollAt(now, now), placed.providerCallId),
    )
  } catch (error) {
    await inTransaction(tx => recordFailure(app, tx, claim, call, error, now))
  }
  await failpoint('call.recorded', claim.id)
}

/** Ends or requeues a call when the failure is certain; otherwise releases it to be polled. */
async function recordFailure(
  app: App,
  tx: Sql,
  claim: ClaimedCall,
  { postponements }: Call,
  error: unknown,
  now: Date,
): Promise<void> {
  if (error instanceof CallPostponed && (await requeue(tx, claim, { now, postponements, error }))) return
  if (error instanceof CallRefused || error instanceof CallPostponed || error instanceof AppError) {
    await closeCall(tx, claim.id, { outcome: 'failed', reason: error.message, endedAt: now })
    return
  }
  app.log.warn({ callId: claim.id, err: error }, 'the result of placing a call is unknown')
  await release(tx, claim, getNextPollAt(now, now))
}

const getNextPollAt = (now: Date, placedAt: Date): Date => {
  const { min, max } = POLL_INTERVAL_MS
  return new Date(now.getTime() + Math.min(max, Math.max(min, (now.getTime() - placedAt.getTime()) / 3)))
}

/** Records the intent to place the call. Returns false when the call must wait or was ended. */
async function recordIntent(app: App, tx: Sql, claim: ClaimedCall): Promise<boolean> {
  const call = await findAllowed(app, tx, claim)
  if (call?.status !== 'queued') return false
  await tx`
    update calls c
       set status = 'dialing', placed_at = ${app.now()}, held_by = null, updated_at = now(),
           provider = (select a.provider from assistants a where a.account_id = c.account_id and a.id = c.assistant_id)
     where account_id = ${claim.accountId} and id = ${claim.id}`
  await auditEngine(tx, 'place', 'call', claim.id)
  return true
}

/**
 * Returns the claimed call if it may be placed; otherwise postpones or ends it. A call already marked as dialing is
 * postponed only by a pause of all sending.
 */
async function findAllowed(app: App, tx: Sql, claim: ClaimedCall): Promise<Call | undefined> {
  await lockStepProspect(tx, claim.id)
  const call = await lockClaimed(tx, claim)
  if (!call || call.status === 'ended') return undefined
  if (call.status === 'queued') await lockNumbers(tx, claim, call)
  const now = app.now()
  const facts = await readCallFacts(app, tx, claim, call, now)
  const decision = mayCall(facts, now)
  if (decision.kind === 'refuse') {
    await closeCall(tx, claim.id, { outcome: 'refused', ...decision, endedAt: now })
    return undefined
  }
  if (decision.kind === 'withdraw') {
    await closeCall(tx, claim.id, { outcome: 'withdrawn', ...decision, endedAt: now })
    return undefined
  }
  if (decision.kind === 'call') return call
  // Once the intent is recorded, only a pause of all sending postpones the call.
  if (call.status !== 'queued' && decision.reason !== 'sending_paused') return call
  await postpone(tx, claim, decision)
  // Uses the reset time of the cap instead of `decision.until`, which depends on this callee's calling hours.
  if (decision.reason === 'daily_cap') await postponeSameCaller(tx, claim, facts.callerCapResetsAt!)
  return undefined
}

async function pollCall(
  app: App,
  inTransaction: InTransaction,
  claim: ClaimedCall,
  call: Call,
  open: OpenProvider,
): Promise<void> {
  const now = app.now()
  const nextPollAt = getNextPollAt(now, call.placedAt!)
  const report = await fetchReport(app, open, claim, call, now)
  const known = report === 'unreachable' ? undefined : report
  // Late events are recorded first, because closing the call below does not change a call that has ended.
  await recordAll(app, claim, known?.events ?? [])
  const age = now.getTime() - call.placedAt!.getTime()
  if (age > (report === undefined ? UNKNOWN_AFTER_MS : LOST_AFTER_MS)) {
    await inTransaction(tx =>
      closeCall(tx, claim.id, { outcome: 'failed', reason: UNCONFIRMED, endedAt: now }),
    )
  } else {
    await inTransaction(tx => release(tx, claim, known?.nextPollAt ?? nextPollAt, known?.providerCallId))
  }
}

/** Polls an ended call for its summary and a possible opt-out. Some providers supply no analysis. */
async function fetchAnalysis(
  app: App,
  inTransaction: InTransaction,
  claim: ClaimedCall,
  call: Call,
  open: OpenProvider,
): Promise<void> {
  const now = app.now()
  const report = await fetchReport(app, open, claim, call, now)
  if (report && report !== 'unreachable') await recordAll(app, claim, report.events)
  const age = now.getTime() - call.endedAt!.getTime()
  const isLast = age > (report === 'unreachable' ? LOST_AFTER_MS : NO_ANALYSIS_AFTER_MS)
  const nextPollAt = new Date(now.getTime() + Math.max(age, POLL_INTERVAL_MS.max))
  await inTransaction(tx => release(tx, claim, isLast ? null : nextPollAt))
}

/** Records events. Logs an event that can never be stored instead of failing, so that the call can still be closed. */
async function recordAll(app: App, claim: ClaimedCall, events: readonly CallEvent[]): Promise<void> {
  for (const event of events) {
    try {
      await recordCallEvent(app, claim.accountId, claim.id, event)
    } catch (error) {
      if (toDatabaseError(error)) throw error
      app.log.error({ callId: claim.id, err: error }, 'a call event could not be stored')
    }
  }
}

async function fetchReport(app: App, open: OpenProvider, claim: ClaimedCall, call: Call, now: Date) {
  const { request, placedAt, providerCallId } = call
  const placed: PlacedCall = {
    ...request,
    placedAt: placedAt!,
    providerCallId: providerCallId ?? undefined,
  }
  try {
    return await open().findCall(placed, now, AbortSignal.timeout(PROVIDER_TIMEOUT_MS))
  } catch (error) {
    app.log.warn({ callId: claim.id, err: error }, 'polling a call failed')
    return 'unreachable'
  }
}

type Script = Pick<
  DialRequest,
  'assistantName' | 'disclosure' | 'firstMessage' | 'voicemailMessage' | 'maxDurationSeconds'
>

/** Locks and returns the call; undefined when the claim was lost or the call is finished. */
async function lockClaimed(tx: Sql, claim: ClaimedCall): Promise<Call | undefined> {
  // A step's call uses the person's current time zone; other calls keep the one they were requested with.
  const timezone = tx`case when c.step_id is null then c.person_timezone else v.timezone end`
  const [row] = await tx<
    (Omit<Call, 'request' | 'voice'> &
      StoredVoice & {
        personName: string | null
        person: Record<string, string>
        data: unknown
        callTransfer: CallTransfer | null
        script: Script
      })[]
  >`
    select c.status, c.from_number as "from", c.to_number as "to", c.person_name as "personName",
           ${timezone} as timezone, c.placed_at as "placedAt", c.ended_at as "endedAt", c.data,
           c.provider_call_id as "providerCallId", c.postponements, ${voiceColumns(tx)},
           coalesce(c.call_transfer, jsonb_build_object('phoneNumber', a.transfer_number)) as "callTransfer",
           json_strip_nulls(json_build_object(
             'assistantName', a.name,
             'disclosure', a.disclosure,
             'firstMessage', a.first_message,
             'voicemailMessage', a.voicemail_message,
             'maxDurationSeconds', a.max_duration_seconds)) as script,
           json_strip_nulls(json_build_object(
             'firstName', v.first_name,
             'lastName', v.last_name,
             'email', coalesce(c.person_email, v.email),
             'title', v.title,
             'company', (select name from companies x where x.account_id = v.account_id and x.id = v.company_id),
             'city', v.city,
             'timezone', ${timezone})) as person,
           array_remove(array[c.person_email, p.email], null) as emails, p.linkedin_url as "linkedinUrl",
           p.phone, p.id as "personId", c.step_id is not null as "isStep"
      from calls c
      join assistants a on a.account_id = c.account_id and a.id = c.assistant_id
      left join prospects r on r.account_id = c.account_id and r.id = c.prospect_id
      -- p is checked for opt-outs, v fills the variables. Without a prospect, v is null, because the call may have been
      -- matched to p by a number that p shares with the callee.
      left join persons p on p.account_id = c.account_id and p.id = coalesce(r.person_id, c.person_id)
      left join persons v on v.account_id = r.account_id and v.id = r.person_id
     where c.account_id = ${claim.accountId} and c.id = ${claim.id} and c.epoch = ${claim.epoch}
       and c.due_at is not null
       for update of c`
  if (!row) return undefined
  const { personName, person, data, callTransfer, script, ...call } = row
  const request: DialRequest = {
    ...script,
    callId: claim.id,
    from: call.from,
    to: call.to,
    personName: personName ?? undefined,
    person,
    data: data ?? undefined,
    callTransfer: callTransfer?.phoneNumber ? callTransfer : undefined,
  }
  const { accountId, id, provider, settings, apiKey, callbackSecret } = row
  return { ...call, request, voice: { accountId, id, provider, settings, apiKey, callbackSecret } }
}

/**
 * Releases the call until `dueAt`; null when nothing is left to do. A call that finished in the meantime is unchanged.
 */
const release = (tx: Sql, claim: ClaimedCall, dueAt: Date | null, providerCallId: string | null = null) => tx`
  update calls
     set due_at = ${dueAt}, lease_until = null, provider_call_id = coalesce(${providerCallId}, provider_call_id)
   where account_id = ${claim.accountId} and id = ${claim.id} and epoch = ${claim.epoch} and due_at is not null`
