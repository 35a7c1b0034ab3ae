import { once } from 'node:events'
import { type Failpoint, failpoints } from '../../src/server/kernel/failpoints.ts'
import type { TestApp } from '../support/app.ts'
import { aMailCampaignToLaunch, type MailCampaign } from '../support/mail/mail-campaign.ts'
import { check, sum, type Tally } from './check.ts'
import { EngineProcesses } from './engine-processes.ts'
import { Journal } from './journal.ts'
import { openMailPeer } from './mail-peer.ts'
import { settle } from './settled.ts'

/** Every failpoint of an email's way, in its order. */
export const freezePlaces = failpoints.slice(0, failpoints.indexOf('lost.found'))
const isBefore = (place: Failpoint, other: Failpoint): boolean =>
  freezePlaces.indexOf(place) < freezePlaces.indexOf(other)
/** Who stands still in a transaction keeps its rows to itself, so that nobody takes them over before it ends. */
const isWithinTransaction = (place: Failpoint): boolean =>
  ['plan.written', 'gate.marked', 'record.written'].includes(place)

const ENGINES = 8
/** So many stand still at a time; the others go on. */
const AT_ONCE = 5
const OTHER_MAILS = 24

export type FreezeFigures = Tally & {
  frozen: number
  /** Frozen before the gate, and sent by another engine meanwhile. */
  takenOver: number
  /** Of these, sent by the old engine too. */
  sentByOldEpoch: number
  /** Frozen behind the gate, and told of as unconfirmed meanwhile. */
  toldOf: number
  /** Of these, mails whose dot left after all. */
  releasedLate: number
}

/**
 * Engines are stopped by SIGSTOP, each at a place of one mail's way, and stand still until their leases are over and
 * others have done all that they may. Then they go on from there.
 */
export async function freezeEngines(
  app: TestApp,
  { freezes, random }: { freezes: number; random: () => number },
): Promise<FreezeFigures> {
  using journal = new Journal()
  await using opened = new AsyncDisposableStack()
  const peers = await Promise.all(Array.from({ length: AT_ONCE + 1 }, () => openMailPeer(journal)))
  for (const peer of peers) opened.use(peer)
  const processes = opened.use(await EngineProcesses.open(app, ENGINES))
  const first = Math.floor(random() * freezePlaces.length)
  const figures = { frozen: 0, takenOver: 0, sentByOldEpoch: 0, toldOf: 0, releasedLate: 0 }
  const tallies: Tally[] = []
  while (figures.frozen < freezes) {
    const others = await aMailCampaignToLaunch(app, [peers[AT_ONCE]!], OTHER_MAILS)
    await others.launch()
    const frozen: Frozen[] = []
    for (const { port } of peers.slice(0, Math.min(AT_ONCE, freezes - figures.frozen))) {
      const place = freezePlaces[(first + figures.frozen) % freezePlaces.length]!
      const campaign = await aMailCampaignToLaunch(app, [{ port }], 1)
      await freezeAt(processes, place, campaign, port)
      frozen.push({ place, campaign })
      figures.frozen += 1
    }
    const free = frozen.filter(({ place }) => !isWithinTransaction(place))
    await settle(app, free.map(accountOf), processes.clock)
    const before = await Promise.all(free.map(({ campaign }) => campaign.messages()))
    const thawedAt = performance.now()
    processes.thaw()
    const accounts = [accountOf({ campaign: others }), ...frozen.map(accountOf)]
    await settle(app, accounts, processes.clock)
    for (const accountId of accounts) tallies.push(await check(app.owner, journal, accountId))
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
  return { ...sum(tallies), ...figures }
}

type Frozen = { place: Failpoint; campaign: MailCampaign }
const accountOf = ({ campaign }: Pick<Frozen, 'campaign'>): string => campaign.owner.accountId

/** Launches the campaign of one mail, and waits until an engine stands still at that place of its way. */
async function freezeAt(
  processes: EngineProcesses,
  place: Failpoint,
  { mailboxIds, prospects, launch }: MailCampaign,
  port: number,
): Promise<void> {
  const group = `${processes.fired.length}`
  const keys = [...mailboxIds, `127.0.0.1:${port}`, ...(await prospects()).map(({ id }) => id)]
  const isFired = once(processes.firings, `${place} ${group}`)
  await processes.tell({
    groups: Object.fromEntries(keys.map(key => [key, group])),
    arm: [{ name: place, group, failure: { do: 'stop' } }],
  })
  await launch()
  await isFired
}
