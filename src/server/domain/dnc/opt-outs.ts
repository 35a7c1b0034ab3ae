import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { jsonObject, timestamp, uuid } from '../../kernel/db/json-object.ts'
import { AppError, conflict, type ErrorDetail, invalid, invalidAll, notFound } from '../../kernel/errors.ts'
import { failpoint } from '../../kernel/failpoints.ts'
import type { Json } from '../../kernel/json.ts'
import { afterCursor, isUpdatedSince, listPage, orderAndLimit } from '../../kernel/page.ts'
import { withInFlight } from '../../kernel/with-in-flight.ts'
import {
  isPublicDomain,
  parseOptOutIdentifier,
  toIdentifierError,
} from '../../protocols/identity/opt-out-identifier.ts'
import { audit } from '../accounts/audit-log.ts'
import { getDefaultCountry } from '../accounts/default-country.ts'
import { selectMember } from '../accounts/select-member.ts'
import { countInFlight } from '../outbox/in-flight.ts'
import { deleteOptOut, type NewOptOut, storeOptOuts } from '../people/opt-outs/store-opt-outs.ts'
import { countMatched, pauseOptedOutProspects } from '../prospects/stop-opted-out.ts'

export const optOutJson = (sql: Sql): Fragment => sql`
  ${jsonObject({
    id: uuid('o.id'),
    objectType: 'communication_opt_out',
    createdAt: timestamp('o.created_at'),
    updatedAt: timestamp('o.updated_at'),
    identifier: sql`o.value`,
    identifierType: sql`o.kind`,
    name: sql`o.name`,
    source: sql`o.source`,
    addedById: uuid('o.added_by_id'),
    addedBy: sql.unsafe(selectMember('name', 'o.account_id', 'o.added_by_id')),
  })} as json`

/** Above this number of matches, entries are read in list order instead of by ID. */
const MAX_FOUND = 1_000

export const listOptOuts = (
  ctx: Context,
  input: Input<'listOptOuts'>,
): Promise<Json<Output<'listOptOuts'>>> =>
  listPage(ctx, 'listOptOuts', input, page => {
    const { sql } = ctx
    const { query, identifierType, source, addedById, since, until } = page.filters
    const timeColumn = page.filters.updatedSince ? 'o.updated_at' : 'o.created_at'
    const order = orderAndLimit(sql, page, timeColumn, 'o.id')
    const rows = (where: Fragment): Fragment => sql`
      select o.*
        from opt_outs o
       where o.account_id = s.account_id ${where}
         ${identifierType ? sql`and o.kind = ${identifierType}` : sql``}
         ${source ? sql`and o.source = ${source}` : sql``}
         ${
           // The subselect hides the value from PostgreSQL's planner, which would scan by time for a member who added
           // most entries.
           addedById ? sql`and o.added_by_id = (select ${addedById}::uuid)` : sql``
         }
         ${since ? sql`and o.created_at >= ${since}::timestamptz` : sql``}
         ${until ? sql`and o.created_at < ${until}::timestamptz` : sql``}
         ${isUpdatedSince(sql, page, timeColumn)}
         ${afterCursor(sql, page, timeColumn, 'o.id')}
         ${order}`
    return sql`
      select o.id, api_time(${sql.identifier(timeColumn)}) as at, ${optOutJson(sql)}
        from (${query ? selectMatching(sql, query, rows, order) : rows(sql``)}) o
       ${order}`
  })

/** Selects the entries with these words, as listPersons does. */
function selectMatching(
  sql: Sql,
  query: string,
  rows: (where: Fragment) => Fragment,
  order: Fragment,
): Fragment {
  const hasWords = sql`o.search_text like all ((select word_patterns(${query}))::text[])`
  return sql`
    select o.*
      from (select array(select find_by_words('opt_outs', ${query}, ${MAX_FOUND + 1})) as ids) given
     cross join lateral (
            (${rows(sql`and cardinality(given.ids) <= ${MAX_FOUND} and o.id = any(given.ids)`)})
            union all
            (${rows(sql`and cardinality(given.ids) > ${MAX_FOUND} and case when ${hasWords} then true else false end`)})) o
     ${order}`
}

