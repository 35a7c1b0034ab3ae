import { describe, expect, it } from 'vitest'
import { type Callee, nextCallableAt } from './calling-hours.ts'

const next = (callee: Callee, from: string) => nextCallableAt(callee, new Date(from))?.toISOString()
const london = { phone: '+442079460018' }
const newYork = { phone: '+12125550123' }
const canada = { phone: '+14165550123' }
const australia = { phone: '+61212345678' }
const southAfrica = { phone: '+27211234567' }
const paris = { phone: '+33142685300' }

describe('the next time within calling hours', () => {
  it.each([
    ['now, at noon', london, '2026-11-23T12:00:30.500Z', '2026-11-23T12:00:30.500Z'],
    ['now, in the first minute', london, '2026-11-23T08:00:00.000Z', '2026-11-23T08:00:00.000Z'],
    ['now, in the last minute', london, '2026-11-23T20:59:59.999Z', '2026-11-23T20:59:59.999Z'],
    ['the same morning', london, '2026-11-23T03:10:00.000Z', '2026-11-23T08:00:00.000Z'],
    ['the next morning', london, '2026-11-23T21:00:00.000Z', '2026-11-24T08:00:00.000Z'],
    ['after the clocks went forward', london, '2026-03-28T22:00:00.000Z', '2026-03-29T07:00:00.000Z'],
    [
      'when it is daytime on both coasts',
      { ...newYork, timezone: 'America/Los_Angeles' },
      '2026-11-23T13:00:00.000Z',
      '2026-11-23T16:00:00.000Z',
    ],
    [
      'not in the evening of one coast',
      { ...newYork, timezone: 'America/Los_Angeles' },
      '2026-11-24T02:30:00.000Z',
      '2026-11-24T16:00:00.000Z',
    ],
    [
      'in the two hours that distant time zones share',
      { ...newYork, timezone: 'Asia/Tokyo' },
      '2026-11-23T02:00:00.000Z',
      '2026-11-23T23:00:00.000Z',
    ],
  ])('is %s', (_name, callee, from, expected) => {
    expect(next(callee, from)).toBe(expected)
  })

  it.each([
    ['in the lunch hour of France', paris, '2026-11-23T12:00:00.000Z', '2026-11-23T13:00:00.000Z'],
    ['on a Saturday in France', paris, '2026-11-21T12:00:00.000Z', '2026-11-23T09:00:00.000Z'],
    ['on Whit Monday in France', paris, '2027-05-17T09:00:00.000Z', '2027-05-18T08:00:00.000Z'],
    [
      'on Good Friday in Spain',
      { phone: '+34911234567' },
      '2026-04-03T10:00:00.000Z',
      // Nine o'clock is an hour later in the Canary Islands.
      '2026-04-06T08:00:00.000Z',
    ],
    [
      'on a Sunday in Canada',
      { phone: '+14165550123' },
      '2026-11-22T14:00:00.000Z',
      '2026-11-22T15:00:00.000Z',
    ],
    [
      'on a Sunday in Australia',
      { phone: '+61212345678' },
      '2026-11-22T01:00:00.000Z',
      '2026-11-23T01:00:00.000Z',
    ],
    [
      'on the Monday after South Africa’s Women’s Day when that is a Sunday',
      { phone: '+27211234567' },
      '2026-08-10T10:00:00.000Z',
      '2026-08-11T06:00:00.000Z',
    ],
    ['before nine in Canada', canada, '2026-11-23T13:30:00.000Z', '2026-11-23T14:00:00.000Z'],
    ['early on a Saturday in Canada', canada, '2026-11-21T14:30:00.000Z', '2026-11-21T15:00:00.000Z'],
    ['late on a Saturday in Canada', canada, '2026-11-21T23:00:00.000Z', '2026-11-22T15:00:00.000Z'],
    ['early on a Saturday in Perth', australia, '2026-11-21T00:00:00.000Z', '2026-11-21T01:00:00.000Z'],
    ['late on a Saturday in Sydney', australia, '2026-11-21T06:00:00.000Z', '2026-11-23T01:00:00.000Z'],
    [
      'early on a Saturday in South Africa',
      southAfrica,
      '2026-11-21T06:30:00.000Z',
      '2026-11-21T07:00:00.000Z',
    ],
    [
      'after one on a Saturday in South Africa',
      southAfrica,
      '2026-11-21T11:00:00.000Z',
      '2026-11-23T06:00:00.000Z',
    ],
    ['in the evening in South Africa', southAfrica, '2026-11-23T18:00:00.000Z', '2026-11-24T06:00:00.000Z'],
    ['on a holiday of the next year', paris, '2026-12-31T20:00:00.000Z', '2027-01-04T09:00:00.000Z'],
  ])('is not %s', (_name, callee, from, expected) => {
    expect(next(callee, from)).toBe(expected)
  })

  it('does not exist for a number and a time zone that share no hour', () => {
    const callee = { phone: '+18005550123', timezone: 'Asia/Yekaterinburg' }
    expect(next(callee, '2026-11-23T12:00:00.000Z')).toBe(undefined)
  })

  it('does not exist for a number without a country or time zone', () => {
    expect(next({ phone: '+88216123456' }, '2026-11-23T12:00:00.000Z')).toBe(undefined)
  })
})
