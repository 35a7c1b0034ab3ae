import { setTimeout as sleep } from 'node:timers/promises'
import type { Failpoint } from '../../src/server/kernel/failpoints.ts'
import { type Caller, makeCaller } from '../support/app.ts'
import type { TemplateDatabase } from '../support/db/database.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'
import { findFreePort } from '../support/processes/ports.ts'
import { makeConsent } from '../support/voice/consents.ts'
import { httpCallbackSecret, httpKey, openHttpVoiceServer } from '../support/voice/http-voice-server.ts'
import { openRetellServer, retellKey, retellSettings } from '../support/voice/retell-server.ts'
import { openVapiServer, vapiKey, vapiSettings } from '../support/voice/vapi-server.ts'
import {
  type Callback,
  type DialedCall,
  type Fault,
  faults,
  type VoiceServer,
} from '../support/voice/voice-server.ts'
import { type CalledPerson, createPeople, isQuiet } from './called-people.ts'
import { EngineProcesses } from './engine-processes.ts'
import { type CallJournal, type CallStormFigures, tallyCalls } from './tally-calls.ts'

/** Noon on a Monday in London, when it is lunchtime in Paris, too early in America, and night in Australia. */
const START = Date.parse('2026-11-23T12:00:00Z')
const ENGINES = 3
const BATCH = 100
const BATCH_EVERY_MS = 8_000
const KILL_EVERY_MS = 75_000
/** Time for an engine to reach the failpoint at which it dies. */
const DIE_WITHIN_MS = 1_000
const POLL_MS = 50
/**
 * A lease holder without progress for this many polls is considered dead or waiting for a hanging provider. Only then
 * does the clock move one step, and the count starts again. Otherwise, the clock would outrun engines on a busy
 * machine.
 */
const IDLE_POLLS = 40
const MIN_STEP_MS = 5_000
const POLL_ERROR_RATE = 0.12
/** Maximum number of hanging requests: a low one, because each request lasts for its whole timeout in real time. */
const HANGS = 8
const failpointNames: Failpoint[] = [
  'call.claimed',
  'call.intended',
  'call.allowed',
  'call.placed',
  'call.recorded',
]

/**
 * Calls people in several countries through three providers that lose, repeat and reorder responses and callbacks,
 * while people opt out and engines are killed. The clock jumps from one event to the next.
 */
export async function stormCalls({
  calls,
  kills,
  random,
  database,
}: {
  calls: number
  kills: number
  random: () => number
  database?: TemplateDatabase
}): Promise<CallStormFigures> {
  await using opened = new AsyncDisposableStack()
  const standIns = await Promise.all([openVapiServer(), openRetellServer(), openHttpVoiceServer()])
  for (const standIn of standIns) opened.use(standIn)
  const settings = {
    ALLOW_PRIVATE_HOSTS: '127.0.0.1',
    PUBLIC_URL: `http://127.0.0.1:${await findFreePort()}`,
    VAPI_URL: standIns[0].url,
    RETELL_URL: standIns[1].url,
  }
  const server = opened.use(await openTestServer(settings, undefined, database))
  const owner = await makeCaller(server.app)
  const instructions = { clockOffsetMs: START - Date.now() }
  const engines = opened.use(await EngineProcesses.open(server.app, ENGINES, instructions, settings))
  server.app.now = engines.clock.now
  for (const standIn of standIns) standIn.now = engines.clock.now
  const storm = new CallStorm(server, owner, engines, standIns, random)
  await storm.run(createPeople(calls, random), kills)
  return { ...(await tallyCalls(server.app, storm.journal)), kills: engines.deaths }
}

/** A simulation of a caller, the providers and the people who are called. */
class CallStorm {
  readonly journal: CallJournal = {
    people: [],
    dialed: [],
    optOuts: new Map(),
    endedAt: new Map(),
    seenEndedAt: new Map(),
    failedPollAt: new Map(),
  }
  readonly #people = new Map<string, CalledPerson>()
  readonly #events: { at: number; act: () => unknown }[] = []
  readonly #pending = new Set<Promise<unknown>>()
  readonly #known = new Map<VoiceServer, number>()
  #hangs = 0
  #kills = 0
  #nextKillAt = START + KILL_EVERY_MS / 2
  #trace = ''
  #idle = 0

  readonly server: TestServer
  readonly owner: Caller
  readonly engines: EngineProcesses
  readonly standIns: VoiceServer[]
  readonly random: () => number

