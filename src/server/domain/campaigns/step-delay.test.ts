import { describe, expect, it, test } from 'vitest'
import { addDelay, type Delay } from './step-delay.ts'

describe('a delay', () => {
  // 2026-11-20 is a Friday; clocks go back in New York on 2026-11-01 and forward in Berlin on 2026-03-29.
  test.each<[string, Delay, string, string]>([
    ['2026-11-20T09:30:00Z', { amount: 0, unit: 'business_days' }, 'Europe/Berlin', '2026-11-20T09:30:00Z'],
    ['2026-11-20T09:30:00Z', { amount: 90, unit: 'minutes' }, 'Europe/Berlin', '2026-11-20T11:00:00Z'],
    ['2026-11-20T09:30:00Z', { amount: 36, unit: 'hours' }, 'Europe/Berlin', '2026-11-21T21:30:00Z'],
    ['2026-11-20T09:30:00Z', { amount: 2, unit: 'days' }, 'Europe/Berlin', '2026-11-22T09:30:00Z'],
    ['2026-11-20T09:30:00Z', { amount: 1, unit: 'business_days' }, 'Europe/Berlin', '2026-11-23T09:30:00Z'],
    ['2026-11-20T09:30:00Z', { amount: 6, unit: 'business_days' }, 'Europe/Berlin', '2026-11-30T09:30:00Z'],
    ['2026-11-21T09:30:00Z', { amount: 1, unit: 'business_days' }, 'Europe/Berlin', '2026-11-23T09:30:00Z'],
    // Friday evening in New York is Saturday in UTC; Friday in Tokyo is still Thursday in UTC.
    [
      '2026-11-21T03:00:00Z',
      { amount: 1, unit: 'business_days' },
      'America/New_York',
      '2026-11-24T03:00:00Z',
    ],
    ['2026-11-19T20:00:00Z', { amount: 1, unit: 'business_days' }, 'Asia/Tokyo', '2026-11-22T20:00:00Z'],
    ['2026-10-31T13:00:00Z', { amount: 1, unit: 'days' }, 'America/New_York', '2026-11-01T14:00:00Z'],
    ['2026-03-27T09:00:00Z', { amount: 1, unit: 'business_days' }, 'Europe/Berlin', '2026-03-30T08:00:00Z'],
    ['2026-03-28T01:30:00Z', { amount: 1, unit: 'days' }, 'Europe/Berlin', '2026-03-29T01:30:00Z'],
  ])('starts at %s, lasts %o in %s and ends at %s', (from, delay, zone, expected) => {
    expect(addDelay(new Date(from), delay, zone)).toEqual(new Date(expected))
  })

  it('skips holidays if it is in business days', () => {
    const delay = { amount: 2, unit: 'business_days' } as const
    expect(
      addDelay(new Date('2026-12-24T09:30:00Z'), delay, 'Europe/London', ['2026-12-25', '2026-12-28']),
    ).toEqual(new Date('2026-12-30T09:30:00Z'))
  })
})
