import type { Input, Output } from '../../../contract/index.ts'
import { type Context, inAccount } from '../../kernel/context.ts'
import { toDayStarts } from '../campaigns/list-days.ts'
import { describeBottleneck } from './describe-bottleneck.ts'
import { findRiskyRecipients, listRecipients } from './find-risky-recipients.ts'
import { previewLaunch } from './preview-launch.ts'
import { readWork } from './read-work.ts'
import { type Cohort, type CompletedStep, type SimulatedCampaign, simulate } from './simulate.ts'

type Forecast = Output<'forecastCampaign'>

/** Simulates the campaign from now on. Takes a second or two for 50,000 prospects, and yields to other requests. */
export async function forecastCampaign(
  ctx: Context,
  { campaignId, horizonDays }: Input<'forecastCampaign'>,
): Promise<Forecast> {
  const { campaign, launch, recipients, ...work } = await inAccount(
    ctx.app.db.app,
    ctx.accountId,
    async sql => {
      const tx = { ...ctx, sql }
      const work = await readWork(tx, campaignId, horizonDays)
      const launch = work.incomplete && (await previewLaunch(tx, campaignId, work.incomplete))
      return { ...work, launch, recipients: launch ? await listRecipients(tx, campaignId) : [] }
    },
  )
  const riskyAddresses = launch && (await findRiskyRecipients(ctx, recipients))
  const timezone = campaign.schedule?.timezone ?? campaign.accountTimezone
  const now = ctx.app.now()
  const days = listDaysAhead(now, timezone, horizonDays)
  const tally = createTally(campaign, days, timezone)
  const { waits, left } = await simulate(work, {
    start: now.getTime(),
    end: tally.end,
    onDone: done => (done.cohort.campaign === campaign ? tally.count(done) : undefined),
  })
  const remaining = left.flatMap(({ cohort, reason }) =>
    cohort.campaign === campaign ? [{ reason, emails: countEmails(cohort) }] : [],
  )
  return {
    objectType: 'campaign_forecast',
    campaignId: campaign.id,
    timezone,
    prospects: [...work.cohorts, ...work.queued.map(({ cohort }) => cohort)].reduce(
      (sum, cohort) => (cohort.campaign === campaign ? sum + cohort.count : sum),
      0,
    ),
    ...tally.summarize(),
    endsAfterHorizon: remaining.some(({ reason, emails }) => !reason && emails > 0),
    remainingEmails: remaining.reduce((sum, { emails }) => sum + emails, 0),
    bottleneck: describeBottleneck(
      waits.filter(wait => wait.campaign === campaign),
      remaining,
    ),
    ...(launch && { launch: { ...launch, ...(riskyAddresses && { riskyAddresses }) } }),
  }
}

/** Returns the time of the first email of a campaign being launched; undefined if none is sent within half a year. */
export async function forecastFirstSend(ctx: Context, campaignId: string): Promise<Date | undefined> {
  const { campaign, ...work } = await readWork(ctx, campaignId, FIRST_SEND_DAYS)
  const start = ctx.app.now().getTime()
  let first: number | undefined
  await simulate(work, {
    start,
    end: start + FIRST_SEND_DAYS * DAY_MS,
    onDone: ({ cohort, at, mailboxId }) => {
      if (cohort.campaign === campaign && mailboxId) first ??= at
    },
    isEnough: () => first !== undefined,
  })
  return first === undefined ? undefined : new Date(first)
}

const FIRST_SEND_DAYS = 180
const DAY_MS = 24 * 3_600_000

function listDaysAhead(now: Date, timezone: string, count: number): Temporal.PlainDate[] {
  const today = now.toTemporalInstant().toZonedDateTimeISO(timezone).toPlainDate()
  return Array.from({ length: count }, (_, n) => today.add({ days: n }))
}

/** Counts the emails that the prospects of a cohort have yet to receive. */
const countEmails = ({ campaign, step, hasEmail, count }: Cohort): number =>
  hasEmail ? count * campaign.steps.slice(step).filter(({ channel }) => channel === 'email').length : 0

type Totals = { count: number; first: number; last: number }

function createTally(campaign: SimulatedCampaign, days: Temporal.PlainDate[], timezone: string) {
  const starts = toDayStarts(days, timezone).map(start => Date.parse(start))
  const end = starts.at(-1)! - 1
  const steps = new Map<number, Totals>()
  const byDay = new Map<number, Map<string, number>>()
  const times = { first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY }
  let today = 0

  /** Returns the index of the day. Days advance with simulated time, except for queued emails, which come first. */
  function findDay(at: number): number {
    while (today > 0 && at < starts[today]!) today--
    while (at >= starts[today + 1]!) today++
    return today
  }

  function count({ cohort, at, count, mailboxId }: CompletedStep): void {
    if (at > end) return
    const totals = steps.getOrInsert(cohort.step, { count: 0, first: at, last: at })
    totals.count += count
    totals.first = Math.min(totals.first, at)
    totals.last = Math.max(totals.last, at)
    if (!mailboxId) return
    const day = byDay.getOrInsertComputed(findDay(at), () => new Map<string, number>())
    day.set(mailboxId, (day.get(mailboxId) ?? 0) + count)
    times.first = Math.min(times.first, at)
    times.last = Math.max(times.last, at)
  }

  function summarize(): Pick<
    Forecast,
    'emails' | 'firstSendAt' | 'lastSendAt' | 'steps' | 'mailboxes' | 'days'
  > {
    const totals = new Map<string, number>()
    const dayTotals = [...byDay]
      .sort(([a], [b]) => a - b)
      .map(([day, mailboxes]) => {
        for (const [id, emails] of mailboxes) totals.set(id, (totals.get(id) ?? 0) + emails)
        return {
          date: days[day]!.toString(),
          emails: sum(mailboxes),
          mailboxes: Object.fromEntries(mailboxes),
        }
      })
    const toDate = (at: number) => days[findDay(at)]!.toString()
    return {
      emails: sum(totals),
      ...(totals.size > 0 && {
        firstSendAt: new Date(times.first).toISOString(),
        lastSendAt: new Date(times.last).toISOString(),
      }),
      steps: campaign.steps.map(({ id, channel }, index) => {
        const step = steps.get(index)
        return {
          ...{ stepId: id, position: index + 1, channel, count: step?.count ?? 0 },
          ...(step && { firstOn: toDate(step.first), lastOn: toDate(step.last) }),
        }
      }),
      mailboxes: [...totals].map(([id, emails]) => ({
        mailboxId: id,
        email: campaign.mailboxes.find(mailbox => mailbox.id === id)?.email ?? '',
        emails,
      })),
      days: dayTotals,
    }
  }

  return { count, summarize, end }
}

const sum = (counts: ReadonlyMap<string, number>): number =>
  counts.values().reduce((sum, count) => sum + count, 0)
