import { campaignStatuses } from '../../../contract/campaigns.ts'
import type { Input, Output } from '../../../contract/index.ts'
import { type Context, withAccount } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { Json } from '../../kernel/json.ts'
import {
  afterCursor,
  isUpdatedSince,
  orderAndLimit,
  type Page,
  parsePage,
  readPage,
} from '../../kernel/page.ts'
import { campaignJson } from './campaigns.ts'
import { defineOutcomes } from './outcomes.ts'

type CampaignList = Output<'listCampaigns'>
type Filters = Omit<Input<'listCampaigns'>, 'limit' | 'cursor'>
type Numbers = NonNullable<CampaignList['data'][number]['numbers']>
type TimeField = 'nextSendAt' | 'lastActivityAt'

/** Above this number of matches, campaigns are read in list order instead of by ID. */
const MAX_FOUND = 1_000

export async function listCampaigns(
  ctx: Context,
  input: Input<'listCampaigns'>,
): Promise<Json<CampaignList>> {
  const parsed = parsePage(ctx, 'listCampaigns', input)
  const { sort, order, numbers: hasNumbers } = parsed.filters
  const isAscending = (order ?? (sort === 'name' ? 'asc' : 'desc')) === 'asc'
  const page = { ...parsed, isAscending: parsed.isAscending || isAscending }
  const result: Json<CampaignList> = await readPage(ctx, page, () =>
    sort === 'name' || sort === 'lastActivityAt'
      ? selectSorted(ctx.sql, page, sort)
      : selectPage(ctx.sql, page),
  )
  if (!hasNumbers) return result
  const list = JSON.parse(result.text) as CampaignList
  const numbers = await countNumbers(ctx, list.data)
  const data = list.data.map(each => ({ ...each, numbers: numbers.get(each.id)! }))
  return new Json(JSON.stringify({ ...list, data }))
}

function selectPage(sql: Sql, page: Page<Filters>): Fragment {
  const { status, query, isArchived, updatedSince } = page.filters
  const timeColumn = updatedSince ? 'c.updated_at' : 'c.created_at'
  const order = orderAndLimit(sql, page, timeColumn, 'c.id')
  const rows = (where: Fragment) => sql`
    select c.*
      from campaigns c
     where c.account_id = s.account_id ${where} ${isOfRep(sql, page.filters)}
       ${isUpdatedSince(sql, page, timeColumn)} ${afterCursor(sql, page, timeColumn, 'c.id')}
     ${order}`
  const matching = (where: Fragment) => (query ? selectMatching(sql, query, where, rows, order) : rows(where))
  const inArchive =
    isArchived === undefined ? sql`` : sql`and c.is_archived = ${sql.unsafe(String(isArchived))}`
  // Each status is a range of an index in list order. Merging the heads of these ranges reads a few pages at most; a
  // filter by several statuses would scan past every campaign with another status.
  const statuses = status?.length ? [...new Set(status)] : isArchived === undefined ? [] : campaignStatuses
  const merged = sql`
    select c.*
      from unnest(${[...statuses]}::text[]) wanted(status)
     cross join lateral (${matching(sql`and c.status = wanted.status ${inArchive}`)}) c
     ${order}`
  return sql`
    select c.id, api_time(${sql.identifier(timeColumn)}) as at, ${campaignJson(sql)}
      from (${statuses.length > 0 ? merged : matching(sql``)}) c
     ${order}`
}

const sortKeys = { name: 'text', lastActivityAt: 'timestamptz' } as const

/**
 * Selects a page sorted by name or last activity. The activity is computed for every matching campaign, of which an
 * account has a few thousand at most.
 */
function selectSorted(sql: Sql, page: Page<Filters>, sort: keyof typeof sortKeys): Fragment {
  const { status, query, isArchived } = page.filters
  const key = sort === 'name' ? sql`c.sort_name` : sql`coalesce((${selectLastActivity(sql)}), c.created_at)`
  const order = orderAndLimit(sql, page, 'c.at', 'c.id')
  return sql`
    select c.id, ${sort === 'name' ? sql`c.at` : sql`api_time(c.at)`} as at, ${campaignJson(sql)}
      from (select c.*, ${key} as at
              from campaigns c
             where c.account_id = s.account_id ${isOfRep(sql, page.filters)}
               ${status?.length ? sql`and c.status = any(${status})` : sql``}
               ${isArchived === undefined ? sql`` : sql`and c.is_archived = ${isArchived}`}
               ${query ? sql`and ${hasWords(sql, query)}` : sql``}) c
     where true ${afterCursor(sql, page, 'c.at', 'c.id', sortKeys[sort])}
     ${order}`
}

