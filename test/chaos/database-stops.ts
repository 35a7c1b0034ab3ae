import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApiToken } from '../../src/server/domain/auth/stored-api-tokens.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { openTemplateDatabase } from '../support/db/database.ts'
import {
  asSuperuser,
  makeScratch,
  openInChild,
  readServerPid,
  stopServerImmediately,
  waitForRestart,
} from '../support/db/postgres-processes.ts'
import { startServer } from '../support/http/server-processes.ts'
import { makeMailCampaign } from '../support/mail/mail-campaign.ts'
import { createApi } from '../support/processes/installed.ts'
import { openLoad } from './database-load.ts'
import { EngineProcesses } from './engine-processes.ts'
import { Journal } from './journal.ts'
import { openJournaledSmtp } from './journaled-smtp.ts'
import { getPercentiles, type Percentiles, type Tally, tallyDeliveries } from './tally-deliveries.ts'
import { waitUntilIdle } from './wait-until-idle.ts'

/** The database isn't stopped again before this time has passed and this many requests and emails have succeeded. */
const WARM_UP_MS = 2_000
const WARM_UP_COUNT = 20
const WINDOW_MS = 1_000
const RECOVERY_TIMEOUT_MS = 30_000
/** The system counts as recovered at this share of the usual rate. */
const FULL_RATE = 0.8
/** The median of the rates covers each stop and this many stops before and after it. */
const NEIGHBORS = 2

export type StopFigures = Tally & {
  stops: number
  acknowledged: number
  /** Acknowledged but missing at the end. */
  lostWrites: number
  unknownRequests: number
  refusals: string[]
  /** From the stop to the first answered request and the first email. */
  firstResponseMs: Percentiles
  firstEmailMs: Percentiles
  /**
   * From the stop to the first second at nearly the usual rate. The usual rate is the rate before this stop or the
   * median of the rates before the nearest stops, whichever is lower: a backlog may raise a single rate, and the load
   * of the machine varies.
   */
  fullRateMs: Percentiles
  /**
   * From the stop until PostgreSQL accepts connections again, and from then to full rate, which is Overture's own part.
   * PostgreSQL first syncs every file of the cluster, which takes seconds while others write to the disk.
   */
  databaseMs: Percentiles
  recoveryMs: Percentiles
}

