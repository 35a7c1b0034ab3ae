import type { Input, Output } from '../../../contract/index.ts'
import {
  type RateName,
  type Response,
  rateDenominators,
  reportNumbers,
  responses,
} from '../../../contract/reports.ts'
import { type Context, withAccount } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { invalid } from '../../kernel/errors.ts'
import { requireKnownIds } from '../../kernel/id-filters.ts'
import { isTimezone } from '../../protocols/identity/timezone.ts'
import { compareVariants, getInterval, roundRate } from '../campaigns/compare-variants.ts'
import { listDays, toDayStarts } from '../campaigns/list-days.ts'
import { defineOutcomes, getDelivered } from '../campaigns/outcomes.ts'
import { nameGroups } from './name-groups.ts'

type Report = Output<'getReport'>
type GroupBy = NonNullable<Input<'getReport'>['groupBy']>
type NumberName = keyof typeof reportNumbers
type Numbers = Record<NumberName, number>
type Measured = Report['total']
/**
 * Number of outcomes of one kind in a group. The key is null for outcomes of no group. Responses count people who were
 * contacted in the group and responded to that.
 */
type Count = { isTotal: boolean; isResponse: boolean; key: string | null; name: NumberName; count: number }

const DEFAULT_LIMIT = 400
/** Outcomes that reach a prospect. */
const contacts = ['invited', 'linkedinSent', 'callsPlaced']

