import { setTimeout as sleep } from 'node:timers/promises'
import { openEngine } from '../../src/server/engine/loop.ts'
import type { TestApp } from '../support/app.ts'
import { makeMailCampaign } from '../support/mail/mail-campaign.ts'
import type { OAuthServer } from '../support/mail/oauth-server.ts'
import { Journal } from './journal.ts'
import { openCommandRaces, pauseAtFailpoints } from './race-at-commands.ts'
import { openClock, settle } from './settle.ts'
import { getPercentiles, type Percentiles, type Tally, tallyDeliveries } from './tally-deliveries.ts'

export type RaceFigures = Tally & {
  inFlight: number
  answersMs: Percentiles
  /** Duration of an empty commit on a separate connection in the meantime: a lower bound for answers. */
  commitMs: Percentiles
}

type RaceSize = { races: number; servers?: number; random: () => number; oauth?: OAuthServer | undefined }

/**
 * Sends emails to people who opt out at the same time: each opt-out starts while the email is at a random SMTP command, and
 * both sides pause at random failpoints.
 */
export async function raceOptOuts(
  app: TestApp,
  { races, servers = 8, random, oauth }: RaceSize,
): Promise<RaceFigures> {
  using journal = new Journal()
  await using emails = await openCommandRaces(journal, { servers, random, oauth })
  const waits: number[] = []
  const campaign = await makeMailCampaign(
    app,
    emails.peers.map(({ port }) => ({ port, oauth })),
    races,
  )
  oauth?.expireAccessTokens()
  const optOut = async (email: string) => {
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
  emails.draw(campaign.emails, optOut)
  using _pauses = pauseAtFailpoints(random, 'opt_out')
  const commits: number[] = []
  {
    const clock = openClock()
    await using _probe = probeCommits(app, commits)
    await using _one = openEngine({ ...app, now: clock.now })
    await using _two = openEngine({ ...app, now: clock.now })
    await settle(app, [campaign.owner.accountId], clock)
  }
  await emails.finish()
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
