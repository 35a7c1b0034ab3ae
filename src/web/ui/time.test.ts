import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { formatDateTime, formatDateTimeIn, formatRelative, LocalTime } from './time.tsx'

describe('a relative time', () => {
  const at = (day: number, hour: number, minute = 0) => new Date(2026, 10, day, hour, minute)
  afterEach(() => void vi.unstubAllEnvs())

  it.each([
    ['2 days ago', at(23, 21, 30), at(25, 9)],
    ['yesterday', at(24, 9), at(25, 20)],
    ['in 2 days', at(25, 9), at(23, 22)],
    ['tomorrow', at(24, 22), at(23, 9)],
    ['in 13 days', at(23, 22), at(10, 9)],
    ['24 Nov 2026', at(24, 9), at(10, 22)],
    ['23 hours ago', at(23, 23), at(24, 22)],
    ['in 12 hours', at(24, 9), at(23, 21)],
    ['just now', at(23, 9), at(23, 9)],
  ])('is “%s” by the reader’s calendar', (expected, time, now) => {
    expect(formatRelative(time, now)).toBe(expected)
  })

  it.each([
    ['yesterday', '2026-10-31T13:00:00Z', '2026-11-01T23:00:00Z'],
    ['in 2 days', '2027-03-15T13:00:00Z', '2027-03-14T02:00:00Z'],
  ])('is “%s” across a daylight saving change', (expected, time, now) => {
    vi.stubEnv('TZ', 'America/New_York')
    expect(formatRelative(new Date(time), new Date(now))).toBe(expected)
  })
})

describe('a time in another time zone', () => {
  const at = new Date('2026-11-30T08:00:00Z')
  const showLocal = (zone: string) =>
    renderToStaticMarkup(createElement(LocalTime, { at: at.toISOString(), zone }))

  it('is shown with the zone', () => {
    expect(formatDateTimeIn(at, 'Europe/Berlin')).toBe('30 Nov 2026, 09:00 (Berlin time)')
    expect(formatDateTimeIn(at, 'Etc/UTC')).toBe('30 Nov 2026, 08:00 (UTC)')
    expect(showLocal('Europe/Berlin')).toBe('<span class="whitespace-nowrap">Mon 09:00</span> their time')
  })

  it('is shown in the reader’s own zone, or not at all, if the browser does not know the other zone', () => {
    expect(formatDateTimeIn(at, 'Mars/Olympus')).toBe(`${formatDateTime(at)} (your time)`)
    expect(showLocal('Mars/Olympus')).toBe('')
  })
})
