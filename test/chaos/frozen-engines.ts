import { once } from 'node:events'
import { type Failpoint, failpoints } from '../../src/server/kernel/failpoints.ts'
import type { TestApp } from '../support/app.ts'
import { type MailCampaign, makeMailCampaignToLaunch } from '../support/mail/mail-campaign.ts'
import { EngineProcesses } from './engine-processes.ts'
import { Journal } from './journal.ts'
import { openJournaledSmtp } from './journaled-smtp.ts'
import { settle } from './settle.ts'
import { sumTallies, type Tally, tallyDeliveries } from './tally-deliveries.ts'

/** Every failpoint that an email passes, in order. */
export const freezePlaces = failpoints.slice(0, failpoints.indexOf('lost.found'))
const isBefore = (place: Failpoint, other: Failpoint): boolean =>
  freezePlaces.indexOf(place) < freezePlaces.indexOf(other)
/** An engine frozen inside a transaction keeps its rows locked, so no other engine can take them over. */
const isWithinTransaction = (place: Failpoint): boolean =>
  ['plan.written', 'gate.marked', 'record.written'].includes(place)

const ENGINES = 8
/** The number of engines frozen at a time. */
const AT_ONCE = 5
const OTHER_MAILS = 24

export type FreezeFigures = Tally & {
  frozen: number
  /** Emails whose engine froze before the gate and that another engine sent. */
  takenOver: number
  /** Of these, the emails that the frozen engine sent too. */
  sentByOldEpoch: number
  /** Emails whose engine froze after the gate and that were reported as unconfirmed. */
  toldOf: number
  /** Of these, the emails that the frozen engine sent later. */
  releasedLate: number
}

/**
 * Freezes engines with SIGSTOP, each at one failpoint of an email, until their leases have expired and the other engines
 * have done all remaining work. Then resumes them.
 */
export async function freezeEngines(
  app: TestApp,
  { freezes, random }: { freezes: number; random: () => number },
): Promise<FreezeFigures> {
  using journal = new Journal()
  await using opened = new AsyncDisposableStack()
  const peers = await Promise.all(Array.from({ length: AT_ONCE + 1 }, () => openJournaledSmtp(journal)))
  for (const peer of peers) opened.use(peer)
  const processes = opened.use(await EngineProcesses.open(app, ENGINES))
  const first = Math.floor(random() * freezePlaces.length)
  const figures = { frozen: 0, takenOver: 0, sentByOldEpoch: 0, toldOf: 0, releasedLate: 0 }
  const tallies: Tally[] = []
  while (figures.frozen < freezes) {
    const others = await makeMailCampaignToLaunch(app, [peers[AT_ONCE]!], OTHER_MAILS)
    await others.launch()
    const frozen: Frozen[] = []
    for (const { port } of peers.slice(0, Math.min(AT_ONCE, freezes - figures.frozen))) {
      const place = freezePlaces[(first + figures.frozen) % freezePlaces.length]!
      const campaign = await makeMailCampaignToLaunch(app, [{ port }], 1)
      await freezeAt(processes, place, campaign, port)
      frozen.push({ place, campaign })
      figures.frozen += 1
    }
    const free = frozen.filter(({ place }) => !isWithinTransaction(place))
    await settle(app, free.map(getAccountId), processes.clock)
    const before = await Promise.all(free.map(({ campaign }) => campaign.messages()))
    const thawedAt = performance.now()
    processes.thaw()
    const accounts = [getAccountId({ campaign: others }), ...frozen.map(getAccountId)]
    await settle(app, accounts, processes.clock)
    for (const accountId of accounts) tallies.push(await tallyDeliveries(app.owner, journal, accountId))
    for (const [n, { place, campaign }] of free.entries()) {
      const isLate = journal.dots.some(dot => dot.to === campaign.emails[0] && dot.at > thawedAt)
      const [message] = before[n]!
      if (message?.status === 'sent' && isBefore(place, 'gate.committed')) {
        figures.takenOver += 1
        if (isLate) figures.sentByOldEpoch += 1
      } else if (message?.deliveryStatus === 'unconfirmed') {
        figures.toldOf += 1
        if (isLate) figures.releasedLate += 1
      }
    }
  }
  return { ...sumTallies(tallies), ...figures }
}

type Frozen = { place: Failpoint; campaign: MailCampaign }
const getAccountId = ({ campaign }: Pick<Frozen, 'campaign'>): string => campaign.owner.accountId

/** Launches a campaign of one email and waits until an engine is frozen at this failpoint. */
async function freezeAt(
  processes: EngineProcesses,
  place: Failpoint,
  { mailboxIds, prospects, launch }: MailCampaign,
  port: number,
): Promise<void> {
  const group = `${processes.fired.length}`
  const keys = [...mailboxIds, `127.0.0.1:${port}`, ...(await prospects()).map(({ id }) => id)]
  const isFired = once(processes.firedEvents, `${place} ${group}`)
  await processes.instruct({
    groups: Object.fromEntries(keys.map(key => [key, group])),
    arm: [{ name: place, group, failure: { do: 'stop' } }],
  })
  await launch()
  await isFired
}
