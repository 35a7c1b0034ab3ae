import type { Schedule } from '../../../contract/schedule.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'

/**
 * A campaign's daily limit of new prospects, the last day on which it started any, and how many it started that day.
 */
export type NewProspectLimit = { perDay: number | null; begunOn: string | null; begunCount: number }

/** Returns the columns of a NewProspectLimit for the campaign `c`. */
export const newProspectLimitColumns = (sql: Sql): Fragment =>
  sql`c.new_prospects_per_day as "perDay", c.begun_on::text as "begunOn", c.begun_count as "begunCount"`

type Calendar = { schedule: Schedule | null; accountTimezone: string }

const toLocalDate = (now: Date, { schedule, accountTimezone }: Calendar): Temporal.PlainDate =>
  Temporal.Instant.fromEpochMilliseconds(now.getTime())
    .toZonedDateTimeISO(schedule?.timezone ?? accountTimezone)
    .toPlainDate()

/** Returns how many more prospects the campaign may start today; Infinity without a limit. */
export function countNewProspectsLeft(
  { perDay, begunOn, begunCount }: NewProspectLimit,
  calendar: Calendar,
  now: Date,
): number {
  if (perDay === null) return Number.POSITIVE_INFINITY
  return begunOn === toLocalDate(now, calendar).toString() ? perDay - begunCount : perDay
}

/** Returns the time from which the campaign may start another prospect; undefined when it may now. */
export function findNextNewProspectAt(
  limit: NewProspectLimit,
  calendar: Calendar,
  now: Date,
): Date | undefined {
  if (countNewProspectsLeft(limit, calendar, now) > 0) return undefined
  const zone = calendar.schedule?.timezone ?? calendar.accountTimezone
  return new Date(toLocalDate(now, calendar).add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds)
}

/** Returns the limit after the campaign started `count` more prospects, as `recordNewProspects` stores it. */
export function addStarted(
  limit: NewProspectLimit,
  count: number,
  calendar: Calendar,
  now: Date,
): NewProspectLimit {
  const today = toLocalDate(now, calendar).toString()
  return { ...limit, begunOn: today, begunCount: (limit.begunOn === today ? limit.begunCount : 0) + count }
}

/** Reads the limit and locks it until the transaction ends. */
export async function lockNewProspectLimit(tx: Sql, campaignId: string): Promise<NewProspectLimit> {
  const [limit] = await tx<NewProspectLimit[]>`
    select ${newProspectLimitColumns(tx)}
      from campaigns c
     where c.account_id = current_account_id() and c.id = ${campaignId}
       for no key update`
  return limit!
}

export const recordNewProspects = (
  tx: Sql,
  campaignId: string,
  count: number,
  calendar: Calendar,
  now: Date,
) => {
  const today = toLocalDate(now, calendar).toString()
  return tx`
    update campaigns
       set begun_count = case when begun_on = ${today} then begun_count else 0 end + ${count}, begun_on = ${today}
     where account_id = current_account_id() and id = ${campaignId}`
}

/** Keeps the engine from claiming new prospects of the campaign before the given time. */
export const pauseNewProspects = (tx: Sql, campaignId: string, until: Date) => tx`
  update campaigns
     set begins_from = ${until}
   where account_id = current_account_id() and id = ${campaignId} and (begins_from is null or begins_from < ${until})`

/**
 * Ends these pauses in all active or paused campaigns that use the account's time zone. Returns the IDs of those
 * campaigns.
 */
export async function resumeNewProspects(tx: Sql): Promise<string[]> {
  const campaigns = await tx<{ id: string }[]>`
    update campaigns
       set begins_from = null
     where account_id = current_account_id()
       and id = any(array(select id
                            from campaigns
                           where account_id = current_account_id() and status in ('active', 'paused')
                             and schedule ->> 'timezone' is null
                           order by id
                             for update))
    returning id`
  return campaigns.map(({ id }) => id)
}