/** Selects the time at which the last message of campaign `c` was sent or received; null if there is none. */
const selectLastActivity = (sql: Sql): Fragment => sql`
  select greatest((select max(sent_at) from email_messages
                    where account_id = c.account_id and campaign_id = c.id and status = 'sent'),
                  (select max(happened_at) from linkedin_messages
                    where account_id = c.account_id and campaign_id = c.id and status = 'sent'))`

/** Returns a condition with an array, so that PostgreSQL's planner looks up the campaigns by key. */
const isOfRep = (sql: Sql, { repId }: Filters): Fragment =>
  repId
    ? sql`and c.id = any(array(select k.campaign_id from campaign_reps k
                                where k.account_id = s.account_id and k.rep_id = ${repId}))`
    : sql``

const hasWords = (sql: Sql, query: string): Fragment =>
  sql`c.search_text like all ((select word_patterns(${query}))::text[])`

/** Selects the campaigns whose names match the query, in the same way as listPersons finds people. */
const selectMatching = (
  sql: Sql,
  query: string,
  where: Fragment,
  rows: (where: Fragment) => Fragment,
  order: Fragment,
): Fragment => {
  return sql`
    select c.*
      from (select array(select find_by_words('campaigns', ${query}, ${MAX_FOUND + 1})) as ids) given
     cross join lateral (
            (${rows(sql`${where} and cardinality(given.ids) <= ${MAX_FOUND} and c.id = any(given.ids)`)})
            union all
            (${rows(sql`${where} and cardinality(given.ids) > ${MAX_FOUND} and case when ${hasWords(sql, query)} then true else false end`)})) c
     ${order}`
}

/** Counts the outcomes of these campaigns in one statement, from the rows that statistics and reports count. */
async function countNumbers(
  ctx: Context,
  campaigns: readonly { id: string }[],
): Promise<Map<string, Numbers>> {
  const { sql } = ctx
  const ids = campaigns.map(({ id }) => id)
  const rows = await sql<
    (Omit<Numbers, 'replyRate' | TimeField> & { id: string } & Record<TimeField, string | null>)[]
  >`
    select found.*
      from ${withAccount(ctx)}
     cross join lateral (
       with ${defineOutcomes(sql, { campaignId: ids })},
       counted as materialized (
         select campaign_id, case when name in ('bouncedHard', 'bouncedSoft', 'blocked') then 'bounced' else name end as name,
                count(*)::integer as count
           from other_outcomes
          group by 1, 2
         union all
         -- People contacted on other channels only; those who got emails are counted below.
         select campaign_id, 'contacted', count(distinct prospect_id)::integer
           from other_outcomes o
          where name in ('invited', 'linkedinSent', 'callsPlaced')
            and not exists (select from sent where campaign_id = o.campaign_id and prospect_id = o.prospect_id)
          group by 1)
       select c.id,
              (select count(*)::integer from prospects where account_id = c.account_id and campaign_id = c.id) as prospects,
              case when c.status = 'active' then (
                select api_time(min(next_step_at)) from prospects
                 where account_id = c.account_id and campaign_id = c.id
                   and status in ('pending', 'active', 'out_of_office') and next_step_at is not null) end as "nextSendAt",
              api_time((${selectLastActivity(sql)})) as "lastActivityAt",
              (select count(*)::integer from sent_emails where campaign_id = c.id and previous_sent_at is null)
                + ${selectCount(sql, 'contacted')} as contacted,
              ${selectCount(sql, 'replied')} as replied, ${selectCount(sql, 'positive')} as positive,
              ${selectCount(sql, 'bounced')} as bounced
         from campaigns c
         left join counted n on n.campaign_id = c.id
        where c.account_id = s.account_id and c.id = any(${ids}::uuid[])
        group by c.account_id, c.id) found`
  return new Map(
    rows.map(({ id, nextSendAt, lastActivityAt, ...counts }) => [
      id,
      {
        ...counts,
        ...(counts.contacted > 0 && { replyRate: Number((counts.replied / counts.contacted).toFixed(4)) }),
        ...(nextSendAt && { nextSendAt }),
        ...(lastActivityAt && { lastActivityAt }),
      },
    ]),
  )
}

const selectCount = (sql: Sql, name: 'contacted' | 'replied' | 'positive' | 'bounced'): Fragment =>
  sql`coalesce(sum(n.count) filter (where n.name = ${name}), 0)::integer`
