import { randomUUIDv7 } from 'node:crypto'
import type { RawInput } from '../../../src/contract/index.ts'
import { AppError } from '../../../src/server/kernel/errors.ts'
import { aCaller, type Caller } from '../app.ts'
import { createRandom } from '../random.ts'
import { aConsent } from '../voice/consents.ts'
import { type Act, createActs, type Pick } from './history-acts.ts'
import type { World } from './history-world.ts'

type Steps = NonNullable<RawInput<'createCampaign'>['steps']>
export type Person = { name: string; email: string; prospectId: string; personId: string }

/** The life of one simulated campaign, with facts that its lists don't show. */
export type History = {
  owner: Caller
  campaignId: string
  repId: string
  mailboxId: string
  people: Person[]
  /** Why emails of erased people bounced; the lists no longer show it. */
  erasedReasons: Map<string, string>
  /** What happened, in order; printed when the numbers disagree. */
  events: { act: string; person: string; result: 'done' | 'nothing to do' | 'refused' }[]
  /** The step, such as `1A` or `3B`, that each email reply was about; oldest first. */
  answered: { prospectId: string; mark: string; at: Date }[]
  complained: Set<string>
  /** Prospects who opted out and were not on the opt-out list before. */
  optedOut: Set<string>
}

const CAMPAIGNS_PER_ACCOUNT = 8
const PEOPLE = 5
const ROUNDS = 21
/** Hours; the longest leads into the next working day. */
const WAITS = [1, 3, 5, 16]
const HOUR_MS = 3_600_000

/**
 * Simulates `count` campaigns with random steps and random events, several in each account. In each round of one second
 * every campaign has an event, all at the same time; in some rounds hours pass and the engine works for all of them. The
 * same seed makes the same choices. Returns the histories by account.
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
    // Never two events of a campaign at the same time, so that the first reply is unambiguous.
    app.setNow(new Date(app.now().getTime() + 1_000))
    const wait = round === 2 ? 1 : WAITS[Math.floor(random() * WAITS.length)]!
    if (round % 3 === 2) await worker.workAfter(wait * HOUR_MS)
    else await Promise.all(accounts.flat().map(({ act }) => act()))
  }
  await worker.workAfter(HOUR_MS)
  return accounts.map(lives => lives.map(({ history }) => history))
}

/** Returns the morning of the last Tuesday: the database dates opt-outs itself, which must be in the period of a report. */
function findTuesday(): string {
  const today = Temporal.Now.plainDateISO('UTC')
  return `${today.subtract({ days: (today.dayOfWeek + 5) % 7 })}T09:00:00.000Z`
}

/** A running campaign; `act` makes one random event happen. */
type Life = { history: History; act: () => Promise<void> }

async function startAccount(world: World, seeds: number[]): Promise<Life[]> {
  const owner = await aCaller(world.app)
  const random = createRandom(seeds[0]!)
  await owner.call('updateAccount', {
    ...{ postalAddress: '12 Row', optOutLine: 'Reply stop.' },
    unsubscribeWords: random() < 0.5 ? 'opt_out' : 'mark',
    // Most mailboxes don't pause themselves, so that more happens.
    ...(random() < 0.8 && { maxBouncePercent: 100, maxComplaintPercent: 100 }),
  })
  return Promise.all(seeds.map((seed, nth) => startLife(world, owner, { seed, nth })))
}

async function startLife(
  world: World,
  owner: Caller,
  { seed, nth }: { seed: number; nth: number },
): Promise<Life> {
  const random = createRandom(seed)
  const pick: Pick = items => items[Math.floor(random() * items.length)]!
  const history = await launchCampaign(world, owner, pick, nth)
  const acts = createActs(world, history, pick)
  // Pauses would end most histories early, and tasks remain open.
  const often = ['resumeCampaign', 'resumeProspect', 'completeTask', 'acceptInvitation']
  const names = [...Object.keys(acts), ...often, ...often]
  return {
    history,
    act: async () => {
      const act = pick(names)
      const person = pick(history.people)
      const result = await tryAct(acts[act]!, person)
      history.events.push({ act, person: person.name, result })
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

const email = (n: number, variants: string[], more: object = {}) => ({
  ...more,
  variants: variants.map(name => ({ subject: `Step ${n}${name}`, body: `[${n}${name}] Hi {{ firstName }}` })),
})

/** Returns the steps that may come between the two emails. */
const betweenEmails = (assistantId: string): Steps[] => [
  [{ channel: 'call', delay: { amount: 1, unit: 'hours' }, call: { assistantId, retries: 1 } }],
  [
    {
      channel: 'call',
      delay: { amount: 1, unit: 'hours' },
      call: { assistantId, retries: 0, onAnswered: 'continue' },
    },
  ],
  [{ channel: 'linkedin_connect', delay: { amount: 1, unit: 'hours' }, body: 'Hi {{ firstName }}' }],
  [
    { channel: 'linkedin_connect' },
    { channel: 'linkedin_message', body: 'Glad to meet you, {{ firstName }}', acceptWithinDays: 1 },
  ],
  [{ channel: 'task', delay: { amount: 0, unit: 'days' }, body: 'Send {{ firstName }} a card' }],
]

/**
 * Launches a campaign of two emails with other steps between, by a rep with a mailbox. Its last prospect's address doesn't
 * exist.
 */
async function launchCampaign({ server }: World, owner: Caller, pick: Pick, nth: number): Promise<History> {
  const { call } = owner
  const { id: repId } = await call('createRep', { name: 'Ada Byron' })
  const smtp = { host: '127.0.0.1', port: server.port, tls: 'none' as const }
  const { id: mailboxId } = await call('createMailbox', {
    ...{ repId, kind: 'smtp', email: `ada-${randomUUIDv7()}@acme.example`, smtp },
  })
  await call('verifyMailbox', { mailboxId })
  const assistant = await call('createAssistant', { name: 'Desk', fromNumber: '+442079460018', repId })
  const between = pick(betweenEmails(assistant.id))
  const { id: campaignId } = await call('createCampaign', {
    ...{ name: 'Spring', repIds: [repId] },
    steps: [
      email(1, ['A', 'B']),
      ...between,
      email(between.length + 2, pick([['A', 'B'], ['A']]), { delay: { amount: 4, unit: 'hours' } }),
    ],
  })
  const tag = randomUUIDv7().slice(-12)
  const data = Array.from({ length: PEOPLE }, (_, n) => ({
    firstName: `P${n}`,
    email: `${n === PEOPLE - 1 ? 'gone' : `p${n}`}@c${n}-${tag}.example`,
    linkedinUrl: `linkedin.com/in/p${n}-${tag}`,
    ...(n > 0 && { phone: `+4420794612${nth}${n}` }),
  }))
  if (between[0]!.channel === 'call') for (const { phone } of data) if (phone) await aConsent(owner, phone)
  const added = await call('addProspectsToCampaign', { campaignId, data })
  const people = added.data.map(({ prospectId, personId }, n) => ({
    ...{ name: `P${n}`, email: data[n]!.email, prospectId: prospectId!, personId: personId! },
  }))
  await call('launchCampaign', { campaignId })
  return {
    ...{ owner, campaignId, repId, mailboxId, people, events: [], answered: [] },
    ...{ erasedReasons: new Map(), complained: new Set(), optedOut: new Set() },
  }
}
