import { setTimeout as sleep } from 'node:timers/promises'
import { openEngine } from '../../src/server/engine/loop.ts'
import { failpoints, setFailpoints } from '../../src/server/kernel/failpoints.ts'
import type { TestApp } from '../support/app.ts'
import { addressIn, aMailCampaign } from '../support/mail/mail-campaign.ts'
import { check, type Spread, spreadOf, type Tally } from './check.ts'
import { Journal } from './journal.ts'
import { openMailPeer, recipientOf } from './mail-peer.ts'
import { openClock, settle } from './settled.ts'

/** Failpoints at which the process may pause, so that the steps of the two sides happen in any order. */
const lingering = failpoints.filter(name => /^(gate|opt_out|smtp\.(allowed|released))/.test(name))

export type RaceFigures = Tally & {
  inFlight: number
  answersMs: Spread
  /** Duration of an empty commit on a separate connection meanwhile: a lower bound for answers. */
  commitMs: Spread
}

/**
 * Sends mails to people who opt out at the same time: each opt-out starts while the mail is at a random SMTP command, and
 * both sides pause at random failpoints.
 */
export async function raceOptOuts(
  app: TestApp,
  { races, servers = 8, random }: { races: number; servers?: number; random: () => number },
): Promise<RaceFigures> {
  using journal = new Journal()
  await using opened = new AsyncDisposableStack()
  const asked: Promise<unknown>[] = []
  const setsOutAt = new Map<string, 'RCPT' | 'BODY' | 'DOT'>()
  const waits: number[] = []
  let optOut = async (_email: string): Promise<void> => {}
  const peers = []
  for (let n = 0; n < servers; n += 1) {
    const peer = await openMailPeer(journal, (step, line, transfer) => {
      const email = step === 'RCPT' ? addressIn(line) : transfer && recipientOf(transfer)
      if (email && setsOutAt.get(email) === step) {
        setsOutAt.delete(email)
        asked.push(optOut(email))
      }
      return undefined
    })
    peers.push(opened.use(peer))
  }
  const campaign = await aMailCampaign(app, peers, races)
  optOut = async email => {
    await sleep(random() ** 2 * 200)
    const startedAt = performance.now()
    const answer = campaign.owner.call('addOptOuts', {
      identifiers: [{ identifier: email }],
      // The opt-out list alone must prevent the mail, without pausing the prospect.
      pauseActiveProspects: false,
    })
    await journal.acknowledged('addOptOuts', email, answer)
    waits.push(performance.now() - startedAt)
  }
  for (const email of campaign.emails) {
    setsOutAt.set(email, random() < 0.4 ? 'RCPT' : random() < 0.5 ? 'BODY' : 'DOT')
  }
  setFailpoints(name =>
    lingering.includes(name) && random() < 0.2 ? { do: 'pause', ms: random() * 15 } : undefined,
  )
  opened.defer(() => setFailpoints(undefined))
  const commits: number[] = []
  {
    const clock = openClock()
    await using _probe = probeCommits(app, commits)
    await using _one = openEngine({ ...app, now: clock.now })
    await using _two = openEngine({ ...app, now: clock.now })
    await settle(app, [campaign.owner.accountId], clock)
  }
  await Promise.all(asked)
  return {
    ...(await check(app.owner, journal, campaign.owner.accountId)),
    inFlight: journal.acknowledgements.filter(({ answer }) => (answer as { inFlight: number }).inFlight > 0)
      .length,
    answersMs: spreadOf(waits),
    commitMs: spreadOf(commits),
  }
}

/** Measures commits until disposed. */
function probeCommits({ owner }: TestApp, durations: number[]): AsyncDisposable {
  const over = new AbortController()
  const probing = (async () => {
    for (; !over.signal.aborted; await sleep(50)) {
      const startedAt = performance.now()
      await owner`select pg_logical_emit_message(true, 'probe', '')`
      durations.push(performance.now() - startedAt)
    }
  })()
  return {
    [Symbol.asyncDispose]: () => {
      over.abort()
      return probing
    },
  }
}
