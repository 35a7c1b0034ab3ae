import type { Schedule } from '../../../contract/schedule.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'

/** How many prospects a campaign may begin a day, and how many it has begun on the day it last began any. */
export type Newcomers = { perDay: number | null; begunOn: string | null; begunCount: number }

/** The columns of Newcomers, of a campaign `c`. */
export const newcomerColumns = (sql: Sql): Fragment =>
  sql`c.new_prospects_per_day as "perDay", c.begun_on::text as "begunOn", c.begun_count as "begunCount"`

type Calendar = { schedule: Schedule | null; accountTimezone: string }

const dayOf = (now: Date, { schedule, accountTimezone }: Calendar): Temporal.PlainDate =>
  Temporal.Instant.fromEpochMilliseconds(now.getTime())
    .toZonedDateTimeISO(schedule?.timezone ?? accountTimezone)
    .toPlainDate()

/** How many more the campaign may begin today; any number where it has no cap. */
export function newcomersLeft(
  { perDay, begunOn, begunCount }: Newcomers,
  calendar: Calendar,
  now: Date,
): number {
  if (perDay === null) return Number.POSITIVE_INFINITY
  return begunOn === dayOf(now, calendar).toString() ? perDay - begunCount : perDay
}

/** When the campaign may begin another prospect; undefined when it may now. */
export function beginsAgain(newcomers: Newcomers, calendar: Calendar, now: Date): Date | undefined {
  if (newcomersLeft(newcomers, calendar, now) > 0) return undefined
  const zone = calendar.schedule?.timezone ?? calendar.accountTimezone
  return new Date(dayOf(now, calendar).add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds)
}

/** Nobody else counts its newcomers until the transaction ends. */
export async function lockNewcomers(tx: Sql, campaignId: string): Promise<Newcomers> {
  const [newcomers] = await tx<Newcomers[]>`
    select ${newcomerColumns(tx)}
      from campaigns c
     where c.account_id = current_account_id() and c.id = ${campaignId}
       for no key update`
  return newcomers!
}

export const countNewcomers = (tx: Sql, campaignId: string, count: number, calendar: Calendar, now: Date) => {
  const today = dayOf(now, calendar).toString()
  return tx`
    update campaigns
       set begun_count = case when begun_on = ${today} then begun_count else 0 end + ${count}, begun_on = ${today}
     where account_id = current_account_id() and id = ${campaignId}`
}

/** Nobody need look for prospects to begin before. */
export const beginNobodyBefore = (tx: Sql, campaignId: string, until: Date) => tx`
  update campaigns
     set begins_from = ${until}
   where account_id = current_account_id() and id = ${campaignId} and (begins_from is null or begins_from < ${until})`
