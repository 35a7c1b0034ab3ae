import { expect, it } from 'vitest'
import { formatLocalTime } from './local-time.ts'

const at = new Date('2026-11-23T23:05:00.000Z')

it.each([
  [['Europe/London'], 'Mon 23:05'],
  [['Europe/London', 'Europe/Lisbon'], 'Mon 23:05'],
  [['Asia/Tokyo', 'Europe/London', 'America/New_York'], 'Mon 18:05 to Tue 08:05'],
  [['Europe/London', 'Mars/Olympus'], 'Mon 23:05'],
  [['Mars/Olympus'], 'unknown'],
])('formats the local time in %j as %s', (zones, expected) => {
  expect(formatLocalTime(zones, at)).toBe(expected)
})
