import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nextCallableAt } from './calling-hours.ts'

const next = (zones: string[], from: string) => nextCallableAt(zones, new Date(from))?.toISOString()

describe('the next moment within calling hours', () => {
  it.each([
    ['now, at noon', ['Europe/London'], '2026-11-23T12:00:30.500Z', '2026-11-23T12:00:30.500Z'],
    ['now, in the first minute', ['Europe/London'], '2026-11-23T08:00:00.000Z', '2026-11-23T08:00:00.000Z'],
    ['now, in the last minute', ['Europe/London'], '2026-11-23T20:59:59.999Z', '2026-11-23T20:59:59.999Z'],
    ['the same morning', ['Europe/London'], '2026-11-23T03:10:00.000Z', '2026-11-23T08:00:00.000Z'],
    ['the next morning', ['Europe/London'], '2026-11-23T21:00:00.000Z', '2026-11-24T08:00:00.000Z'],
    [
      'after the clocks went forward',
      ['Europe/London'],
      '2026-03-28T22:00:00.000Z',
      '2026-03-29T07:00:00.000Z',
    ],
    [
      'when both coasts are awake',
      ['America/New_York', 'America/Los_Angeles'],
      '2026-11-23T13:00:00.000Z',
      '2026-11-23T16:00:00.000Z',
    ],
    [
      'not in the evening of one of them',
      ['America/New_York', 'America/Los_Angeles'],
      '2026-11-24T02:30:00.000Z',
      '2026-11-24T16:00:00.000Z',
    ],
    [
      'in the two hours that far zones share',
      ['Asia/Tokyo', 'America/New_York'],
      '2026-11-23T02:00:00.000Z',
      '2026-11-23T23:00:00.000Z',
    ],
  ])('%s', (_name, zones, from, expected) => {
    expect(next(zones, from)).toBe(expected)
  })

  it('never comes when three zones share no hour', () => {
    expect(next(['Asia/Tokyo', 'Europe/Paris', 'America/New_York'], '2026-11-23T12:00:00.000Z')).toBe(
      undefined,
    )
  })

  it('is within hours in every zone, and no minute before it is', () => {
    const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'))
    const from = fc.date({ min: new Date('2020-01-01'), max: new Date('2037-12-31'), noInvalidDate: true })
    const isCallable = (zones: string[], at: number) =>
      zones.every(timeZone => {
        const hour = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', hourCycle: 'h23' }).format(
          at,
        )
        return Number(hour) >= 8 && Number(hour) < 21
      })
    fc.assert(
      fc.property(fc.array(zone, { minLength: 1, maxLength: 2 }), from, (zones, start) => {
        const at = nextCallableAt(zones, start)!
        expect(at >= start && isCallable(zones, at.getTime())).toBe(true)
        if (at > start) expect(isCallable(zones, at.getTime() - 1)).toBe(false)
      }),
      { numRuns: 300 },
    )
  })
})