/**
 * Adds identifiers to the list and pauses matching prospects. The response waits up to five seconds for messages in
 * flight to these prospects, and includes the number of messages that could not be recalled.
 */
export async function addOptOuts(
  ctx: Context,
  { identifiers, pauseActiveProspects, confirmPublicDomain, expectedPeople }: Input<'addOptOuts'>,
): Promise<Output<'addOptOuts'>> {
  const entries = parseEntries(identifiers, await getDefaultCountry(ctx))
  if (!confirmPublicDomain) await rejectPublicDomains(ctx, entries)
  const people = await countMatched(ctx, entries)
  if (expectedPeople !== undefined && expectedPeople !== people)
    throw conflict(`The identifiers match ${people} people, not ${expectedPeople}. Nothing was changed.`)
  const added = await storeOptOuts(ctx, entries, {
    source: ctx.actor === 'cli' ? 'cli' : 'api',
    addedById: ctx.userId,
  })
  await failpoint('opt_out.stored')
  const pausedProspects = pauseActiveProspects ? await pauseOptedOutProspects(ctx, entries) : 0
  await audit(ctx, 'add', 'communication_opt_out')
  const total = identifiers.length
  return withInFlight(
    ctx,
    { total, added, alreadyPresent: total - added, people, pausedProspects },
    async () => {
      await failpoint('opt_out.committed')
      const inFlight = await countInFlight(ctx, { entries })
      await failpoint('opt_out.counted')
      return inFlight
    },
  )
}

/** Parses entries and removes duplicates, keeping the name of the first. Throws ValidationError with all errors. */
function parseEntries(
  identifiers: Input<'addOptOuts'>['identifiers'],
  defaultCountry: string | undefined,
): NewOptOut[] {
  const entries = new Map<string, NewOptOut>()
  const errors: ErrorDetail[] = []
  for (const [index, { name, ...input }] of identifiers.entries()) {
    const entry = parseOptOutIdentifier(input, defaultCountry)
    if (!entry) {
      errors.push({
        path: `identifiers.${index}.identifier`,
        message: toIdentifierError(input.identifierType),
      })
      continue
    }
    const key = `${entry.kind} ${entry.value}`
    if (!entries.has(key)) entries.set(key, { ...entry, name })
  }
  if (errors.length > 0) throw invalidAll(errors)
  return [...entries.values()]
}

/** Rejects the whole request, so that the caller decides before anything is stored. */
async function rejectPublicDomains(ctx: Context, entries: readonly NewOptOut[]): Promise<void> {
  const found = entries.filter(isPublicDomain)
  if (found.length === 0) return
  const domains = found.map(({ value }) => value)
  const people = await countMatched(ctx, found)
  const path = 'confirmPublicDomain'
  const message = `Anyone can have an address at ${domains.join(', ')}: this blocks everyone there, now ${people} of your people and everyone added later. To block one person, add their address instead.`
  throw new AppError('ValidationError', `${path}: ${message} Set it to true if you mean everyone.`, {
    details: [{ path, message }],
  })
}

export async function removeOptOut(
  ctx: Context,
  input: Input<'removeOptOut'>,
): Promise<Output<'removeOptOut'>> {
  const { identifier, identifierType } = input
  // An identifier that would no longer be accepted can still be removed if it exactly matches the listed value.
  const asListed = identifierType && { kind: identifierType, value: identifier }
  const entry = parseOptOutIdentifier(input, await getDefaultCountry(ctx)) ?? asListed
  if (!entry) throw invalid('identifier', toIdentifierError(undefined))
  const removedId = await deleteOptOut(ctx, entry)
  if (!removedId) throw notFound('Do Not Contact entry')
  await audit(ctx, 'remove', 'communication_opt_out', removedId)
  return { ok: true }
}
