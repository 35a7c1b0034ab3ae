import type { Input, Output } from '../../../contract/index.ts'
import {
  type RateName,
  type ReportResponse,
  rateDenominators,
  reportNumbers,
  reportResponses,
} from '../../../contract/reports.ts'
import { type Context, withAccount } from '../../kernel/context.ts'
import { invalid } from '../../kernel/errors.ts'
import { requireKnownIds } from '../../kernel/id-filters.ts'
import { isTimezone } from '../../protocols/identity/timezone.ts'
import { compareVariants, getInterval, roundRate } from '../campaigns/compare-variants.ts'
import { listDays, toDayStarts } from '../campaigns/list-days.ts'
import { getDelivered } from '../campaigns/outcomes.ts'
import { type Count, countOutcomes } from './count-outcomes.ts'
import { getDaysBefore } from './days-before.ts'
import { nameGroups } from './name-groups.ts'

type Report = Output<'getReport'>
type GroupBy = NonNullable<Input<'getReport'>['groupBy']>
type NumberName = keyof typeof reportNumbers
type Numbers = Record<NumberName, number>
type Metrics = Report['total']
const DEFAULT_LIMIT = 400

export async function getReport(ctx: Context, input: Input<'getReport'>): Promise<Report> {
  const { groupBy, campaignId, repId, mailboxId, limit = DEFAULT_LIMIT } = input
  await requireKnownIds(ctx, { campaignId, repId, mailboxId })
  const timezone = await findTimezone(ctx, input.timezone)
  const days = listDays({ from: input.from, to: input.to, now: ctx.app.now(), timezone })
  const { total, byKey, buckets } = await countPeriod(ctx, input, days, { timezone, first: [] })
  const isByTime = isTime(groupBy)
  const keys = isByTime ? buckets.map((_, n) => String(n + 1)) : [...byKey.keys()]
  const daysBefore = input.compare ? getDaysBefore(days) : undefined
  const before =
    daysBefore && (await countPeriod(ctx, input, daysBefore, { timezone, first: keys.slice(0, limit) }))
  // Adds the groups that have outcomes only in the previous period, unless the limit cut off groups: a group that was
  // cut off would look like one of them.
  if (before && !isByTime && keys.length <= limit)
    keys.push(...[...before.byKey.keys()].filter(key => !byKey.has(key)))
  const shownKeys = keys.slice(0, isByTime ? undefined : limit)
  const names = groupBy ? await nameGroups(ctx, groupBy, shownKeys) : new Map()
  const data = shownKeys.map((key, n) => {
    const counts = byKey.get(key) ?? []
    const measured = measure(counts)
    return {
      ...(isByTime ? { key: toDate(groupBy!, buckets[n]!) } : key !== null && { key }),
      ...names.get(key),
      ...measured,
      ...(groupBy === 'variant' &&
        key !== null &&
        byKey.has(key) && {
          replyInterval: getInterval(countReplies(counts), measured.contacted),
        }),
      ...(before &&
        (!isByTime || n < before.buckets.length) && { before: measure(before.byKey.get(key) ?? []) }),
    }
  })
  return {
    objectType: 'report',
    ...toRange(days),
    timezone,
    ...(groupBy && { groupBy }),
    ...(daysBefore && { comparedWith: toRange(daysBefore) }),
    total: { ...measure(total), ...(before && { before: measure(before.total) }) },
    data,
    hasMore: keys.length > shownKeys.length,
    ...(groupBy === 'variant' && {
      comparisons: compareVariants(
        data.flatMap(({ key, stepId, contacted }) =>
          key && stepId && byKey.has(key)
            ? [{ variantId: key, stepId, contacted, successes: countReplies(byKey.get(key) ?? []) }]
            : [],
        ),
      ),
    }),
  }
}

const isTime = (groupBy: GroupBy | undefined): groupBy is 'day' | 'week' =>
  groupBy === 'day' || groupBy === 'week'

const toRange = (days: readonly Temporal.PlainDate[]): { from: string; to: string } => ({
  from: days[0]!.toString(),
  to: days.at(-1)!.toString(),
})

type Period = {
  total: Count[]
  /** Counts by group key, such as an ID. The key of a day or week is its number in the period, starting at 1. */
  byKey: Map<string | null, Count[]>
  /** The first day of each day or week. */
  buckets: Temporal.PlainDate[]
}

/**
 * Counts the outcomes of the days in total and by group. Returns all days or weeks, or else at most one group more than
 * the limit: the groups in `first`, then the largest ones.
 */
async function countPeriod(
  ctx: Context,
  input: Input<'getReport'>,
  days: Temporal.PlainDate[],
  { timezone, first }: { timezone: string; first: readonly (string | null)[] },
): Promise<Period> {
  const buckets = input.groupBy === 'week' ? startWeeks(days) : days
  const starts = toDayStarts(days, timezone)
  const counts = await countOutcomes(ctx, input, {
    limit: isTime(input.groupBy) ? buckets.length : (input.limit ?? DEFAULT_LIMIT) + 1,
    first: first.map(key => key ?? ''),
    period: { from: starts[0]!, until: starts.at(-1)! },
    bucketStarts: toDayStarts(buckets, timezone).slice(0, -1),
  })
  const [total, groups] = [counts.filter(({ isTotal }) => isTotal), counts.filter(({ isTotal }) => !isTotal)]
  return { total, byKey: Map.groupBy(groups, ({ key }) => key), buckets }
}

async function findTimezone(ctx: Context, given: string | undefined): Promise<string> {
  if (given !== undefined) {
    if (!isTimezone(given)) throw invalid('timezone', 'must be an IANA time zone, such as Europe/London')
    return given
  }
  const [account] = await ctx.sql<{ timezone: string }[]>`
    select a.timezone from ${withAccount(ctx)} cross join lateral (select timezone from accounts where id = s.account_id) a`
  return account!.timezone
}

/** Returns the first day, and each Monday after it. */
const startWeeks = (days: Temporal.PlainDate[]): Temporal.PlainDate[] =>
  days.filter((day, n) => n === 0 || day.dayOfWeek === 1)

const toDate = (groupBy: GroupBy, start: Temporal.PlainDate): string =>
  (groupBy === 'week' ? start.subtract({ days: start.dayOfWeek - 1 }) : start).toString()

function measure(counts: readonly Count[]): Metrics {
  const numbers = Object.fromEntries(Object.keys(reportNumbers).map(name => [name, 0])) as Numbers
  for (const { name, count, isResponse } of counts) if (!isResponse) numbers[name] += count
  numbers.delivered = getDelivered(numbers)
  const parts = { ...numbers, bounced: numbers.sent - numbers.delivered, ...countResponses(counts) }
  const rates = Object.entries(rateDenominators).flatMap(([name, denominator]): [string, number][] =>
    numbers[denominator] > 0 ? [[name, roundRate(parts[name as RateName] / numbers[denominator])]] : [],
  )
  return { ...numbers, rates: Object.fromEntries(rates) }
}

function countResponses(counts: readonly Count[]): Record<ReportResponse, number> {
  const totals = Object.fromEntries(reportResponses.map(name => [name, 0])) as Record<ReportResponse, number>
  for (const { name, count, isResponse } of counts) if (isResponse) totals[name as ReportResponse] += count
  return totals
}

const countReplies = (counts: readonly Count[]): number => countResponses(counts).replied
