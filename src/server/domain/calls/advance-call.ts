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
import { postpone, postponeOthers, requeue } from './postpone-call.ts'
import { closeCall, recordCallEvent } from './record-event.ts'
import { lockStepProspect } from './step-calls.ts'

/** Well below a claim's lease. */
const PROVIDER_TIMEOUT_MS = 15_000
/**
 * A call is asked after later and later, yet soon enough that a lost callback is made up for within a minute, also when
 * whoever was about to ask is killed and its lease has to end first.
 */
const ASK_AGAIN_MS = { least: 5_000, most: 20_000 }
/** A provider that does not know a call by then never got it. */
const UNKNOWN_AFTER_MS = 5 * 60_000
/** Asked for twice as late each time; the second call of a person waits longer than that. */
const NO_ANALYSIS_AFTER_MS = 2 * 60_000
/** No call lasts longer; its end got lost. */
const LOST_AFTER_MS = 6 * 3_600_000

/**
 * Takes a claimed call one step further: a queued one is placed, one under way is asked after. That the provider is
 * going to be asked is committed first, and nothing is ever asked twice: after a lost answer or a crash the provider
 * is asked what became of the call instead.
 */
export async function advanceCall(app: App, claim: ClaimedCall, provider?: VoiceProvider): Promise<void> {
  await failpoint('call.claimed', claim.id)
  const within: Within = work => inAccount(app.db.work, claim.accountId, work)
  const call = await within(tx => lockClaimed(tx, claim))
  if (!call) return
  const open = () => provider ?? openProvider(app, call.voice)
  if (call.status === 'queued') await place(app, within, claim, open)
  else if (call.status === 'ended') await askForAnalysis(app, within, claim, call, open)
  else await follow(app, within, claim, call, open)
}

type Within = <T>(work: (tx: Sql) => Promise<T>) => Promise<T>

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

async function place(app: App, within: Within, claim: ClaimedCall, open: OpenProvider): Promise<void> {
  if (!(await within(tx => intend(app, tx, claim)))) return
  await failpoint('call.intended', claim.id)
  // Looked at again after the commit: whoever opts out from now on can see that this call is about to leave.
  const call = await within(tx => findAllowed(app, tx, claim))
  if (!call) return
  await failpoint('call.allowed', claim.id)
  const now = app.now()
  try {
    const placed = await open().placeCall(call.request, now, AbortSignal.timeout(PROVIDER_TIMEOUT_MS))
    await failpoint('call.placed', claim.id)
    await within(tx => release(tx, claim, placed.nextPollAt ?? askAgainAt(now, now), placed.providerCallId))
  } catch (fault) {
    await within(tx => recordRefusal(app, tx, claim, call, fault, now))
  }
  await failpoint('call.recorded', claim.id)
}

/** What is certain is written down at once; else the provider is asked what became of the call. */
async function recordRefusal(
  app: App,
  tx: Sql,
  claim: ClaimedCall,
  { postponements }: Call,
  fault: unknown,
  now: Date,
): Promise<void> {
  if (fault instanceof CallPostponed && (await requeue(tx, claim, { now, postponements, fault }))) return
  if (fault instanceof CallRefused || fault instanceof CallPostponed || fault instanceof AppError) {
    await closeCall(tx, claim.id, { outcome: 'failed', reason: fault.message, endedAt: now })
    return
  }
  app.log.warn({ callId: claim.id, err: fault }, 'placing a call had no clear answer')
  await release(tx, claim, askAgainAt(now, now))
}

const askAgainAt = (now: Date, placedAt: Date): Date => {
  const { least, most } = ASK_AGAIN_MS
  return new Date(now.getTime() + Math.min(most, Math.max(least, (now.getTime() - placedAt.getTime()) / 3)))
}