/** Stops PostgreSQL in immediate mode repeatedly while the API accepts writes and engines send. */
export async function stopDatabase({
  stops,
  pauseMs = 0,
  random,
}: {
  stops: number
  pauseMs?: number
  random: () => number
}): Promise<StopFigures> {
  using journal = new Journal()
  await using opened = new AsyncDisposableStack()
  const scratch = opened.use(await makeScratch())
  const dataDir = join(scratch.dir, 'data')
  const server = await openInChild(dataDir)
  opened.defer(() => server.close())
  const database = opened.use(
    await openTemplateDatabase({ options: asSuperuser(server.connection, dataDir) }),
  )
  const app = opened.use(await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' }, database))
  const peers = await Promise.all(Array.from({ length: 4 }, () => openJournaledSmtp(journal)))
  for (const peer of peers) opened.use(peer)
  const { owner, campaignId } = await makeMailCampaign(app, peers, 200)
  await owner.call('updateCampaign', { campaignId, settings: { isEvergreen: true } })
  const { token } = await createApiToken(app.db.auth, { userId: owner.userId, name: 'load' })
  const web = opened.use(await startServer(app, { ALLOW_PRIVATE_HOSTS: '127.0.0.1' }))
  const processes = opened.use(await EngineProcesses.open(app, 2))
  const api = createApi(() => web.url, token)
  const stoppedAt: number[] = []
  const restartedAt: number[] = []
  const load = openLoad(api, journal, { campaignId, pauseMs, random })
  {
    await using _load = load
    while (stoppedAt.length < stops) {
      await waitForWork(journal, performance.now())
      await sleep(random() * WINDOW_MS)
      const stoppedNow = performance.now()
      const pid = readServerPid(dataDir)
      stopServerImmediately(dataDir)
      stoppedAt.push(stoppedNow)
      await waitForRestart(dataDir, pid)
      restartedAt.push(performance.now())
      await waitForFullRate(journal, stoppedNow)
    }
  }
  // The last prospect completes the campaign, which `waitUntilIdle` waits for.
  await owner.call('updateCampaign', { campaignId, settings: { isEvergreen: false } })
  await owner.call('addProspectsToCampaign', {
    campaignId,
    data: [{ firstName: 'Last', email: 'last@last.example' }],
  })
  await waitUntilIdle(app, [owner.accountId], processes.clock)
  const responseTimes = journal.acknowledgements.map(({ at }) => at)
  const emailTimes = journal.dots.map(({ at }) => at)
  const first = (times: number[]) =>
    getPercentiles(stoppedAt.map(stop => times.find(at => at > stop + IN_FLIGHT_MS)! - stop))
  const fullRate = (times: number[]) => {
    const rates = stoppedAt.map(stop => rateBefore(times, stop))
    const usual = (index: number) =>
      Math.min(
        rates[index]!,
        getPercentiles(rates.slice(Math.max(0, index - NEIGHBORS), index + NEIGHBORS + 1)).p50,
      )
    return stoppedAt.map((stop, index) => fullRateAfter(times, stop, usual(index)))
  }
  const [responding, sending] = [fullRate(responseTimes), fullRate(emailTimes)]
  const fullRates = responding.map((ms, index) => Math.max(ms, sending[index]!))
  const restarts = stoppedAt.map((stop, index) => restartedAt[index]! - stop)
  return {
    ...(await tallyDeliveries(app.owner, journal, owner.accountId)),
    stops,
    acknowledged: responseTimes.length,
    lostWrites: await countLost(app, journal, owner.accountId),
    unknownRequests: load.unknown,
    refusals: load.refusals,
    firstResponseMs: first(responseTimes),
    firstEmailMs: first(emailTimes),
    fullRateMs: getPercentiles(fullRates),
    databaseMs: getPercentiles(restarts),
    recoveryMs: getPercentiles(fullRates.map((ms, index) => Math.max(0, ms - restarts[index]!))),
  }
}

/** Responses and emails in flight at the stop still arrive within this time. */
const IN_FLIGHT_MS = 100

/** Waits until enough requests have been answered and enough emails sent since this time. */
async function waitForWork({ acknowledgements, dots }: Journal, since: number): Promise<void> {
  const isEnough = (entries: { at: number }[]) => {
    const entry = entries.at(-WARM_UP_COUNT)
    return entry !== undefined && entry.at > since
  }
  while (performance.now() < since + WARM_UP_MS || !isEnough(acknowledgements) || !isEnough(dots))
    await sleep(50)
}

/** Waits until the rate before the stop is reached again, but no longer than `RECOVERY_TIMEOUT_MS`. */
async function waitForFullRate({ acknowledgements, dots }: Journal, stop: number): Promise<void> {
  const isBack = (entries: { at: number }[]) => {
    const times = entries.map(({ at }) => at)
    return fullRateAfter(times, stop, rateBefore(times, stop)) < Number.POSITIVE_INFINITY
  }
  while (performance.now() < stop + RECOVERY_TIMEOUT_MS && !(isBack(acknowledgements) && isBack(dots)))
    await sleep(200)
}

const countWithin = (times: number[], from: number, lengthMs: number): number =>
  times.filter(at => at >= from && at < from + lengthMs).length

/** Returns the count per second before the stop. */
const rateBefore = (times: number[], stop: number): number =>
  countWithin(times, stop - 2 * WINDOW_MS, 2 * WINDOW_MS) / 2

/** Returns milliseconds from the stop to the first second at nearly this rate; Infinity when there is none. */
const fullRateAfter = (times: number[], stop: number, rate: number): number =>
  (times.find(at => at > stop + IN_FLIGHT_MS && countWithin(times, at, WINDOW_MS) >= rate * FULL_RATE) ??
    Number.POSITIVE_INFINITY) - stop

/** Counts acknowledged writes that are missing from the database. */
async function countLost({ owner }: TestApp, journal: Journal, accountId: string): Promise<number> {
  const [stored] = await owner<{ people: string[]; listed: string[]; drafts: string[]; sends: string[] }[]>`
    select array(select p.email from prospects r join persons p on p.account_id = r.account_id and p.id = r.person_id
                  where r.account_id = ${accountId}) as people,
           array(select value from opt_outs where account_id = ${accountId}) as listed,
           array(select id::text from email_messages where account_id = ${accountId} and type = 'manual') as drafts,
           array(select unnest(recipient_emails) from email_sends where account_id = ${accountId}) as sends`
  const storedKeys: Record<string, Set<string>> = {
    addProspectsToCampaign: new Set(stored!.people),
    addOptOuts: new Set(stored!.listed),
    createEmailDraft: new Set(stored!.drafts),
    sendEmailDraft: new Set(stored!.sends),
  }
  return journal.acknowledgements.filter(({ operation, key }) => !storedKeys[operation]!.has(key)).length
}
