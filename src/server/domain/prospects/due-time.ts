import type { Schedule } from '../../../contract/schedule.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { nextAllowed } from '../campaigns/schedule.ts'
import { addDelay, type Delay } from '../campaigns/step-delay.ts'
import { findPersonZone, type Whereabouts } from './prospect-zone.ts'

/** By what clock, and in which hours, a prospect is written to; and until when not at all, for being away. */
export type Clock = Whereabouts & {
  schedule: Schedule | null
  accountTimezone: string
  awayUntil: Date | null
}

/** The columns of a Clock, from a prospect `r`, its campaign `c`, person `p` and account `a`. */
export const clockColumns = (sql: Sql): Fragment =>
  sql`p.timezone, p.phone, p.country, c.schedule, a.timezone as "accountTimezone", r.away_until as "awayUntil"`

/** From when the delay of the next step of a prospect `r` in the campaign `c` counts. */
export const waitsSince = (sql: Sql): Fragment =>
  sql`greatest(coalesce(r.waits_since, r.created_at), c.launched_at)`

/** Undefined when the schedule never opens again. */
export function nextOpening(from: Date, { schedule, ...clock }: Clock): Date | undefined {
  if (!schedule) return from
  const instant = Temporal.Instant.fromEpochMilliseconds(from.getTime())
  const opening = nextAllowed(instant, schedule, getProspectZone({ schedule, ...clock }))
  return opening && new Date(opening.epochMilliseconds)
}

/** When the delay is over, whether or not a window is open then. */
export const endOfDelay = (since: Date, delay: Delay, clock: Clock): Date =>
  delay.amount === 0 ? since : addDelay(since, delay, getProspectZone(clock), clock.schedule?.holidays)

/** When the delay is over, they are back and a window is open; the mere end of the delay when none opens again. */
export function dueAfter(since: Date, delay: Delay, clock: Clock): Date {
  const end = endOfDelay(since, delay, clock)
  const { awayUntil } = clock
  const from = awayUntil && awayUntil > end ? awayUntil : end
  return nextOpening(from, clock) ?? from
}

/** Of the prospect, as far as anything tells. */
export const getProspectZone = ({ schedule, accountTimezone, ...person }: Clock): string =>
  findPersonZone(person) ?? schedule?.timezone ?? accountTimezone
