import { once } from 'node:events'
import { type Failpoint, failpoints } from '../../src/server/kernel/failpoints.ts'
import type { TestApp } from '../support/app.ts'
import { type MailCampaign, makeMailCampaignToLaunch } from '../support/mail/mail-campaign.ts'
import { EngineProcesses } from './engine-processes.ts'
import { Journal } from './journal.ts'
import { openJournaledSmtp } from './journaled-smtp.ts'
import { sumTallies, type Tally, tallyDeliveries } from './tally-deliveries.ts'
import { waitUntilIdle } from './wait-until-idle.ts'

/** Every failpoint that an email passes, in order. */
export const freezeFailpoints = failpoints.slice(0, failpoints.indexOf('lost_send.claimed'))
const isBefore = (failpoint: Failpoint, other: Failpoint): boolean =>
  freezeFailpoints.indexOf(failpoint) < freezeFailpoints.indexOf(other)
/** Returns true if the failpoint is in a transaction. An engine frozen there keeps its rows locked. */
const isWithinTransaction = (failpoint: Failpoint): boolean =>
  ['plan.written', 'gate.marked', 'record.written'].includes(failpoint)

const ENGINES = 8
/** The number of engines frozen at a time. */
const AT_ONCE = 5
const OTHER_EMAILS = 24

export type FreezeFigures = Tally & {
  frozen: number
  /** Emails whose engine froze before the gate and that another engine sent. */
  takenOver: number
  /** Emails counted in `takenOver` that the frozen engine sent, too. */
  sentByOldEpoch: number
  /** Emails whose engine froze after the gate and that were reported as unconfirmed. */
  unconfirmed: number
  /** Emails counted in `unconfirmed` that the frozen engine sent later. */
  releasedLate: number
}

/**
 * Freezes engines with SIGSTOP, each at one of the failpoints that an email passes, until their leases have expired and
 * the other engines have done all remaining work. Then resumes the frozen engines.
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
  const first = Math.floor(random() * freezeFailpoints.length)
  const figures = { frozen: 0, takenOver: 0, sentByOldEpoch: 0, unconfirmed: 0, releasedLate: 0 }
  const tallies: Tally[] = []
  while (figures.frozen < freezes) {
    const others = await makeMailCampaignToLaunch(app, [peers[AT_ONCE]!], OTHER_EMAILS)
    await others.launch()
    const frozen: Frozen[] = []
    for (const { port } of peers.slice(0, Math.min(AT_ONCE, freezes - figures.frozen))) {
      const failpoint = freezeFailpoints[(first + figures.frozen) % freezeFailpoints.length]!
      const campaign = await makeMailCampaignToLaunch(app, [{ port }], 1)
      await freezeAt(processes, failpoint, campaign, port)
      frozen.push({ failpoint, campaign })
      figures.frozen += 1
    }
    const unlocked = frozen.filter(({ failpoint }) => !isWithinTransaction(failpoint))
    await waitUntilIdle(app, unlocked.map(getAccountId), processes.clock)
    const before = await Promise.all(unlocked.map(({ campaign }) => campaign.messages()))
    const thawedAt = performance.now()
    processes.thaw()
    const accounts = [getAccountId({ campaign: others }), ...frozen.map(getAccountId)]
    await waitUntilIdle(app, accounts, processes.clock)
    for (const accountId of accounts) tallies.push(await tallyDeliveries(app.owner, journal, accountId))
    for (const [n, { failpoint, campaign }] of unlocked.entries()) {
      const isLate = journal.dots.some(dot => dot.to === campaign.emails[0] && dot.at > thawedAt)
      const [message] = before[n]!
      if (message?.status === 'sent' && isBefore(failpoint, 'gate.committed')) {
        figures.takenOver += 1
        if (isLate) figures.sentByOldEpoch += 1
      } else if (message?.deliveryStatus === 'unconfirmed') {
        figures.unconfirmed += 1
        if (isLate) figures.releasedLate += 1
      }
    }
  }
  return { ...sumTallies(tallies), ...figures }
}

type Frozen = { failpoint: Failpoint; campaign: MailCampaign }
const getAccountId = ({ campaign }: Pick<Frozen, 'campaign'>): string => campaign.owner.accountId

/** Launches a campaign of one email and waits until an engine is frozen at this failpoint. */
async function freezeAt(
  processes: EngineProcesses,
  failpoint: Failpoint,
  { mailboxIds, prospects, launch }: MailCampaign,
  port: number,
): Promise<void> {
  const group = `${processes.fired.length}`
  const keys = [...mailboxIds, `127.0.0.1:${port}`, ...(await prospects()).map(({ id }) => id)]
  const isFired = once(processes.firedEvents, `${failpoint} ${group}`)
  await processes.instruct({
    groups: Object.fromEntries(keys.map(key => [key, group])),
    arm: [{ name: failpoint, group, failure: { do: 'stop' } }],
  })
  await launch()
  await isFired
}
