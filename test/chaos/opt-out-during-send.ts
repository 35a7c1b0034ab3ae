import { setTimeout as sleep } from 'node:timers/promises'
import { openEngine } from '../../src/server/engine/loop.ts'
import { failpoints, setFailpoints } from '../../src/server/kernel/failpoints.ts'
import type { TestApp } from '../support/app.ts'
import { addressIn, aMailCampaign } from '../support/mail/mail-campaign.ts'
import { Journal } from './journal.ts'
import { getRecipient, openJournaledSmtp } from './journaled-smtp.ts'
import { openClock, settle } from './settle.ts'
import { getPercentiles, type Percentiles, type Tally, tallyDeliveries } from './tally-deliveries.ts'

/** Failpoints at which the process may pause, so that the steps of the two sides happen in any order. */
const pausable = failpoints.filter(name => /^(gate|opt_out|smtp\.(allowed|released))/.test(name))

export type RaceFigures = Tally & {
  inFlight: number
  answersMs: Percentiles
  /** Duration of an empty commit on a separate connection meanwhile: a lower bound for answers. */
  commitMs: Percentiles
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
  const startsAt = new Map<string, 'RCPT' | 'BODY' | 'DOT'>()
  const waits: number[] = []
  let optOut = async (_email: string): Promise<void> => {}
  const peers = []
  for (let n = 0; n < servers; n += 1) {
    const peer = await openJournaledSmtp(journal, (step, line, transfer) => {
      const email = step === 'RCPT' ? addressIn(line) : transfer && getRecipient(transfer)
      if (email && startsAt.get(email) === step) {
        startsAt.delete(email)
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
    await journal.recordAnswer('addOptOuts', email, answer)
    waits.push(performance.now() - startedAt)
  }
  for (const email of campaign.emails) {
    startsAt.set(email, random() < 0.4 ? 'RCPT' : random() < 0.5 ? 'BODY' : 'DOT')
  }
  setFailpoints(name =>
    pausable.includes(name) && random() < 0.2 ? { do: 'pause', ms: random() * 15 } : undefined,
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
    ...(await tallyDeliveries(app.owner, journal, campaign.owner.accountId)),
    inFlight: journal.acknowledgements.filter(({ answer }) => (answer as { inFlight: number }).inFlight > 0)
      .length,
    answersMs: getPercentiles(waits),
    commitMs: getPercentiles(commits),
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