  constructor(
    server: TestServer,
    owner: Caller,
    engines: EngineProcesses,
    standIns: VoiceServer[],
    random: () => number,
  ) {
    this.server = server
    this.owner = owner
    this.engines = engines
    this.standIns = standIns
    this.random = random
    for (const standIn of standIns) {
      standIn.chooseFault = (request, dialRequest) => {
        if (dialRequest) return this.#chooseDialFault(dialRequest)
        const call = standIn.calls.find(
          ({ id, reference }) => request.path.endsWith(id) || request.path.endsWith(reference),
        )
        // Requests for lists never fail: they don't name a call, so `failedPollAt` couldn't be recorded.
        if (!call || random() > POLL_ERROR_RATE) return undefined
        this.journal.failedPollAt.set(call.reference, this.#now())
        return this.#chooseFault()
      }
    }
  }

  #now = (): number => this.engines.clock.now().getTime()

  #chooseFault(): Fault {
    const fault = faults[Math.floor(this.random() * faults.length)]!
    return fault === 'hang' && ++this.#hangs > HANGS ? 'fail' : fault
  }

  /** Chooses the fault of a request to dial and records the call in the journal before anything else can happen. */
  #chooseDialFault({ reference, to }: { reference: string; to: string }): Fault | undefined {
    const person = this.#people.get(to)!
    const { fault } = person
    person.fault = undefined
    const chosen = fault === undefined && this.#hangs < HANGS && this.random() < 0.01 ? 'hang' : fault
    if (chosen === 'hang') this.#hangs += 1
    if (!['reset', 'busy', 'over_limit', 'fail'].includes(chosen ?? ''))
      this.journal.dialed.push({ reference, to, at: performance.now(), clock: new Date(this.#now()) })
    return chosen
  }

  async run(people: CalledPerson[], kills: number): Promise<void> {
    this.journal.people = people
    const assistantIds = await this.#createAssistants()
    for (let n = 0; n * BATCH < people.length; n += 1) {
      const batch = people.slice(n * BATCH, (n + 1) * BATCH)
      this.#at(START + n * BATCH_EVERY_MS, () => this.#queueCalls(batch, assistantIds))
    }
    do {
      this.#scheduleDialed()
      await this.#runDueEvents()
      if (this.engines.deaths < kills) await this.#killAgain()
    } while (await this.#advance())
    await Promise.all(this.#pending)
  }

  #at(at: number, act: () => unknown): void {
    this.#events.push({ at, act })
  }

  async #createAssistants(): Promise<string[]> {
    const providers = [
      { provider: 'vapi', apiKey: vapiKey, vapi: vapiSettings },
      { provider: 'retell', apiKey: retellKey, retell: retellSettings },
      {
        provider: 'http',
        apiKey: httpKey,
        callbackSecret: httpCallbackSecret,
        http: { baseUrl: this.standIns[2]!.url },
      },
    ] as const
    const fields = { name: 'Front desk', dailyCap: 10_000 }
    const made = providers.map((provider, n) =>
      this.owner.call('createAssistant', { ...fields, fromNumber: `+44207946001${8 - n}`, ...provider }),
    )
    return (await Promise.all(made)).map(({ id }) => id)
  }

  async #queueCalls(people: CalledPerson[], assistantIds: string[]): Promise<void> {
    const groups: Record<string, string> = {}
    await Promise.all(
      people.map(async person => {
        const { phone, reaction, country } = person
        this.#people.set(phone, person)
        if (reaction !== 'never_agreed' && country.needsConsent)
          person.consentId = (await makeConsent(this.owner, phone)).id
        const assistantId = assistantIds[Math.floor(this.random() * assistantIds.length)]!
        for (let n = 0; n < person.calls; n += 1) {
          const call = { assistantId, name: 'Ada', phoneNumber: phone }
          groups[(await this.owner.call('triggerAssistantCall', call)).callId] = 'storm'
        }
        let at = this.#now()
        while (isQuiet(country, new Date(at))) at += 15 * 60_000 - (at % (15 * 60_000))
        if (reaction === 'opts_out' || reaction === 'withdraws')
          this.#at(at + person.actsAfterMs, () => this.#startReaction(person))
      }),
    )
    await this.engines.instruct({ groups })
  }

  /** Starts the person's opt-out or withdrawal without waiting, so that it races with dialing. */
  #startReaction({ phone, reaction, consentId }: CalledPerson): void {
    const react = async (): Promise<void> => {
      if (reaction === 'withdraws') {
        if (consentId) await this.owner.call('withdrawConsent', { consentId })
        return
      }
      const requestedAt = performance.now()
      const identifiers = [{ identifier: phone }]
      const { inFlight } = await this.owner.call('addOptOuts', { identifiers, pauseActiveProspects: false })
      this.journal.optOuts.set(phone, { requestedAt, at: performance.now(), inFlight })
    }
    const acting = react().finally(() => this.#pending.delete(acting))
    this.#pending.add(acting)
  }

  /** Schedules the pick-up and hang-up of calls dialed since the last time. */
  #scheduleDialed(): void {
    for (const standIn of this.standIns) {
      const known = this.#known.get(standIn) ?? 0
      for (const call of standIn.calls.slice(known)) this.#scheduleConversation(standIn, call)
      this.#known.set(standIn, standIn.calls.length)
    }
  }

