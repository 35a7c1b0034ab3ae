import type { Input, Output } from '../../../../contract/index.ts'
import type { Context } from '../../../kernel/context.ts'
import type { Fragment, Sql } from '../../../kernel/db/database.ts'
import { invalid, invalidAll } from '../../../kernel/errors.ts'
import type { Json } from '../../../kernel/json.ts'
import {
  afterCursor,
  isUpdatedSince,
  orderAndLimit,
  type Page,
  parsePage,
  readPage,
} from '../../../kernel/page.ts'
import { canonicalDomain } from '../../../protocols/identity/domain.ts'
import { requireEmail } from '../../../protocols/identity/email.ts'
import { readCustomParser } from '../custom-fields/custom-values.ts'
import { isOptedOut } from '../opt-outs/find-opt-outs.ts'
import { selectPersonIds } from './person-aliases.ts'
import { personJson } from './person-json.ts'
import { type Condition, MAX_FOUND, selectMatching } from './select-matching.ts'

type Filters = Omit<Input<'listPersons'>, 'limit' | 'cursor'>

export async function listPersons(
  ctx: Context,
  input: Input<'listPersons'>,
): Promise<Json<Output<'listPersons'>>> {
  const parsed = parsePage(ctx, 'listPersons', input)
  const filters = withContactTimes(parsed.filters, ctx.app.now())
  const page = { ...parsed, isAscending: parsed.isAscending || isAscending(filters) }
  const customValues = filters.custom === undefined ? undefined : await parseCustomFilter(ctx, filters.custom)
  return readPage(ctx, page, () => {
    const { sql } = ctx
    const filterSource = chooseFilterSource(sql, filters)
    const sortSource = chooseSortSource(sql, filters)
    const source = sortSource ?? filterSource
    const { alias, personId } = source
    const [sortColumn, idColumn] = [`${alias}.${source.sortColumn}`, `${alias}.${source.idColumn}`]
    const order = orderAndLimit(sql, page, 'x.at', 'x.id')
    const type = source.sortColumn === 'sort_name' ? 'text' : 'timestamptz'
    const select = (condition: Fragment): Fragment => sql`
      select ${sql.identifier(sortColumn)} as at, ${sql.identifier(idColumn)} as id
        from ${source.rows}
       where ${sql.identifier(`${alias}.account_id`)} = s.account_id and ${source.isIncluded} ${condition}
         ${isUpdatedSince(sql, page, sortColumn)}
         ${afterCursor(sql, page, sortColumn, idColumn, type)} ${orderAndLimit(sql, page, sortColumn, idColumn)}`
    const onPerson = (condition: Fragment): Fragment =>
      alias === 'p'
        ? condition
        : sql`(select ${condition} from persons p where p.account_id = s.account_id and p.id = ${sql.identifier(personId)})`
    const conditions = findConditions(ctx, page, customValues, sortSource && filterSource)
    const matching = selectMatching(sql, conditions, { personId, onPerson, select, order })
    const joinPersons =
      source.joinPersons ?? sql`join persons p on p.account_id = s.account_id and p.id = x.id`
    return sql`
      select x.id, x.at::text as at, ${personJson(ctx)}
        from (${matching}) x
        ${joinPersons}
       ${order}`
  })
}

/** Converts filters by days since the last contact to filters by time. */
function withContactTimes(filters: Filters, now: Date): Filters {
  const { notContactedForDays, contactedWithinDays } = filters
  const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString()
  return {
    ...filters,
    ...(notContactedForDays && { lastContactedBefore: daysAgo(notContactedForDays) }),
    ...(contactedWithinDays && { lastContactedAfter: daysAgo(contactedWithinDays) }),
  }
}

/** A source of rows that an index returns in list order. Each row refers to one person, who is joined to the page. */
type Source = {
  rows: Fragment
  alias: string
  personId: string
  idColumn: 'id' | 'person_id'
  sortColumn: 'created_at' | 'updated_at' | 'sort_name' | 'last_contacted_at' | 'last_replied_at'
  isIncluded: Fragment
  /** Joins persons `p`. Set for rows whose `idColumn` is not the ID of the person. */
  joinPersons?: Fragment
}

