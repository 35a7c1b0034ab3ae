import type { TestApp } from '../support/app.ts'
import type { TemplateDatabase } from '../support/db/database.ts'
import { createRandom } from '../support/random.ts'
import { raceChanges } from './change-during-send.ts'
import { stopDatabase } from './database-stops.ts'
import { killEngines } from './engine-takeovers.ts'
import { expireAllTokens } from './expired-tokens.ts'
import { stormCalls } from './failing-voice-providers.ts'
import { stormWebhooks } from './failing-webhook-receivers.ts'
import { freezeEngines } from './frozen-engines.ts'
import { killDuringResumes } from './kills-during-resumes.ts'
import { killDuringSends } from './kills-during-sends.ts'
import { sendLargeCampaign } from './large-campaign.ts'
import { loseSmtpReplies } from './lost-smtp-replies.ts'
import { raceForQuota } from './mailbox-caps.ts'
import { mutateEmails } from './mutated-emails.ts'
import { raceCalls } from './opt-out-during-call.ts'
import { raceOptOuts } from './opt-out-during-send.ts'
import { racePauses } from './pause-during-send.ts'
import { compareRandomHistories } from './random-histories.ts'
import { checkRandomSchedules } from './random-schedules.ts'
import { raceReplies } from './reply-during-follow-up.ts'
import { raceCompanyReplies } from './reply-stops-company.ts'
import { loseRepliesWithCopies } from './sent-copies.ts'

/** The results of a round. */
export type Figures = Record<string, unknown>

/** A scenario that tries to break a delivery guarantee. */
export type Scenario = {
  /** The unit of the sizes, as a plural noun. */
  unit: string
  /** The full size of the scenario. */
  fullSize: number
  /** Size for a one-hour run of all scenarios on two cores. Defaults to `fullSize`. Multiplied by `--scale`. */
  oneHourSize?: number
  /** The size of a round, which uses one database. */
  roundSize: number
  /** Estimated duration per unit while another scenario runs in parallel. */
  seconds: number
  /** Set for scenarios that mostly wait, which run well in parallel with scenarios that use the CPU. */
  isWaiting?: true
  run: (app: TestApp, size: number, seed: number, database: TemplateDatabase) => Promise<Figures>
  /** Maximum values of figures. */
  limits: Record<string, number>
}

const noDeliveryErrors = { duplicated: 0, lost: 0, misreported: 0, late: 0 }

