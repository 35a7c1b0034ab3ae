import type { Input } from '../../../contract/index.ts'
import { type reportNumbers, reportResponses } from '../../../contract/reports.ts'
import { type Context, withAccount } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { defineOutcomes } from '../campaigns/outcomes.ts'

type GroupBy = NonNullable<Input<'getReport'>['groupBy']>

/**
 * The number of outcomes of one kind in a group, or part of that number. The key is null for outcomes without a group.
 * Responses count people who were contacted in the group and responded to that contact.
 */
export type Count = {
  isTotal: boolean
  isResponse: boolean
  key: string | null
  name: keyof typeof reportNumbers
  count: number
}

export type Bounds = {
  limit: number
  first: string[]
  period: { from: string; until: string }
  bucketStarts: string[]
}

/** Outcomes other than emails that reach a prospect. */
const contacts = ['invited', 'linkedinSent', 'callsPlaced']

/** Counts outcomes in total and by group: the groups in `first`, then the largest ones. */
export const countOutcomes = (
  ctx: Context,
  input: Input<'getReport'>,
  { limit, first, period, bucketStarts }: Bounds,
): Promise<Count[]> => {
  const { sql } = ctx
  const { groupBy, campaignId } = input
  const selectKey = (alias: string, at: string) =>
    groupBy ? getKeys(sql, bucketStarts, alias, at)[groupBy] : sql`null::text`
  // Most prospects have no intent, so those with one are joined once.
  const intents =
    groupBy === 'intent'
      ? sql`left join (select id, intent from prospects where account_id = s.account_id and intent is not null) i
              on i.id = o.prospect_id`
      : sql``
  // If outcomes are grouped by intent, or not at all, each prospect is in exactly one group, so the groups add up to
  // the total.
  const isInOneGroup = !groupBy || groupBy === 'intent'
  /** Compares keys, treating null as equal to null, in a way that allows a hash join. */
  const isSame = (alias: string) =>
    sql`coalesce(${sql.identifier(`${alias}.key`)}::text, '') = coalesce(o.key::text, '')`
  /** Returns the condition that the prospect of `o` also got a counted email; the limit avoids reading all emails. */
  const hasEmail = (inGroup: boolean, isBefore: Fragment) => sql`
    coalesce((select true from sent_emails e
               where e.prospect_id = o.prospect_id ${filter(sql, 'e', input)} ${isBefore}
                 ${inGroup && !isInOneGroup ? sql`and coalesce(${selectKey('e', 'e.at')}::text, '') = coalesce(o.key::text, '')` : sql``}
               limit 1), false)`
  const isBefore = sql`and (e.at, e.id) < (o.at, o.id)`
  const isFiltered = Boolean(campaignId || input.repId || input.mailboxId)
  const isByTime = groupBy === 'day' || groupBy === 'week'
  const isFirst = sql`(o.previous_sent_at is null or o.previous_sent_at < ${period.from})`
  const isFirstInGroup =
    groupBy === 'step' || groupBy === 'variant'
      ? sql`(not o.is_irregular or ${isFirst})`
      : isByTime
        ? sql`(o.previous_sent_at is null or o.previous_sent_at < (${bucketStarts}::timestamptz[])[o.key])`
        : isFirst
  return sql<Count[]>`
    select found.*
      from ${withAccount(ctx)}
     cross join lateral (
       with ${defineOutcomes(sql, { campaignId, period })},
       emails as not materialized (
         select ${selectKey('o', 'o.at')} as key, o.id, o.prospect_id, o.at, o.previous_sent_at, o.is_irregular
           from sent_emails o ${intents}
          where true ${filter(sql, 'o', input)}),
       others as materialized (
         select ${selectKey('o', 'o.at')} as key, o.name, o.prospect_id, o.contacted_at, ${selectKey('o', 'o.contacted_at')} as contacted_key
           from other_outcomes o ${intents}
          where true ${filter(sql, 'o', input)}),
       responses as materialized (
         select contacted_key as key, name, prospect_id
           from others
          where name = any(${[...reportResponses]}::text[]) and contacted_at >= ${period.from} and contacted_at < ${period.until}),
       -- A person counts as contacted from their first email in the period and, in each group, from their first email
       -- in that group. The time of the previous email shows which email is the first, so a million emails are read
       -- only once and need no sorting.
       emailed as materialized (
         select key, count(*)::integer as sent, count(*) filter (where ${isFirstInGroup})::integer as contacted,
                count(*) filter (where ${isFirst})::integer as total
           -- "offset 0" makes PostgreSQL compute each key only once.
           from (select key, previous_sent_at, is_irregular from emails ${isByTime ? sql`offset 0` : sql``}) o
          group by key),
       -- Few emails are irregular: their previous email may be in another group, or filtered out.
       irregular as materialized (
         select key, (not ${isFirstInGroup} and not ${hasEmail(true, isBefore)})::integer as contacted,
                ${isFiltered ? sql`(not ${hasEmail(false, isBefore)})::integer` : sql`0`} as total
           from emails o
          where o.is_irregular and o.previous_sent_at >= ${period.from}
            and ${isFiltered || !(isInOneGroup || isByTime)}),
       -- Sorted like the index in which their emails are looked up.
       reached as materialized (
         select distinct prospect_id, key
           from others
          where name = any(${contacts}::text[]) and prospect_id is not null
          order by prospect_id, key),
       reached_in_group as materialized (
         select o.key, o.prospect_id,
                ${isInOneGroup ? sql`${hasEmail(false, sql``)}` : sql`coalesce(o.key::text, '') in (select coalesce(key::text, '') from emailed) and ${hasEmail(true, sql``)}`} as is_emailed
           from reached o),
       reached_only as materialized (
         select o.key, o.prospect_id, not ${isInOneGroup ? sql`o.is_emailed` : hasEmail(false, sql``)} as is_in_total
           from reached_in_group o
          where not o.is_emailed),
       counted as materialized (
         select key, 'sent' as name, sent as count from emailed
         union all
         select key, 'contacted', contacted from emailed where contacted > 0
         union all
         select key, 'contacted', sum(contacted)::integer from irregular group by key having sum(contacted) > 0
         union all
         select key, 'contacted', count(*)::integer from reached_only group by key
         union all
         select key, name, count(*)::integer from others group by key, name),
       groups as (
         select key, row_number() over (order by is_first desc, contacted desc nulls last, total desc, key) as rank
           from (select key, coalesce(key::text, '') = any(${first}::text[]) as is_first,
                        sum(count) filter (where name = 'contacted') as contacted, sum(count) as total
                   from counted
                  group by key
                  order by is_first desc, contacted desc nulls last, total desc, key
                  limit ${groupBy ? limit : 0}) g)
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
       select null, true, false, null, 'contacted',
              ((select coalesce(sum(total), 0) from emailed) + (select coalesce(sum(total), 0) from irregular)
               + (select count(distinct prospect_id) from reached_only where is_in_total))::integer) found
     order by found.rank`
}

const filter = (sql: Sql, alias: string, { repId, mailboxId }: Input<'getReport'>): Fragment => sql`
  ${repId ? sql`and ${sql.identifier(`${alias}.rep_id`)} = ${repId}` : sql``}
  ${mailboxId ? sql`and ${sql.identifier(`${alias}.mailbox_id`)} = ${mailboxId}` : sql``}`

/** Returns the key of an outcome by group; for days and weeks, it depends on the column `at`. */
const getKeys = (sql: Sql, bucketStarts: string[], alias: string, at: string): Record<GroupBy, Fragment> => {
  const column = (name: string) => sql.identifier(`${alias}.${name}`)
  const bucket = sql`width_bucket(${sql.identifier(at)}, ${bucketStarts}::timestamptz[])`
  return {
    campaign: column('campaign_id'),
    step: column('step_id'),
    variant: column('variant_id'),
    rep: column('rep_id'),
    mailbox: column('mailbox_id'),
    recipientDomain: column('domain'),
    intent: sql`i.intent`,
    day: bucket,
    week: bucket,
  }
}