export async function getReport(ctx: Context, input: Input<'getReport'>): Promise<Report> {
  const { groupBy, campaignId, repId, mailboxId, limit = DEFAULT_LIMIT } = input
  await requireKnownIds(ctx, { campaignId, repId, mailboxId })
  const timezone = await findTimezone(ctx, input.timezone)
  const days = listDays({ from: input.from, to: input.to, now: ctx.app.now(), timezone })
  const buckets = groupBy === 'week' ? startWeeks(days) : days
  const starts = toDayStarts(days, timezone)
  const counts = await countOutcomes(ctx, input, {
    limit: limit + 1,
    period: { from: starts[0]!, until: starts.at(-1)! },
    bucketStarts: toDayStarts(buckets, timezone).slice(0, -1),
  })
  const [total, groups] = [counts.filter(({ isTotal }) => isTotal), counts.filter(({ isTotal }) => !isTotal)]
  const byKey = Map.groupBy(groups, ({ key }) => key)
  const isByTime = groupBy === 'day' || groupBy === 'week'
  const keys = isByTime ? buckets.map((_, n) => String(n + 1)) : [...byKey.keys()]
  const shown = keys.slice(0, isByTime ? undefined : limit)
  const names = groupBy ? await nameGroups(ctx, groupBy, shown) : new Map()
  const data = shown.map((key, n) => {
    const counts = byKey.get(key) ?? []
    const measured = measure(counts)
    return {
      ...(isByTime ? { key: toDate(groupBy, buckets[n]!) } : key !== null && { key }),
      ...names.get(key),
      ...measured,
      ...(groupBy === 'variant' &&
        key !== null && {
          replyInterval: getInterval(countReplies(counts), measured.contacted),
        }),
    }
  })
  return {
    objectType: 'report',
    from: days[0]!.toString(),
    to: days.at(-1)!.toString(),
    timezone,
    ...(groupBy && { groupBy }),
    total: measure(total),
    data,
    hasMore: keys.length > shown.length,
    ...(groupBy === 'variant' && {
      comparisons: compareVariants(
        data.flatMap(({ key, stepId, contacted }) =>
          key && stepId
            ? [{ variantId: key, stepId, contacted, successes: countReplies(byKey.get(key) ?? []) }]
            : [],
        ),
      ),
    }),
  }
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

function measure(counts: readonly Count[]): Measured {
  const numbers = Object.fromEntries(Object.keys(reportNumbers).map(name => [name, 0])) as Numbers
  for (const { name, count, isResponse } of counts) if (!isResponse) numbers[name] += count
  numbers.delivered = getDelivered(numbers)
  const parts = { ...numbers, bounced: numbers.sent - numbers.delivered, ...countResponses(counts) }
  const rates = Object.entries(rateDenominators).flatMap(([name, of]): [string, number][] =>
    numbers[of] > 0 ? [[name, roundRate(parts[name as RateName] / numbers[of])]] : [],
  )
  return { ...numbers, rates: Object.fromEntries(rates) }
}

function countResponses(counts: readonly Count[]): Record<Response, number> {
  const own = Object.fromEntries(responses.map(name => [name, 0])) as Record<Response, number>
  for (const { name, count, isResponse } of counts) if (isResponse) own[name as Response] += count
  return own
}

const countReplies = (counts: readonly Count[]): number => countResponses(counts).replied

type Bounds = { limit: number; period: { from: string; until: string }; bucketStarts: string[] }

/** Counts outcomes by group, the largest first, and in total. */
const countOutcomes = (
  ctx: Context,
  { groupBy, campaignId, repId, mailboxId }: Input<'getReport'>,
  { limit, period, bucketStarts }: Bounds,
): Promise<Count[]> => {
  const { sql } = ctx
  const keyAt = (at: string) => (groupBy ? keys(sql, bucketStarts, at)[groupBy] : sql`null::text`)
  const filters = sql`
    true ${repId ? sql`and o.rep_id = ${repId}` : sql``} ${mailboxId ? sql`and o.mailbox_id = ${mailboxId}` : sql``}`
  // Most prospects have no intent: those who have one are joined once.
  const intents =
    groupBy === 'intent'
      ? sql`left join (select id, intent from prospects where account_id = s.account_id and intent is not null) i
              on i.id = o.prospect_id`
      : sql``
  // A prospect has one intent, and without groups one row: then the groups add up to the total.
  const isInOneGroup = !groupBy || groupBy === 'intent'
  /** Compares keys, of which one may be null, in a way that allows a hash join. */
  const isSame = (alias: string) =>
    sql`coalesce(${sql.identifier(`${alias}.key`)}::text, '') = coalesce(o.key::text, '')`
  return sql<Count[]>`
    select found.*
      from ${withAccount(ctx)}
     cross join lateral (
       with ${defineOutcomes(sql, { campaignId, period })},
       others as materialized (
         select ${keyAt('o.at')} as key, o.name, o.prospect_id, o.contacted_at, ${keyAt('o.contacted_at')} as contacted_key
           from other_outcomes o ${intents}
          where ${filters}),
       responses as materialized (
         select contacted_key as key, name, prospect_id
           from others
          where name = any(${[...responses]}::text[]) and contacted_at >= ${period.from} and contacted_at < ${period.until}),
       -- A million emails are read and sorted once, into a row for each prospect and group, and one for each prospect.
       -- Sorting, with the prospect first, is faster than hashing so many ids.
       contacted as materialized (
         select is_total, key, sum(emails)::integer as sent, count(*)::integer as contacted
           from (select ${isInOneGroup ? sql`false` : sql`grouping(key) = 1`} as is_total, key, count(email)::integer as emails
                   from (select ${keyAt('o.at')} as key, o.prospect_id, 1 as email from sent o ${intents} where ${filters}
                         union all
                         select key, prospect_id, null from others
                          where name = any(${contacts}::text[]) and prospect_id is not null
                         order by prospect_id, key) c
                  group by ${isInOneGroup ? sql`prospect_id, key` : sql`grouping sets ((prospect_id, key), (prospect_id))`}) p
          group by is_total, key),
       counted as materialized (
         select m.key, c.name, c.count
           from contacted m
          cross join lateral (values ('sent', m.sent), ('contacted', m.contacted)) c(name, count)
          where not m.is_total and c.count > 0
         union all
         select key, name, count(*)::integer from others group by key, name),
       groups as (
         select key,
                row_number() over (order by sum(count) filter (where name = 'contacted') desc nulls last, sum(count) desc, key) as rank
           from counted
          group by key
          order by rank
          limit ${groupBy ? limit : 0})
       select o.rank, false as "isTotal", false as "isResponse", o.key::text, c.name, c.count
         from groups o
         join counted c on ${isSame('c')}
       union all
       select o.rank, false, true, o.key::text, r.name, count(distinct r.prospect_id)::integer
         from groups o
         join responses r on ${isSame('r')}
        group by o.rank, o.key, r.name
       union all
       select null, true, true, null, name, count(distinct prospect_id)::integer from responses group by name
       union all
       select null, true, false, null, name, sum(count)::integer from counted where name <> 'contacted' group by name
       union all
       select null, true, false, null, 'contacted', sum(contacted)::integer
         from contacted
        where ${isInOneGroup ? sql`true` : sql`is_total`}
       having count(*) > 0) found
     order by found.rank`
}

/** Returns the key of an outcome by group; that of groups by time depends on a column. */
const keys = (sql: Sql, bucketStarts: string[], at: string): Record<GroupBy, Fragment> => {
  const bucket = sql`width_bucket(${sql.identifier(at)}, ${bucketStarts}::timestamptz[])`
  return {
    campaign: sql`o.campaign_id`,
    step: sql`o.step_id`,
    variant: sql`o.variant_id`,
    rep: sql`o.rep_id`,
    mailbox: sql`o.mailbox_id`,
    recipientDomain: sql`o.domain`,
    intent: sql`i.intent`,
    day: bucket,
    week: bucket,
  }
}