const isAscending = ({ sort, order }: Filters): boolean =>
  (order ?? (sort === 'name' ? 'asc' : 'desc')) === 'asc'

/** Returns the source for a sort order; undefined for the order of creation. */
function chooseSortSource(
  sql: Sql,
  { sort, lastContactedBefore, lastContactedAfter }: Filters,
): Source | undefined {
  const isByContact = lastContactedBefore || lastContactedAfter
  if (sort === 'name')
    return {
      rows: sql`persons p`,
      alias: 'p',
      personId: 'p.id',
      idColumn: 'id',
      sortColumn: 'sort_name',
      isIncluded: sql`p.erased_at is null`,
    }
  if (sort === 'lastContactedAt' || sort === 'lastRepliedAt' || isByContact)
    return {
      rows: sql`person_activity v`,
      alias: 'v',
      personId: 'v.person_id',
      idColumn: 'person_id',
      sortColumn: sort === 'lastRepliedAt' ? 'last_replied_at' : 'last_contacted_at',
      isIncluded: sql`
        ${lastContactedBefore ? sql`v.last_contacted_at < ${lastContactedBefore}::timestamptz` : sql`true`}
        ${lastContactedAfter ? sql`and v.last_contacted_at >= ${lastContactedAfter}::timestamptz` : sql``}`,
    }
  return undefined
}

/**
 * Returns the source that has an index in order of creation for the given filter; the contract allows one of these
 * filters at a time. The subselects hide values from the planner, which would scan by time when most persons have the
 * value.
 */
function chooseFilterSource(
  sql: Sql,
  {
    email,
    domain,
    companyId,
    ownerRepId,
    tag,
    campaignId,
    prospectStatus,
    createdSince,
    updatedSince,
  }: Filters,
): Source {
  const since = (column: string) =>
    createdSince ? sql`and ${sql.identifier(column)} >= ${createdSince}::timestamptz` : sql``
  if (tag)
    return {
      rows: sql`person_tags t`,
      alias: 't',
      personId: 't.id',
      idColumn: 'id',
      sortColumn: 'created_at',
      isIncluded: sql`
        t.tag_id = (select id from tags where account_id = s.account_id and name_key = lower(${tag.normalize()}))
        ${since('t.created_at')}`,
    }
  if (campaignId)
    return {
      rows: sql`prospects r`,
      alias: 'r',
      personId: 'r.person_id',
      idColumn: 'id',
      sortColumn: 'created_at',
      isIncluded: sql`
        r.campaign_id = (select ${campaignId}::uuid) and not r.is_duplicate
        ${prospectStatus ? sql`and r.status = (select ${prospectStatus}::text)` : sql``}
        and exists (select from persons e
                     where e.account_id = r.account_id and e.id = r.person_id and e.erased_at is null offset 0)`,
      joinPersons: sql`
        join prospects enrolled on enrolled.account_id = s.account_id and enrolled.id = x.id
        join persons p on p.account_id = s.account_id and p.id = enrolled.person_id`,
    }
  // `email`, `domain`, `companyId` and `ownerRepId` never match erased persons, and `updatedSince` includes them. The
  // indexes of these filters don't cover the condition; with it, the planner would scan by time.
  const excludesErased = !(email || domain || companyId || ownerRepId || updatedSince)
  return {
    rows: sql`persons p`,
    alias: 'p',
    personId: 'p.id',
    idColumn: 'id',
    sortColumn: updatedSince ? 'updated_at' : 'created_at',
    isIncluded: sql`
      ${excludesErased ? sql`p.erased_at is null` : sql`true`}
      ${email ? sql`and p.id = (${selectPersonIds(sql, 'email', sql`array[${requireEmail(email)}]`, sql`s.account_id`)} limit 1)` : sql``}
      ${domain ? sql`and p.domain_key = (select reverse(${requireDomain(domain)}) collate "C")` : sql``}
      ${companyId ? sql`and p.company_id = (select ${companyId}::uuid)` : sql``}
      ${ownerRepId ? sql`and p.owner_rep_id = (select ${ownerRepId}::uuid)` : sql``}
      ${since('p.created_at')}`,
  }
}

