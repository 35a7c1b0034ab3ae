const DAYS_PER_WEEK = 7
const MONDAY = 1

/**
 * Returns the days to compare a period with: the previous month for a whole month, the same days of the previous week
 * for a week to date, and otherwise the same number of days directly before the period.
 */
export function getDaysBefore(days: readonly Temporal.PlainDate[]): Temporal.PlainDate[] {
  const [first, last] = [days[0]!, days.at(-1)!]
  const isWholeMonth = first.day === 1 && last.equals(first.with({ day: first.daysInMonth }))
  const isWeekToDate = first.dayOfWeek === MONDAY && days.length < DAYS_PER_WEEK
  const start = first.subtract(
    isWholeMonth ? { months: 1 } : { days: isWeekToDate ? DAYS_PER_WEEK : days.length },
  )
  return Array.from({ length: isWholeMonth ? start.until(first).days : days.length }, (_, n) =>
    start.add({ days: n }),
  )
}
