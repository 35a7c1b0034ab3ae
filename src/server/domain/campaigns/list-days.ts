import { invalid } from '../../kernel/errors.ts'

const DEFAULT_DAYS = 30
const MAX_DAYS = 366

type Days = { from: string | undefined; to: string | undefined; now: Date; timezone: string }

/** Lists the days of a period, by default the last 30. Throws when there are too many. */
export function listDays({ from, to, now, timezone }: Days): Temporal.PlainDate[] {
  const today = now.toTemporalInstant().toZonedDateTimeISO(timezone).toPlainDate()
  const first = from === undefined ? undefined : Temporal.PlainDate.from(from)
  const isAhead = first && Temporal.PlainDate.compare(first, today) > 0
  const last = to === undefined ? (isAhead ? first : today) : Temporal.PlainDate.from(to)
  const start = first ?? last.subtract({ days: DEFAULT_DAYS - 1 })
  const count = start.until(last).days + 1
  if (count > MAX_DAYS) throw invalid('from', `must be at most ${MAX_DAYS} days before the last day`)
  return Array.from({ length: count }, (_, n) => start.add({ days: n }))
}

/**
 * Returns the start of each day and the end of the last one. Computed here because PostgreSQL's time zone data may
 * differ.
 */
export const toDayStarts = (days: Temporal.PlainDate[], timezone: string): string[] =>
  [...days, days.at(-1)!.add({ days: 1 })].map(day => day.toZonedDateTime(timezone).toInstant().toString())