function requireDomain(text: string): string {
  const domain = canonicalDomain(text)
  if (!domain) throw invalid('domain', 'must be a domain, such as acme.example')
  return domain
}

/**
 * Returns the conditions that the source does not already apply. `filterSource` is the source for the filters if the
 * list reads from a different source.
 */
function findConditions(
  ctx: Context,
  page: Page<Filters>,
  customValues: object | undefined,
  filterSource: Source | undefined,
): Condition[] {
  const { sql } = ctx
  const { filters } = page
  const conditions: Condition[] = []
  if (filters.query) {
    const ids = sql`array(select find_by_words('persons', ${filters.query}, ${MAX_FOUND + 1}))`
    conditions.push({
      predicate: sql`p.search_text like all ((select word_patterns(${filters.query}))::text[])`,
      ids: isFirstSearchPage(page)
        ? sql`coalesce(find_newest_by_words(${filters.query}, ${page.limit + 1}), ${ids})`
        : ids,
    })
  }
  if (customValues) {
    const values = sql.json(customValues as never)
    conditions.push({
      predicate: sql`p.custom @> ${values}`,
      ids: sql`array(select find_by_custom(${values}, ${MAX_FOUND + 1}))`,
    })
  }
  if (filters.intent) {
    const replied = sql`from prospects i where i.account_id = s.account_id and i.intent = any(${filters.intent})`
    conditions.push({
      // `offset 0` keeps the planner from hashing all prospects with these intents.
      predicate: sql`exists (select ${replied} and i.person_id = p.id offset 0)`,
      ids: sql`array(select i.person_id ${replied} limit ${MAX_FOUND + 1})`,
    })
  }
  if (filterSource && rowFilters.some(name => filters[name] !== undefined)) {
    const { rows, alias, personId, isIncluded } = filterSource
    const account = sql.identifier(`${alias}.account_id`)
    const id = sql.identifier(personId)
    conditions.push({
      predicate:
        alias === 'p'
          ? isIncluded
          : sql`exists (select from ${rows} where ${account} = s.account_id and ${id} = p.id and ${isIncluded})`,
      ids: sql`array(select ${id} from ${rows} where ${account} = s.account_id and ${isIncluded} limit ${MAX_FOUND + 1})`,
    })
  }
  if (filters.excludeOptedOut) conditions.push({ predicate: sql`not ${isOptedOut(sql, ctx.app)}` })
  return conditions
}

/** Reports whether this is the first page of a search by words alone, newest first. */
const isFirstSearchPage = ({ filters, position, isAscending }: Page<Filters>): boolean =>
  !position &&
  !isAscending &&
  Object.entries(filters).every(
    ([name, value]) => !value || name === 'query' || name === 'order' || value === 'createdAt',
  )

/** Filters that choose the rows to read. */
const rowFilters = [
  'email',
  'domain',
  'companyId',
  'ownerRepId',
  'tag',
  'campaignId',
  'createdSince',
] as const

/** Parses `key:value`. Throws ValidationError for unknown keys and values that the field can't have. */
async function parseCustomFilter(ctx: Context, filter: string): Promise<object> {
  const [key, ...rest] = filter.split(':')
  const value = rest.join(':').trim()
  if (!key || !value)
    throw invalid('custom', 'must be the key of a custom field and a value, such as industry:logistics')
  const { parsed, errors } = (await readCustomParser(ctx, 'person')).parse({ [key.trim()]: value })
  if (errors.length > 0) throw invalidAll(errors)
  return parsed
}