export const scenarios: Record<string, Scenario> = {
  'large-campaign': {
    unit: 'emails in one campaign',
    fullSize: 300_000,
    oneHourSize: 100_000,
    roundSize: 300_000,
    seconds: 0.006,
    run: (app, emailCount) => sendLargeCampaign(app, { emailCount }),
    limits: { ...noDeliveryErrors, unconfirmed: 0, growth: 0.2 },
  },
  'pause-during-send': {
    unit: 'emails while sending is paused and resumed',
    fullSize: 24_000,
    oneHourSize: 4_000,
    roundSize: 1_000,
    seconds: 0.06,
    run: (app, emailCount, seed) => racePauses(app, { emailCount, random: createRandom(seed) }),
    limits: { ...noDeliveryErrors, unconfirmed: 0 },
  },
  'change-during-send': {
    unit: 'races between sending an email and a pause, a stop or a new address',
    fullSize: 20_000,
    oneHourSize: 4_000,
    roundSize: 1_000,
    seconds: 0.01,
    run: (app, emailCount, seed) => raceChanges(app, { emailCount, random: createRandom(seed) }),
    limits: { ...noDeliveryErrors, unconfirmed: 0 },
  },
  'opt-out-during-send': {
    unit: 'races between sending an email and an opt-out',
    fullSize: 50_000,
    roundSize: 2_500,
    seconds: 0.007,
    run: async (app, races, seed) => {
      const figures = await raceOptOuts(app, { races, random: createRandom(seed) })
      return { ...figures, responseP99Ms: figures.responsesMs.p99 }
    },
    limits: { ...noDeliveryErrors, unconfirmed: 0, responseP99Ms: 1_000 },
  },
  'kills-during-sends': {
    unit: 'kills',
    fullSize: 5_000,
    oneHourSize: 1_000,
    roundSize: 300,
    seconds: 1,
    run: (app, kills, seed) => {
      // Each kill needs about twenty emails, spread over 24 servers. Each of about 650 combinations of a code line and an
      // SMTP failure is a kill or a thrown error.
      const size = {
        engines: 4,
        emailsPerServer: Math.max(30, Math.ceil((20 * kills) / 24)),
        oneDeathIn: Math.max(2, Math.floor(650 / kills)),
      }
      return killDuringSends(app, { ...size, random: createRandom(seed) })
    },
    limits: noDeliveryErrors,
  },
  'kills-during-resumes': {
    unit: 'bounced prospects resumed while engines are killed',
    fullSize: 5_000,
    oneHourSize: 500,
    roundSize: 100,
    seconds: 1,
    run: (app, people, seed) =>
      killDuringResumes(app, { people, engines: 4, servers: 4, oneDeathIn: 4, random: createRandom(seed) }),
    limits: { duplicated: 0, lost: 0, misreported: 0, unfinished: 0 },
  },
  'database-stops': {
    unit: 'immediate shutdowns of PostgreSQL',
    fullSize: 300,
    oneHourSize: 60,
    roundSize: 20,
    seconds: 7.5,
    isWaiting: true,
    run: async (_, stops, seed) => {
      const figures = await stopDatabase({ stops, random: createRandom(seed) })
      return { ...figures, refused: figures.refusals.length, recoveryMaxMs: figures.recoveryMs.max }
    },
    limits: { ...noDeliveryErrors, lostWrites: 0, refused: 0, recoveryMaxMs: 8_000 },
  },
  'lost-smtp-replies': {
    unit: 'lost SMTP replies',
    fullSize: 10_000,
    roundSize: 1_000,
    seconds: 0.01,
    run: (app, emailCount, seed) => loseSmtpReplies(app, { emailCount, random: createRandom(seed) }),
    limits: { ...noDeliveryErrors, failed: 0, sent: 0 },
  },
  'opt-out-during-call': {
    unit: 'people called who opt out or withdraw their consent',
    fullSize: 10_000,
    roundSize: 400,
    seconds: 0.03,
    run: (app, people, seed) => {
      app.setNow('2026-11-23T12:00:00.000Z')
      return raceCalls(app, { people, random: createRandom(seed) })
    },
    limits: { late: 0, unreported: 0, dialedTwice: 0, concurrent: 0, withoutConsent: 0, stillQueued: 0 },
  },
  'failing-voice-providers': {
    unit: 'calls through failing providers',
    fullSize: 20_000,
    oneHourSize: 4_000,
    roundSize: 2_000,
    seconds: 0.1,
    run: (_, calls, seed, database) =>
      stormCalls({ calls, kills: Math.ceil(calls / 100), random: createRandom(seed), database }),
    limits: {
      ...{ duplicated: 0, mismatched: 0, unknownDialed: 0, unfinished: 0, stuck: 0 },
      ...{ quietHours: 0, withoutConsent: 0, late: 0, afterOptOut: 0 },
    },
  },
  'failing-webhook-receivers': {
    unit: 'events for failing webhooks',
    fullSize: 50_000,
    oneHourSize: 10_000,
    roundSize: 5_000,
    seconds: 0.03,
    run: (app, events, seed) =>
      stormWebhooks(app, { events, kills: Math.ceil(events / 500), random: createRandom(seed) }),
    limits: { lost: 0, inconsistent: 0, unsigned: 0, undelivered: 0 },
  },
  'sent-copies': {
    unit: 'lost SMTP replies from a provider that stores sent copies',
    fullSize: 10_000,
    roundSize: 1_000,
    seconds: 0.02,
    run: async (app, emailCount, seed) => {
      const { after, copies } = await loseRepliesWithCopies(app, { emailCount, random: createRandom(seed) })
      return { ...after, copies, unresolved: 1 - after.sent / copies }
    },
    limits: { ...noDeliveryErrors, failed: 0, unresolved: 0.05 },
  },
  'frozen-engines': {
    unit: 'frozen engines',
    fullSize: 1_000,
    roundSize: 100,
    seconds: 1,
    isWaiting: true,
    run: (app, freezes, seed) => freezeEngines(app, { freezes, random: createRandom(seed) }),
    limits: { ...noDeliveryErrors, sentByOldEpoch: 0 },
  },
  'engine-takeovers': {
    unit: 'killed engines with work to take over',
    fullSize: 1_000,
    oneHourSize: 320,
    roundSize: 80,
    seconds: 2,
    isWaiting: true,
    run: async (app, kills, seed) => {
      const engines = Math.min(kills, 16)
      const waves = Math.ceil(kills / engines)
      const figures = await killEngines(app, { waves, engines, random: createRandom(seed) })
      return { ...figures, takenOverP99Ms: figures.takenOverAfterMs.p99 }
    },
    limits: { ...noDeliveryErrors, takenOverP99Ms: 30_000 },
  },
  'expired-tokens': {
    unit: 'mailboxes whose tokens expire at once',
    fullSize: 2_000,
    oneHourSize: 1_000,
    roundSize: 200,
    seconds: 0.6,
    isWaiting: true,
    run: async (_, mailboxes, seed, database) => {
      const random = createRandom(seed)
      const figures = await expireAllTokens({ engines: 8, mailboxes, random, database })
      return { ...figures, sendingAgainMaxMs: figures.sendingAgainMs.max }
    },
    limits: {
      ...{ lost: 0, duplicated: 0, markedFailing: 0, mostRefreshes: 1 },
      ...{ unneeded: 0, overlapping: 0, lapsed: 0, early: 0, unclaimed: 0 },
      sendingAgainMaxMs: 60_000,
    },
  },
  'reply-during-follow-up': {
    unit: 'replies at random moments',
    fullSize: 20_000,
    roundSize: 2_500,
    seconds: 0.06,
    isWaiting: true,
    run: (_, replies, seed, database) =>
      raceReplies({ replies, unanswered: Math.ceil(replies / 5), random: createRandom(seed), database }),
    limits: { late: 0, stale: 0, duplicated: 0, lost: 0, skippedEmails: 0, missingSteps: 0 },
  },
  'reply-stops-company': {
    unit: 'replies that stop the sequences of colleagues',
    fullSize: 10_000,
    oneHourSize: 2_000,
    roundSize: 500,
    seconds: 0.1,
    run: (app, companies, seed) => raceCompanyReplies(app, { companies, random: createRandom(seed) }),
    limits: { late: 0, duplicated: 0, mismatched: 0 },
  },
  'mailbox-caps': {
    unit: 'due prospects for the quota of 50 mailboxes',
    fullSize: 1_000_000,
    roundSize: 1_000_000,
    seconds: 0.00015,
    run: async (app, due, seed) => {
      // A day's quota covers at most a third of the due prospects.
      const cap = Math.min(50, Math.floor(due / 150))
      const size = { claimers: 16, cap, due, mailboxes: 50, days: 2 }
      const figures = await raceForQuota(app, { ...size, random: createRandom(seed) })
      return { ...figures, tooMany: figures.worst - cap, unused: 1 - figures.used }
    },
    limits: { duplicated: 0, tooMany: 0, unused: 0.02 },
  },
  'random-schedules': {
    unit: 'random schedules',
    fullSize: 5_000_000,
    roundSize: 50_000,
    seconds: 0.00007,
    run: async (_, cases, seed) => {
      const errors = [...checkRandomSchedules(cases, createRandom(seed))]
      return { mismatched: errors.length, errors: errors.slice(0, 3) }
    },
    limits: { mismatched: 0 },
  },
  'random-histories': {
    unit: 'random histories of campaigns',
    fullSize: 10_000,
    oneHourSize: 2_000,
    roundSize: 200,
    seconds: 0.3,
    run: (_, count, seed, database) => compareRandomHistories({ count, seed }, database),
    limits: { differences: 0 },
  },
  'mutated-emails': {
    unit: 'emails changed at random',
    fullSize: 100_000,
    roundSize: 10_000,
    seconds: 0.0025,
    run: async (_, count, seed) => {
      const figures = await mutateEmails({ count, seed })
      return { ...figures, broken: figures.failed.length }
    },
    limits: { broken: 0, overOneSecond: 0 },
  },
}

/** Returns the figures that are above their limits or not numbers. */
export const findExceededLimits = ({ limits }: Scenario, figures: Figures): string[] =>
  Object.entries(limits).flatMap(([name, limit]) =>
    Number(figures[name]) <= limit ? [] : `${name} ${figures[name]}, at most ${limit}`,
  )
