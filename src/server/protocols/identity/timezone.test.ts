import { expect, test } from 'vitest'
import { isTimezone } from './timezone.ts'

test.each([
  'Europe/Berlin',
  'europe/berlin',
  'UTC',
  'America/Argentina/Buenos_Aires',
  'Etc/GMT+5',
  'Asia/Calcutta',
])('%s is a time zone', name => {
  expect(isTimezone(name)).toBe(true)
})

test.each([
  '',
  '+01:00',
  'Z',
  'CET/Mars',
  '2026-01-01T00:00[Europe/Berlin]',
  'Europe/Berlin ',
  'us_slash_eastern',
])('%j is not a time zone', name => {
  expect(isTimezone(name)).toBe(false)
})
