import { setTimeout as sleep } from 'node:timers/promises'
import type { Failpoint } from '../../src/server/kernel/failpoints.ts'
import type { TestApp } from '../support/app.ts'
import { makeAda, makeCallCampaign } from '../support/voice/call-campaign.ts'
import { openHttpVoiceServer } from '../support/voice/http-voice-server.ts'
import type { VoiceServer } from '../support/voice/voice-server.ts'
import { type ArmedFailure, EngineProcesses } from './engine-processes.ts'

const ENGINES = 2
const POLL_MS = 100
/** Polls without progress before the clock moves. There are enough of them for running work to show progress. */
const IDLE_POLLS = 5
/** A Monday in November; calling hours last for the whole test. */
const start = new Date('2026-11-30T08:30:00.000Z')

/**
 * Failpoints of a call, from planning its step to its end. Their keys have no group, which engines report as
 * `undefined`.
 */
const failpointNames: Failpoint[] = [
  ...(['plan.began', 'plan.written', 'plan.committed'] as const),
  ...([
    'call.claimed',
    'call.intended',
    'call.allowed',
    'call.placed',
    'call.recorded',
    'call.ended',
  ] as const),
]
const failures = failpointNames.map(
  (name): ArmedFailure => ({ name, group: 'undefined', failure: { do: 'exit' } }),
)
/** Outcomes of a prospect's attempts, in order. */
const outcomes = ['no_answer', 'busy', 'answered'] as const

export type CallKillFigures = {
  deaths: number
  /** Prospects who answered, and prospects held for review because an attempt is unconfirmed. */
  reached: number
  held: number
  /** Attempts that were dialed more than once, and attempts recorded as dialed that weren't. */
  duplicated: number
  invented: number
  /** Prospects with any other status. */
  stuck: number
}

/** Kills engines at every failpoint of a call. Every prospect answers on the third attempt. */
export async function killDuringCalls(
  app: TestApp,
  { people }: { people: number },
): Promise<CallKillFigures> {
  await using voice = await openHttpVoiceServer()
  app.setNow(start)
  const retryAfter = { amount: 30, unit: 'minutes' } as const
  const { owner, prospectIds } = await makeCallCampaign(app, voice, {
    people: Array.from({ length: people }, makeAda),
    steps: assistantId => [{ channel: 'call', call: { assistantId, retries: 2, retryAfter } }],
  })
  // The steps become due a minute apart, so that a killed engine leaves few calls unconfirmed.
  for (const [n, id] of prospectIds.entries())
    await app.owner`update prospects set next_step_at = ${new Date(start.getTime() + n * 60_000)} where id = ${id}`
  await using processes = await EngineProcesses.open(app, ENGINES, {
    clockOffsetMs: start.getTime() - Date.now(),
    arm: failures,
  })
  voice.now = processes.clock.now
  for (let [lastTrace, idle] = ['', 0]; ; await sleep(POLL_MS)) {
    endCalls(voice)
    const work = await findWork(app, owner.accountId, processes.clock.now())
    if (!work.hasWork) break
    idle = work.trace === lastTrace ? idle + 1 : 0
    lastTrace = work.trace
    if (idle < IDLE_POLLS || !work.nextAt) continue
    await processes.clock.advance(work.nextAt.getTime() - processes.clock.now().getTime() + 1_000)
    idle = 0
  }
  return { deaths: processes.deaths, ...(await tally(app, owner.accountId, voice)) }
}

/** Ends calls in progress, each with the outcome of its attempt. */
function endCalls(voice: VoiceServer): void {
  for (const call of voice.calls)
    if (call.status === 'dialing') {
      const nth = voice.calls.filter(({ to }) => to === call.to).indexOf(call)
      voice.hangUp(call, outcomes[nth])
    }
}

async function findWork({ owner }: TestApp, accountId: string, now: Date) {
  const [work] = await owner<{ hasWork: boolean; trace: string; nextAt: Date | null }[]>`
    with due as (
      select greatest(next_step_at, lease_until) as at, lease_until, lease_epoch as epoch from prospects
       where account_id = ${accountId} and next_step_at is not null and status in ('pending', 'active')
       union all
      select greatest(due_at, lease_until), lease_until, epoch from calls
       where account_id = ${accountId} and status <> 'ended')
    select exists (select from prospects where account_id = ${accountId} and status in ('pending', 'active')) as "hasWork",
           concat(count(*), ' ', sum(epoch), ' ', (select count(*) from calls where account_id = ${accountId})) as trace,
           min(at) filter (where at > ${now}) as "nextAt"
      from due`
  return work!
}

async function tally(
  { owner }: TestApp,
  accountId: string,
  voice: VoiceServer,
): Promise<Omit<CallKillFigures, 'deaths'>> {
  const calls = await owner<{ id: string; reason: string | null }[]>`
    select id, outcome_reason as reason from calls where account_id = ${accountId}`
  const [prospects] = await owner<{ reached: number; held: number; stuck: number }[]>`
    select count(*) filter (where status = 'replied')::int as reached,
           count(*) filter (where status_reason = 'call_unconfirmed')::int as held,
           count(*) filter (where status <> 'replied' and status_reason is distinct from 'call_unconfirmed')::int as stuck
      from prospects where account_id = ${accountId}`
  const countDials = (id: string) => voice.calls.filter(({ reference }) => reference === id).length
  const perAttempt = new Set(voice.calls.map(({ reference }) => reference)).size
  return {
    ...prospects!,
    duplicated: voice.calls.length - perAttempt,
    invented: calls.filter(({ id, reason }) => reason !== 'unconfirmed' && countDials(id) === 0).length,
  }
}
