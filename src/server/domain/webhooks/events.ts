import type { Input, Output } from '../../../contract/index.ts'
import { type Context, withAccount } from '../../kernel/context.ts'
import { signToken, verifyToken } from '../../kernel/crypto.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { invalid } from '../../kernel/errors.ts'
import { Json } from '../../kernel/json.ts'
import { readEventData } from './event-data.ts'

const DEFAULT_LIMIT = 10
/** A page examines at most this many events, so that rare types cost no more than others. */
const MAX_EXAMINED = 2_000
const DAY_MS = 86_400_000
const DELETE_BATCH = 10_000

/**
 * A cursor in the order of events: the ID of a transaction and the position of an event in it. `at` is when the caller
 * had read up to the cursor, accurate to a day.
 */
type Cursor = { tx: string; position: string; at: Date }

type EventRow = Cursor & { id: string; eventType: string; objectId: string; data: string | null }

export async function listEvents(
  ctx: Context,
  { after, types, limit = DEFAULT_LIMIT }: Input<'listEvents'>,
): Promise<Json<Output<'listEvents'>>> {
  const [snapshot] = await ctx.sql<{ horizon: string }[]>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as horizon`
  // All transactions before the horizon have ended, so their events are complete.
  const { horizon } = snapshot!
  const start: Cursor = { tx: '0', position: '0', at: ctx.app.now() }
  if (after === 'latest') {
    const [latest] = await readEvents(ctx, { cursor: start, horizon, order: 'desc', limit: 1 })
    return toPage(ctx, [], { hasMore: false, next: { ...start, ...latest, at: start.at } })
  }
  const cursor = after === undefined ? start : parseCursor(ctx, after, horizon)
  const maxRows = (types ? MAX_EXAMINED : limit) + 1
  const rows = await readEvents(ctx, { cursor, horizon, order: 'asc', limit: maxRows })
  const wanted = rows.filter(({ eventType }) => isOfType(eventType, types))
  const events = wanted.slice(0, limit)
  if (wanted.length > limit) return toPage(ctx, events, { hasMore: true, next: events.at(-1)! })
  return toPage(ctx, events, { hasMore: rows.length === maxRows, next: rows.at(-1) ?? cursor })
}

type Range = { cursor: Cursor; horizon: string; order: 'asc' | 'desc'; limit: number }

const readEvents = ({ sql, ...ctx }: Context, { cursor, horizon, order, limit }: Range) => sql<EventRow[]>`
  select e.*
    from ${withAccount({ sql, ...ctx })}
   cross join lateral (
     select id, event_type as "eventType", object_id as "objectId", data, created_at as at, tx::text as tx,
            position::text as position
       from events
      where account_id = s.account_id and tx < ${horizon}::text::xid8
        and (tx, position) > (${cursor.tx}::text::xid8, ${cursor.position}::text::bigint)
      order by ${order === 'asc' ? sql`events.tx, events.position` : sql`events.tx desc, events.position desc`}
      limit ${limit}) e`

const isOfType = (eventType: string, types: readonly string[] = ['*']): boolean =>
  types.some(type => type === '*' || type === eventType || type === eventType.replace(/\..*/, '.*'))

async function toPage(
  ctx: Context,
  events: readonly EventRow[],
  { hasMore, next }: { hasMore: boolean; next: Cursor },
): Promise<Json<Output<'listEvents'>>> {
  const data = await readEventData(ctx, events)
  const items = events.map(
    ({ id, eventType, at }, index) =>
      `{"id":"${id}","objectType":"event","type":"${eventType}","timestamp":"${at.toISOString()}","data":${data[index]}}`,
  )
  return new Json(`{"data":[${items.join(',')}],"hasMore":${hasMore},"next":"${createToken(ctx, next)}"}`)
}

const getPurpose = (ctx: Context) => `events ${ctx.accountId}`

function createToken(ctx: Context, { tx, position, at }: Cursor): string {
  const now = ctx.app.now()
  const readAt = now.getTime() - at.getTime() < DAY_MS ? at : now
  return signToken(ctx.app.keys, getPurpose(ctx), `${tx} ${position} ${readAt.getTime()}`)
}

function parseCursor(ctx: Context, token: string, horizon: string): Cursor {
  const text = verifyToken(ctx.app.keys, getPurpose(ctx), token)
  if (!text) throw invalid('after', 'must be `latest`, or the `next` of an earlier response')
  const [tx, position, readAt] = text.split(' ') as [string, string, string]
  // The transaction IDs of a restored database start again.
  if (BigInt(tx) >= BigInt(horizon))
    throw invalid('after', 'is from before the database was restored. Start again without it')
  const at = new Date(Number(readAt))
  if (at < getExpiry(ctx.app.now()))
    throw invalid('after', 'is older than 30 days, and later events were deleted. Start again without it')
  return { tx, position, at }
}

const getExpiry = (now: Date): Date => new Date(now.getTime() - 30 * DAY_MS)

/** Deletes events older than 30 days. Requires the engine's role. */
export const deleteOldEvents = (engineSql: Sql, now: Date) => engineSql`
  delete from events
   where (account_id, tx, position) in (
           select account_id, tx, position
             from events
            where created_at < ${getExpiry(now)}
            order by created_at
            limit ${DELETE_BATCH})`

/** Returns a condition that is true if there are events with transaction IDs that the server has not reached. */
const hasLaterEvents = (engineSql: Sql) => engineSql`
  exists (select
            from accounts a
           cross join lateral (select tx from events where account_id = a.id order by tx desc limit 1) newest
           where newest.tx >= pg_snapshot_xmax(pg_current_snapshot()))`

/**
 * Returns whether the database was restored into another server, where the stored events have later transaction IDs
 * than the server has reached. Returns false again after `resetRestoredEvents`. Requires the engine's role.
 */
export async function isRestored(engineSql: Sql): Promise<boolean> {
  const [row] = await engineSql<{ isRestored: boolean }[]>`
    select ${hasLaterEvents(engineSql)} as "isRestored"`
  return row!.isRestored
}

/**
 * Makes the events of a database that was restored into another server come before all new events. Their transaction
 * IDs are from the old server and may be far ahead. Requires the engine's role.
 */
export const resetRestoredEvents = (engineSql: Sql) => engineSql`
  update events
     set tx = '0'
   where tx >= pg_snapshot_xmax(pg_current_snapshot())
     and ${hasLaterEvents(engineSql)}`
