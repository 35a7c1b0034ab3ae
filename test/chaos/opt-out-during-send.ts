import { setTimeout as sleep } from 'node:timers/promises'
import { openEngine } from '../../src/server/engine/loop.ts'
import type { TestApp } from '../support/app.ts'
import { makeMailCampaign } from '../support/mail/mail-campaign.ts'
import type { OAuthServer } from '../support/mail/oauth-server.ts'
import { Journal } from './journal.ts'
import { openCommandRaces, pauseAtFailpoints } from './race-at-commands.ts'
import { getPercentiles, type Percentiles, type Tally, tallyDeliveries } from './tally-deliveries.ts'
import { openClock, waitUntilIdle } from './wait-until-idle.ts'

export type RaceFigures = Tally & {
  inFlight: number
  responsesMs: Percentiles
  /** Duration of empty commits on a separate connection during the race: a lower bound for response times. */
  commitMs: Percentiles
}

type RaceSize = { races: number; servers?: number; random: () => number; oauth?: OAuthServer | undefined }

/**
 * Sends emails to people who opt out at the same time. Each opt-out starts while the email is at a random SMTP command.
 * Both sides pause at random failpoints.
 */
export async function raceOptOuts(
  app: TestApp,
  { races, servers = 8, random, oauth }: RaceSize,
): Promise<RaceFigures> {
  using journal = new Journal()
  await using commandRaces = await openCommandRaces(journal, { servers, random, oauth })
  const waits: number[] = []
  const campaign = await makeMailCampaign(
    app,
    commandRaces.peers.map(({ port }) => ({ port, oauth })),
    races,
  )
  oauth?.expireAccessTokens()
  const optOut = async (email: string, acknowledge: () => void) => {
    await sleep(random() ** 2 * 200)
    const startedAt = performance.now()
    const result = campaign.owner.call('addOptOuts', {
      identifiers: [{ identifier: email }],
      // The opt-out list alone must prevent the email, without pausing the prospect.
      pauseActiveProspects: false,
    })
    await journal.recordResult('addOptOuts', email, result)
    acknowledge()
    waits.push(performance.now() - startedAt)
  }
  commandRaces.draw(campaign.emails, optOut)
  using _pauses = pauseAtFailpoints(random, commandRaces.held, 'opt_out')
  const commits: number[] = []
  {
    const clock = openClock()
    await using _probe = probeCommits(app, commits)
    await using _one = openEngine({ ...app, now: clock.now })
    await using _two = openEngine({ ...app, now: clock.now })
    await waitUntilIdle(app, [campaign.owner.accountId], clock, commandRaces.held)
  }
  await commandRaces.finish()
  return {
    ...(await tallyDeliveries(app.owner, journal, campaign.owner.accountId)),
    inFlight: journal.acknowledgements.filter(({ result }) => (result as { inFlight: number }).inFlight > 0)
      .length,
    responsesMs: getPercentiles(waits),
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