/** Writes down that the provider is going to be asked, unless the call must wait or must not be. */
async function intend(app: App, tx: Sql, claim: ClaimedCall): Promise<boolean> {
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

/** The claimed call when it may be placed; else it waits, or ends here. One that was let go can only be stopped. */
async function findAllowed(app: App, tx: Sql, claim: ClaimedCall): Promise<Call | undefined> {
  await lockStepProspect(tx, claim.id)
  const call = await lockClaimed(tx, claim)
  if (!call || call.status === 'ended') return undefined
  if (call.status === 'queued') await lockNumbers(tx, claim, call)
  const now = app.now()
  const decision = mayCall(await readCallFacts(app, tx, claim, call, now), now)
  if (decision.kind === 'refuse') {
    await closeCall(tx, claim.id, { outcome: 'refused', ...decision, endedAt: now })
    return undefined
  }
  if (decision.kind === 'withdraw') {
    await closeCall(tx, claim.id, { outcome: 'withdrawn', ...decision, endedAt: now })
    return undefined
  }
  if (decision.kind === 'call' || call.status !== 'queued') return call
  await postpone(tx, claim, decision)
  if (decision.reason === 'daily_cap') await postponeOthers(tx, claim, decision.until)
  return undefined
}

async function follow(
  app: App,
  within: Within,
  claim: ClaimedCall,
  call: Call,
  open: OpenProvider,
): Promise<void> {
  const now = app.now()
  const later = askAgainAt(now, call.placedAt!)
  const report = await ask(app, open, claim, call, now)
  const told = report === 'unreachable' ? undefined : report
  // However late it comes, and before the call is given up, which changes nothing of one that has ended.
  await recordAll(app, claim, told?.events ?? [])
  const age = now.getTime() - call.placedAt!.getTime()
  if (age > (report === undefined ? UNKNOWN_AFTER_MS : LOST_AFTER_MS)) {
    await within(tx => closeCall(tx, claim.id, { outcome: 'failed', reason: UNCONFIRMED, endedAt: now }))
  } else {
    await within(tx => release(tx, claim, told?.nextPollAt ?? later, told?.providerCallId))
  }
}

/** Of a call whose end is known: its summary, and whether somebody wants no more of them. Some providers have none. */
async function askForAnalysis(
  app: App,
  within: Within,
  claim: ClaimedCall,
  call: Call,
  open: OpenProvider,
): Promise<void> {
  const now = app.now()
  const report = await ask(app, open, claim, call, now)
  if (report && report !== 'unreachable') await recordAll(app, claim, report.events)
  const age = now.getTime() - call.endedAt!.getTime()
  const isLast = age > (report === 'unreachable' ? LOST_AFTER_MS : NO_ANALYSIS_AFTER_MS)
  const later = new Date(now.getTime() + Math.max(age, ASK_AGAIN_MS.most))
  await within(tx => release(tx, claim, isLast ? null : later))
}

/** What can never be stored doesn't keep the call from being given up in the end. */
async function recordAll(app: App, claim: ClaimedCall, events: readonly CallEvent[]): Promise<void> {
  for (const event of events) {
    try {
      await recordCallEvent(app, claim.accountId, claim.id, event)
    } catch (fault) {
      if (toDatabaseError(fault)) throw fault
      app.log.error({ callId: claim.id, err: fault }, 'what a provider told of a call was not stored')
    }
  }
}

async function ask(app: App, open: OpenProvider, claim: ClaimedCall, call: Call, now: Date) {
  const { request, placedAt, providerCallId } = call
  const placed: PlacedCall = {
    ...request,
    placedAt: placedAt!,
    providerCallId: providerCallId ?? undefined,
  }
  try {
    return await open().findCall(placed, now, AbortSignal.timeout(PROVIDER_TIMEOUT_MS))
  } catch (fault) {
    app.log.warn({ callId: claim.id, err: fault }, 'asking after a call failed')
    return 'unreachable'
  }
}

type Spoken = Pick<
  DialRequest,
  'assistantName' | 'disclosure' | 'firstMessage' | 'voicemailMessage' | 'maxDurationSeconds'
>

/** The call as long as the claim holds and there is something left to do. */
async function lockClaimed(tx: Sql, claim: ClaimedCall): Promise<Call | undefined> {
  const [row] = await tx<
    (Omit<Call, 'request' | 'voice'> &
      StoredVoice & {
        personName: string | null
        person: Record<string, string>
        data: unknown
        callTransfer: CallTransfer | null
        spoken: Spoken
      })[]
  >`
    select c.status, c.from_number as "from", c.to_number as "to", c.person_name as "personName",
           c.person_timezone as timezone, c.placed_at as "placedAt", c.ended_at as "endedAt", c.data,
           c.provider_call_id as "providerCallId", c.postponements, ${voiceColumns(tx)},
           coalesce(c.call_transfer, jsonb_build_object('phoneNumber', a.transfer_number)) as "callTransfer",
           json_strip_nulls(json_build_object(
             'assistantName', a.name,
             'disclosure', a.disclosure,
             'firstMessage', a.first_message,
             'voicemailMessage', a.voicemail_message,
             'maxDurationSeconds', a.max_duration_seconds)) as spoken,
           json_strip_nulls(json_build_object(
             'firstName', p.first_name,
             'lastName', p.last_name,
             'email', coalesce(c.person_email, p.email),
             'title', p.title,
             'company', (select name from companies x where x.account_id = p.account_id and x.id = p.company_id),
             'city', p.city,
             'timezone', c.person_timezone)) as person,
           array_remove(array[c.person_email, p.email], null) as emails, p.linkedin_url as "linkedinUrl",
           p.id as "personId"
      from calls c
      join assistants a on a.account_id = c.account_id and a.id = c.assistant_id
      left join prospects r on r.account_id = c.account_id and r.id = c.prospect_id
      left join persons p on p.account_id = r.account_id and p.id = r.person_id
     where c.account_id = ${claim.accountId} and c.id = ${claim.id} and c.epoch = ${claim.epoch}
       and c.due_at is not null
       for update of c`
  if (!row) return undefined
  const { personName, person, data, callTransfer, spoken, ...call } = row
  const request: DialRequest = {
    ...spoken,
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

/** Gives the call back until there is more to do; one that is done with meanwhile stays as it is. */
const release = (tx: Sql, claim: ClaimedCall, dueAt: Date | null, providerCallId: string | null = null) => tx`
  update calls
     set due_at = ${dueAt}, lease_until = null, provider_call_id = coalesce(${providerCallId}, provider_call_id)
   where account_id = ${claim.accountId} and id = ${claim.id} and epoch = ${claim.epoch} and due_at is not null`
