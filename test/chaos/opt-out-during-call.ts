import { setTimeout as sleep } from 'node:timers/promises'
import { advanceCall } from '../../src/server/domain/calls/advance-call.ts'
import { claimDueCalls } from '../../src/server/domain/calls/claim-calls.ts'
import { setFailpoints } from '../../src/server/kernel/failpoints.ts'
import type { VoiceProvider } from '../../src/server/protocols/voice/provider.ts'
import { makeCaller, type TestApp } from '../support/app.ts'
import { makeConsent } from '../support/voice/consents.ts'

/** Scenarios, assigned to the called people in turn. */
const scenarios = ['opt_out', 'withdraw', 'called_twice', 'no_consent', 'nothing'] as const
type Person = { phone: string; scenario: (typeof scenarios)[number]; callIds: string[]; consentId?: string }

/**
 * Counts of people and calls. `late`: dialed after the opt-out was acknowledged. `unreported`: dialed although the
 * opt-out reported none in flight.
 */
export type CallRaceFigures = Record<
  | 'dialed'
  | 'notCalled'
  | 'late'
  | 'unreported'
  | 'dialedTwice'
  | 'concurrent'
  | 'withoutConsent'
  | 'stillQueued',
  number
>

/**
 * Calls people from two workers while some opt out or withdraw consent. Some people have two calls, and some never
 * consented.
 */
export async function raceCalls(
  app: TestApp,
  { people, random }: { people: number; random: () => number },
): Promise<CallRaceFigures> {
  const owner = await makeCaller(app)
  const { id: assistantId } = await owner.call('createAssistant', {
    name: 'Front desk',
    fromNumber: '+442079460018',
    dailyCap: 10_000,
  })
  const queueCall = async (phone: string) =>
    (await owner.call('triggerAssistantCall', { assistantId, name: 'Ada', phoneNumber: phone })).callId
  const all: Person[] = []
  for (let n = 0; n < people; n += 1) {
    const scenario = scenarios[n % scenarios.length]!
    const person: Person = { phone: `+4420794${61000 + n}`, scenario, callIds: [] }
    if (scenario !== 'no_consent') person.consentId = (await makeConsent(owner, person.phone)).id
    person.callIds.push(await queueCall(person.phone))
    if (scenario === 'called_twice') person.callIds.push(await queueCall(person.phone))
    all.push(person)
  }
  const dialed: { to: string; callId: string; at: number }[] = []
  // Calls never end, so a second call to the same person would be concurrent.
  const provider: VoiceProvider = {
    ...({} as VoiceProvider),
    placeCall: async ({ callId, to }, now) => {
      dialed.push({ to, callId, at: performance.now() })
      await sleep(random() * 10)
      return { providerCallId: callId, nextPollAt: new Date(now.getTime() + 3_600_000) }
    },
  }
  const acknowledged = new Map<string, { at: number; inFlight: number }>()
  let started = 0
  let isOver = false
  const act = async ({ scenario, phone, consentId }: Person): Promise<void> => {
    // Timed by the number of started calls, not by the clock, so that the speed of the machine doesn't matter.
    const after = random() * people
    while (started < after && !isOver) await sleep(2)
    if (scenario === 'opt_out') {
      const identifiers = [{ identifier: phone }]
      const { inFlight } = await owner.call('addOptOuts', { identifiers, pauseActiveProspects: false })
      acknowledged.set(phone, { at: performance.now(), inFlight })
    }
    if (scenario === 'withdraw') await owner.call('withdrawConsent', { consentId: consentId! })
  }
  const work = async (): Promise<void> => {
    for (;;) {
      const claims = await claimDueCalls(app.db.engine, { now: app.now(), limit: 10 })
      if (claims.length === 0) return
      await Promise.all(
        claims.map(async claim => {
          started += 1
          await sleep(random() * 60)
          await advanceCall(app, claim, provider)
        }),
      )
    }
  }
  setFailpoints(name =>
    name.startsWith('opt_out') && random() < 0.5 ? { do: 'pause', ms: random() * 40 } : undefined,
  )
  try {
    const working = Promise.all([work(), work()]).finally(() => {
      isOver = true
    })
    await Promise.all([...all.map(act), working])
  } finally {
    setFailpoints(undefined)
  }
  return tally(app, all, dialed, acknowledged)
}

async function tally(
  app: TestApp,
  people: Person[],
  dialed: { to: string; callId: string; at: number }[],
  acknowledged: Map<string, { at: number; inFlight: number }>,
): Promise<CallRaceFigures> {
  const countOccurrences = (values: string[]) =>
    [...Map.groupBy(values, value => value).values()].map(each => each.length)
  const count = (isCounted: (each: (typeof dialed)[number]) => boolean) => dialed.filter(isCounted).length
  const scenarioByPhone = new Map(people.map(({ phone, scenario }) => [phone, scenario]))
  const [row] = await app.owner<{ stillQueued: number }[]>`
    select count(*)::int as "stillQueued" from calls where status = 'queued' and held_by is distinct from 'on_the_phone'`
  return {
    dialed: dialed.length,
    notCalled: people.length - new Set(dialed.map(({ to }) => to)).size,
    late: count(({ to, at }) => at > (acknowledged.get(to)?.at ?? Number.POSITIVE_INFINITY)),
    unreported: count(({ to }) => acknowledged.get(to)?.inFlight === 0),
    dialedTwice: countOccurrences(dialed.map(({ callId }) => callId)).filter(times => times > 1).length,
    concurrent: countOccurrences(dialed.map(({ to }) => to)).filter(times => times > 1).length,
    withoutConsent: count(({ to }) => scenarioByPhone.get(to) === 'no_consent'),
    stillQueued: row!.stillQueued,
  }
}
