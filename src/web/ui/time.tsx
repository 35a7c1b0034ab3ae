import { useEffect, useState } from 'react'
import { isKnownTimezone } from './known-timezone.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const MAX_RELATIVE_DAYS = 14
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })

const units = [
  ['minute', 60_000, 60],
  ['hour', 3_600_000, 24],
] as const

/** Formats a time relative to now: in hours up to a day, then in calendar days, and beyond two weeks as a date. */
export function formatRelative(at: Date, now: Date): string {
  const distance = at.getTime() - now.getTime()
  for (const [unit, unitMs, limit] of units) {
    const count = Math.round(distance / unitMs)
    if (Math.abs(count) < limit)
      return unit === 'minute' && count === 0 ? 'just now' : relative.format(count, unit)
  }
  const days = Math.round((toMidnight(at) - toMidnight(now)) / DAY_MS)
  return Math.abs(days) < MAX_RELATIVE_DAYS ? relative.format(days, 'day') : day.format(at)
}

/** Returns the start of the day in the reader's time zone. */
const toMidnight = (at: Date): number => new Date(at).setHours(0, 0, 0, 0)

/** Re-renders the component every minute to keep relative times current. */
export function useRenderEveryMinute(): void {
  const [, setMinute] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setMinute(minute => minute + 1), MINUTE_MS)
    return () => clearInterval(timer)
  }, [])
}

/** Shows a relative time, with the exact local time as its tooltip. */
export function Time({ at }: { at: string }) {
  const date = new Date(at)
  return (
    <time dateTime={at} title={exact.format(date)} className="whitespace-nowrap">
      {formatRelative(date, new Date())}
    </time>
  )
}

/** Shows a due time, or "as soon as possible" once it has passed. */
export const DueTime = ({ at }: { at: string }) =>
  new Date(at) > new Date() ? <Time at={at} /> : 'as soon as possible'

/** Shows a time in another person's zone, as in `Mon 09:00 their time`; nothing if this browser lacks the zone. */
export const LocalTime = ({ at, zone }: { at: string; zone: string }) =>
  isKnownTimezone(zone) && (
    <>
      <span className="whitespace-nowrap">
        {new Intl.DateTimeFormat('en-GB', {
          weekday: 'short',
          hour: '2-digit',
          minute: '2-digit',
          timeZone: zone,
        }).format(new Date(at))}
      </span>{' '}
      their time
    </>
  )

/** Formats the exact time in the reader's own time zone. */
export const formatDateTime = (at: Date): string => exact.format(at)

/**
 * Formats the exact time in a time zone, as in `30 Nov 2026, 09:00 (Berlin time)`, or in the reader's own if this
 * browser doesn't know the zone.
 */
export function formatDateTimeIn(at: Date, zone: string): string {
  if (!isKnownTimezone(zone)) return `${formatDateTime(at)} (your time)`
  const time = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: zone })
  const name = zone.split('/').at(-1)!.replaceAll('_', ' ')
  return `${time.format(at)} (${zone.includes('/') && !zone.startsWith('Etc/') ? `${name} time` : name})`
}

/** Formats seconds as minutes and seconds, such as `1:14`. */
export const formatDuration = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`

/** Formats an ISO date such as 2026-11-21 as `21 Nov`. */
export const formatDay = (date: string): string => dayAndMonth.format(new Date(date))

const dayAndMonth = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

const number = new Intl.NumberFormat('en')

export const formatNumber = (value: number): string => number.format(value)

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

/** Formats a fraction between 0 and 1 as a percentage. */
export const formatPercent = (fraction: number): string => percent.format(fraction)
