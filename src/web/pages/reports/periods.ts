import { shiftDay } from '../../ui/days.ts'
import type { Period } from './search-params.ts'

/** The first and the last day. */
export type Days = { from: string; to: string }

/** Returns the days of a period up to `today`; weeks begin on Monday. */
export function getDays(period: Period, today: string): Days {
  const monthStart = getMonthStart(today)
  switch (period) {
    case 'this-week':
      return { from: shiftDay(today, 1 - (getWeekday(today) || DAYS_PER_WEEK)), to: today }
    case 'last-week': {
      const sunday = shiftDay(today, -(getWeekday(today) || DAYS_PER_WEEK))
      return { from: shiftDay(sunday, -6), to: sunday }
    }
    case 'this-month':
      return { from: monthStart, to: today }
    case 'last-month': {
      const to = shiftDay(monthStart, -1)
      return { from: getMonthStart(to), to }
    }
    case '30-days':
      return { from: shiftDay(today, -29), to: today }
    case '90-days':
      return { from: shiftDay(today, -89), to: today }
  }
}

const DAYS_PER_WEEK = 7

/** Returns the days to compare with: the previous month, the same days of the previous week, or as many days before. */
export function getDaysBefore({ from, to }: Days): Days {
  const end = shiftDay(from, -1)
  if (getWeekday(from) === 1 && countDays({ from, to }) < DAYS_PER_WEEK)
    return { from: shiftDay(from, -DAYS_PER_WEEK), to: shiftDay(to, -DAYS_PER_WEEK) }
  const isWholeMonth = from === getMonthStart(to) && shiftDay(to, 1) === getMonthStart(shiftDay(to, 1))
  return { from: isWholeMonth ? getMonthStart(end) : shiftDay(end, 1 - countDays({ from, to })), to: end }
}

export const countDays = ({ from, to }: Days): number => (toTime(to) - toTime(from)) / DAY_MS + 1

/** Formats days as in `16–22 Nov 2026`. */
export const formatDays = ({ from, to }: Days): string => range.formatRange(toTime(from), toTime(to))

const DAY_MS = 86_400_000

const range = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})

const toTime = (day: string): number => Date.parse(`${day}T00:00:00Z`)

const getMonthStart = (day: string): string => `${day.slice(0, 7)}-01`

/** Returns 0 for Sunday. */
const getWeekday = (day: string): number => new Date(toTime(day)).getUTCDay()
