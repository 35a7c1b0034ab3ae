import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { jsonObject, timestamp, uuid } from '../../kernel/db/json-object.ts'
import { conflict, invalid, notFound } from '../../kernel/errors.ts'
import { findJson, type Json } from '../../kernel/json.ts'
import { afterCursor, listPage, orderAndLimit } from '../../kernel/page.ts'
import { audit } from '../accounts/audit-log.ts'
import { bookMeeting } from './book-meeting.ts'
import { setCancelled } from './cancel-meeting.ts'

/** Builds the API's JSON of meeting `g`. */
export const meetingJson = (sql: Sql): Fragment => sql`
  ${jsonObject({
    id: uuid('g.id'),
    objectType: 'meeting',
    createdAt: timestamp('g.created_at'),
    updatedAt: timestamp('g.updated_at'),
    prospectId: uuid('g.prospect_id'),
    personId: uuid('g.person_id'),
    campaignId: uuid('g.campaign_id'),
    repId: uuid('g.rep_id'),
    source: sql`g.source`,
    status: sql`g.status`,
    startsAt: timestamp('g.starts_at'),
    bookedAt: timestamp('g.booked_at'),
    emailMessageId: uuid('g.email_message_id'),
    notes: sql`g.notes`,
  })} as json`

export const listMeetings = (
  ctx: Context,
  input: Input<'listMeetings'>,
): Promise<Json<Output<'listMeetings'>>> =>
  listPage(ctx, 'listMeetings', input, newestFirst => {
    const { sql } = ctx
    const { prospectId, personId, campaignId, status, startsAfter, startsBefore } = newestFirst.filters
    const isByStart = startsAfter !== undefined || startsBefore !== undefined
    const page = { ...newestFirst, isAscending: newestFirst.isAscending || isByStart }
    const timeColumn = isByStart ? 'g.starts_at' : 'g.booked_at'
    return sql`
      select g.id, api_time(${sql.unsafe(timeColumn)}) as at, ${meetingJson(sql)}
        from meetings g
       where g.account_id = s.account_id
         ${prospectId ? sql`and g.prospect_id = ${prospectId}` : sql``}
         ${personId ? sql`and g.person_id = ${personId}` : sql``}
         ${campaignId ? sql`and g.campaign_id = ${campaignId}` : sql``}
         ${status ? sql`and g.status = ${sql.unsafe(`'${status}'`)}` : sql``}
         ${startsAfter ? sql`and g.starts_at >= ${startsAfter}::timestamptz` : sql``}
         ${startsBefore ? sql`and g.starts_at < ${startsBefore}::timestamptz` : sql``}
         ${afterCursor(sql, page, timeColumn, 'g.id')}
         ${orderAndLimit(sql, page, timeColumn, 'g.id')}`
  })

const getMeeting = (ctx: Context, meetingId: string): Promise<Json<Output<'recordMeeting'>>> =>
  findJson(
    ctx,
    'meeting',
    ctx.sql`select ${meetingJson(ctx.sql)} from meetings g where g.account_id = s.account_id and g.id = ${meetingId}`,
  )

export async function recordMeeting(
  ctx: Context,
  { prospectId, startsAt, notes }: Input<'recordMeeting'>,
): Promise<Json<Output<'recordMeeting'>>> {
  const { sql, app } = ctx
  const meeting = { prospectId, startsAt: new Date(startsAt), notes, source: 'manual' as const }
  const booked = await bookMeeting(sql, meeting, app.now())
  if (!booked) throw invalid('prospectId', 'must be the ID of a prospect in this account')
  if (booked.isNew) await audit(ctx, 'record', 'meeting', booked.id)
  return getMeeting(ctx, booked.id)
}

export async function updateMeeting(
  ctx: Context,
  { meetingId, startsAt, notes }: Input<'updateMeeting'>,
): Promise<Json<Output<'updateMeeting'>>> {
  const { sql, accountId } = ctx
  await lockMeeting(ctx, meetingId)
  const { count } = await sql`
    update meetings g
       set starts_at = coalesce(${startsAt ?? null}, starts_at),
           notes = case when ${notes !== undefined} then ${notes ?? null} else notes end, updated_at = now()
     where account_id = ${accountId} and id = ${meetingId}
       and not exists (select from meetings o
                        where o.account_id = g.account_id and o.prospect_id = g.prospect_id and o.id <> g.id
                          and o.status = 'booked' and o.starts_at = ${startsAt ?? null}::timestamptz)`
  if (count === 0) throw conflict('The prospect has another meeting at that time. Cancel that one first.')
  await audit(ctx, 'update', 'meeting', meetingId)
  return getMeeting(ctx, meetingId)
}

export async function cancelMeeting(
  ctx: Context,
  { meetingId }: Input<'cancelMeeting'>,
): Promise<Json<Output<'cancelMeeting'>>> {
  if ((await lockMeeting(ctx, meetingId)) === 'booked') {
    await setCancelled(ctx.sql, meetingId)
    await audit(ctx, 'cancel', 'meeting', meetingId)
  }
  return getMeeting(ctx, meetingId)
}

async function lockMeeting({ sql, accountId }: Context, meetingId: string): Promise<string> {
  const [meeting] = await sql<{ status: string }[]>`
    select status from meetings where account_id = ${accountId} and id = ${meetingId} for update`
  if (!meeting) throw notFound('meeting')
  return meeting.status
}
