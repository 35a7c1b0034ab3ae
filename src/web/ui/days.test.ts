import { expect, it } from 'vitest'
import { getDateIn, shiftDay } from './days.ts'

it('returns the day in the account’s time zone, regardless of the browser’s time zone', () => {
  const at = new Date('2026-03-01T23:30:00Z')
  expect(getDateIn(at, 'Europe/Berlin')).toBe('2026-03-02')
  expect(getDateIn(at, 'America/New_York')).toBe('2026-03-01')
})

it('returns the reader’s own day for a time zone that the browser does not know', () => {
  expect(getDateIn(new Date(2026, 2, 1, 12), 'Mars/Olympus')).toBe('2026-03-01')
})

it('counts days across months and daylight saving changes', () => {
  expect(shiftDay('2026-03-01', -1)).toBe('2026-02-28')
  expect(shiftDay('2026-03-30', -6)).toBe('2026-03-24')
})
