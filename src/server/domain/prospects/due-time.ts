import type { Schedule } from '../../../contract/schedule.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { nextAllowed } from '../campaigns/schedule.ts'
import { addDelay, type Delay } from '../campaigns/step-delay.ts'
import { findPersonZone, type TimezoneFacts } from './prospect-zone.ts'

/** Time zone facts and sending hours of a prospect, and the end of its absence. */
export type Clock = TimezoneFacts & {
  schedule: Schedule | null
  accountTimezone: string
  awayUntil: Date | null
}

/** Returns the columns of a Clock, from a prospect `r`, its campaign `c`, person `p` and account `a`. */
export const clockColumns = (sql: Sql): Fragment =>
  sql`p.timezone, p.phone, p.country, c.schedule, a.timezone as "accountTimezone", r.away_until as "awayUntil"`

/** Selects when the delay of the next step of a prospect `r` in the campaign `c` started. */
export const delayStartsAt = (sql: Sql): Fragment =>
  sql`greatest(coalesce(r.delay_starts_at, r.created_at), c.launched_at)`

/** Returns the next instant at which the schedule is open; undefined when it never opens again. */
export function nextOpening(from: Date, { schedule, ...clock }: Clock): Date | undefined {
  if (!schedule) return from
  const instant = Temporal.Instant.fromEpochMilliseconds(from.getTime())
  const opening = nextAllowed(instant, schedule, getProspectZone({ schedule, ...clock }))
  return opening && new Date(opening.epochMilliseconds)
}

/** Returns the end of the delay, regardless of the schedule. */
export const getDelayEnd = (since: Date, delay: Delay, clock: Clock): Date =>
  delay.amount === 0 ? since : addDelay(since, delay, getProspectZone(clock), clock.schedule?.holidays)

/** Returns the first open time after the delay and any absence; ignores the schedule if it never opens again. */
export function getDueTime(since: Date, delay: Delay, clock: Clock): Date {
  const end = getDelayEnd(since, delay, clock)
  const { awayUntil } = clock
  const from = awayUntil && awayUntil > end ? awayUntil : end
  return nextOpening(from, clock) ?? from
}

/** Returns the prospect's time zone, or else the schedule's, or else the account's. */
export const getProspectZone = ({ schedule, accountTimezone, ...person }: Clock): string =>
  findPersonZone(person) ?? schedule?.timezone ?? accountTimezone