  #scheduleConversation(standIn: VoiceServer, call: DialedCall): void {
    const { reaction, ringMs, talkMs, callbacks } = this.#people.get(call.to)!
    const started: Callback[] = []
    const pickUpAt = this.#now() + ringMs
    const post = (posted: Callback) => this.#post(standIn, call, posted)
    this.#at(pickUpAt, () => {
      started.push(...standIn.pickUp(call))
      if (callbacks === 'immediately' || callbacks === 'twice') started.forEach(post)
    })
    this.#at(pickUpAt + talkMs, () => {
      if (reaction === 'opts_out_in_call') call.extracted = { doNotCall: true }
      const ended = standIn.hangUp(call)
      this.journal.endedAt.set(call.reference, this.#now())
      const all = [...started, ...ended]
      if (callbacks === 'immediately') ended.forEach(post)
      else if (callbacks === 'twice') [...ended, ...all].forEach(post)
      else if (callbacks === 'reversed') all.toReversed().forEach(post)
      else if (callbacks === 'late') this.#at(this.#now() + 100_000, () => all.forEach(post))
    })
  }

  /** Posts a callback once, without retries. */
  #post(standIn: VoiceServer, call: DialedCall, posted: Callback): void {
    const posting = standIn
      .post(call, posted)
      .then(response => response.arrayBuffer())
      .catch(() => {})
      .finally(() => this.#pending.delete(posting))
    this.#pending.add(posting)
  }

  async #runDueEvents(): Promise<void> {
    const now = this.#now()
    const due = this.#events.filter(({ at }) => at <= now).sort((a, b) => a.at - b.at)
    for (const event of due) {
      this.#events.splice(this.#events.indexOf(event), 1)
      await event.act()
    }
  }

  /** Kills two engines while calls are in progress: one at a failpoint, one at an arbitrary point. */
  async #killAgain(): Promise<void> {
    if (this.#now() < this.#nextKillAt || this.#events.length === 0) return
    const name = failpointNames[this.#kills++ % failpointNames.length]!
    const fired = this.engines.fired.length
    this.engines.instruct({ arm: [{ name, group: 'storm', failure: { do: 'exit' } }] })
    for (let waited = 0; this.engines.fired.length === fired && waited < DIE_WITHIN_MS; waited += POLL_MS)
      await sleep(POLL_MS)
    await this.engines.instruct({ disarm: [`${name} storm`] })
    this.engines.children[0]?.kill('SIGKILL')
    this.#nextKillAt = this.#now() + KILL_EVERY_MS
  }

  /**
   * Moves the clock to the next event once nothing is due and every callback is delivered. One step may be minutes.
   * Returns false when no work is left.
   */
  async #advance(): Promise<boolean> {
    await sleep(POLL_MS)
    const now = this.engines.clock.now()
    const work = await this.#readWork(now)
    if (this.#pending.size > 0) return true
    if (work.open.length === 0 && this.#events.length === 0) return false
    this.#idle = work.trace === this.#trace ? this.#idle + 1 : 0
    this.#trace = work.trace
    if (work.isDue || (work.isHeld && this.#idle < IDLE_POLLS)) return true
    this.#idle = 0
    const next = Math.min(work.nextAt?.getTime() ?? Infinity, ...this.#events.map(({ at }) => at))
    await this.engines.clock.advance(Math.max(MIN_STEP_MS, next - now.getTime()))
    return true
  }

  async #readWork(now: Date) {
    const [work] = await this.server.app.owner<
      { open: string[]; isDue: boolean; isHeld: boolean; nextAt: Date | null; trace: string }[]
    >`
      select coalesce(array_agg(id), '{}') as open,
             coalesce(bool_or(due_at <= ${now} and (lease_until is null or lease_until <= ${now})), false) as "isDue",
             coalesce(bool_or(lease_until > ${now}), false) as "isHeld",
             min(greatest(due_at, lease_until)) filter (where greatest(due_at, lease_until) > ${now}) as "nextAt",
             concat(count(*), ' ', sum(epoch), ' ', count(lease_until), ' ', count(provider_call_id)) as trace
        from calls where account_id = ${this.owner.accountId} and status <> 'ended'`
    const open = new Set(work!.open)
    for (const reference of this.journal.endedAt.keys()) {
      if (!open.has(reference) && !this.journal.seenEndedAt.has(reference))
        this.journal.seenEndedAt.set(reference, now.getTime())
    }
    return work!
  }
}
