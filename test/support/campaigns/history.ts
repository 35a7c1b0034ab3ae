import { AppError } from '../../../src/server/kernel/errors.ts'
import { type Caller, makeCaller } from '../app.ts'
import { createRandom } from '../random.ts'
import { type Act, createActs, type PickItem } from './history-acts.ts'
import { makeRandomCampaign } from './history-campaign.ts'
import type { Linkedin } from './history-linkedin.ts'
import type { Person } from './history-people.ts'
import type { World } from './history-world.ts'

/** The life of one simulated campaign, with facts that its lists don't show. */
export type History = {
  owner: Caller
  campaignId: string
  repId: string
  mailbox: { id: string; email: string; inboundUrl: string }
  linkedin: Linkedin
  /** The channels of the steps between the two emails. */
  channels: string[]
  people: Person[]
  /** All histories of the account, including this history. */
  account: History[]
  /** Why emails of erased people bounced; the lists no longer show it. */
  erasedReasons: Map<string, string>
  /** The events in order; printed when the numbers disagree. */
  events: { act: string; person: string; result: 'done' | 'nothing to do' | 'refused' }[]
  /** The step, such as `1A` or `3B`, that each email reply was about; oldest first. */
  answered: { prospectId: string; mark: string; at: Date }[]
  /** The intents of received emails and LinkedIn messages by message ID. */
  intents: Map<string, string | undefined>
  complained: Set<string>
  /** Prospects who opted out and were not on the Do Not Contact list before. */
  optedOut: Set<string>
}

const CAMPAIGNS_PER_ACCOUNT = 8
const ROUNDS = 21
/** The longest wait leads into the next working day. */
const WAIT_HOURS = [1, 3, 5, 16]
const HOUR_MS = 3_600_000
/** Simulations start on Monday evening in the first of these time zones, and on Tuesday evening in the last. */
const timezones = ['Pacific/Honolulu', 'America/New_York', 'UTC', 'Europe/Berlin', 'Pacific/Auckland']

/**
 * Simulates `count` campaigns with random steps and random events, several in each account. All accounts have people
 * with the same addresses, phone numbers and LinkedIn profiles. In two of three rounds, each campaign of an account has
 * an event, one second after the previous campaign's event. In every third round, hours pass and the engine works for
 * all campaigns. The same seed makes the same choices. Returns the histories by account.
 */
export async function simulateHistories(
  world: World,
  { seed, count }: { seed: number; count: number },
): Promise<History[][]> {
  const { app, worker } = world
  app.setNow(findTuesday())
  const random = createRandom(seed)
  const sizes = Array.from({ length: Math.ceil(count / CAMPAIGNS_PER_ACCOUNT) }, (_, n) =>
    Math.min(CAMPAIGNS_PER_ACCOUNT, count - n * CAMPAIGNS_PER_ACCOUNT),
  )
  const seeds = Iterator.from({ next: () => ({ done: false, value: random() * 2 ** 32 }) })
  const accounts = await Promise.all(sizes.map(size => startAccount(world, seeds.take(size).toArray())))
  await worker.work()
  for (let round = 0; round < ROUNDS; round++) {
    const hours = round === 2 ? 1 : WAIT_HOURS[Math.floor(random() * WAIT_HOURS.length)]!
    if (round % 3 === 2) await worker.workAfter(hours * HOUR_MS)
    else
      for (let nth = 0; nth < CAMPAIGNS_PER_ACCOUNT; nth++) {
        // A person must not have two events at the same time, so that it is clear which reply is the first.
        app.setNow(new Date(app.now().getTime() + 1_000))
        await Promise.all(accounts.map(campaigns => campaigns[nth]?.act()))
      }
  }
  await worker.workAfter(HOUR_MS)
  return accounts.map(campaigns => campaigns.map(({ history }) => history))
}

/**
 * Returns the morning of the most recent Tuesday. Opt-outs get the database's own time, so the simulation must be
 * recent for its reports to include them.
 */
function findTuesday(): string {
  const today = Temporal.Now.plainDateISO('UTC')
  return `${today.subtract({ days: (today.dayOfWeek + 5) % 7 })}T09:00:00.000Z`
}

/** A running campaign; `act` makes one random event happen. */
type RunningCampaign = { history: History; act: () => Promise<void> }

async function startAccount(world: World, seeds: number[]): Promise<RunningCampaign[]> {
  const owner = await makeCaller(world.app)
  const random = createRandom(seeds[0]!)
  await owner.call('updateAccount', {
    ...{ postalAddress: '12 Row', optOutLine: 'Reply stop.' },
    unsubscribeWords: random() < 0.5 ? 'opt_out' : 'mark',
    replyPauses: random() < 0.5 ? 'person' : 'company_domain',
    timezone: timezones[Math.floor(random() * timezones.length)]!,
    // In most accounts, no mailbox is paused for bounces or complaints, so that more emails are sent.
    ...(random() < 0.8 && { maxBouncePercent: 100, maxComplaintPercent: 100 }),
  })
  const account: History[] = []
  return Promise.all(seeds.map((seed, nth) => startCampaign(world, { owner, account, seed, nth })))
}

async function startCampaign(
  world: World,
  { owner, account, seed, nth }: { owner: Caller; account: History[]; seed: number; nth: number },
): Promise<RunningCampaign> {
  const random = createRandom(seed)
  const pick: PickItem = items => items[Math.floor(random() * items.length)]!
  const history: History = {
    ...(await makeRandomCampaign(world, { owner, pick, nth, timezones })),
    ...{ owner, account, events: [], answered: [] },
    ...{ erasedReasons: new Map(), intents: new Map(), complained: new Set(), optedOut: new Set() },
  }
  account.push(history)
  const acts = createActs(world, history, pick)
  // These acts are more likely, because otherwise pauses would end most histories early and tasks would remain open.
  const frequentActs = [
    'resumeCampaign',
    'resumeProspect',
    'resumeSending',
    'completeTask',
    'acceptInvitation',
  ]
  const names = [...Object.keys(acts), ...frequentActs, ...frequentActs]
  if (history.channels[0]!.startsWith('linkedin'))
    names.push(...Array(6).fill(['completeTask', 'acceptInvitation']).flat())
  return {
    history,
    act: async () => {
      const act = pick(names)
      const person = pick(history.people)
      const result = await tryAct(acts[act]!, person)
      history.events.push({ act, person: person.contact.name, result })
    },
  }
}

async function tryAct(run: Act, person: Person): Promise<History['events'][number]['result']> {
  try {
    return (await run(person)) === false ? 'nothing to do' : 'done'
  } catch (refusal) {
    if (!(refusal instanceof AppError)) throw refusal
    return 'refused'
  }
}
