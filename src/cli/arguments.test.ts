import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { readCountry, readEmail, readExpiry, readId, readMapping, readName, readPort } from './arguments.ts'

describe('when a token expires', () => {
  beforeEach(() => void vi.useFakeTimers({ now: new Date('2026-11-21T09:30:00Z'), toFake: ['Date'] }))
  afterEach(() => void vi.useRealTimers())

  it.each([
    ['a day is the last one', '2097-03-31', '2097-03-31T23:59:59.999Z'],
    ['an instant is meant exactly', '2097-03-31T10:00:00+02:00', '2097-03-31T08:00:00.000Z'],
  ])('%s', (_rule, text, expected) => {
    expect(readExpiry(text).toISOString()).toBe(expected)
  })

  it.each([
    ['90d', 90 * 24],
    ['12h', 12],
    ['4w', 28 * 24],
  ])('%s counts from now', (text, hours) => {
    expect(readExpiry(text).getTime() - Date.now()).toBe(hours * 3_600_000)
  })

  it.each(['', 'soon', '90', '90 d', '-5d', '2097-02-30', '2097-03-31 10:00', '2020-01-01', '0d'])(
    '%j is refused',
    text => {
      expect(() => readExpiry(text)).toThrow(expect.objectContaining({ code: 'commander.invalidArgument' }))
    },
  )
})

describe('a column and its field', () => {
  it.each([
    ['Work Email=email', { 'Work Email': 'email' }],
    ['a=b=phone', { 'a=b': 'phone' }],
    [' Notes = ', { Notes: null }],
  ])('%s', (text, expected) => {
    expect(readMapping(text)).toEqual(expected)
  })

  it('adds up when given often', () => {
    expect(readMapping('B=phone', readMapping('A=email'))).toEqual({ A: 'email', B: 'phone' })
  })

  it.each(['', 'email', '=email'])('%j is refused', text => {
    expect(() => readMapping(text)).toThrow(/Give the column and the field/)
  })
})

it.each<[(text: string) => unknown, string, unknown]>([
  [readEmail, ' Ada@ACME.example', 'ada@acme.example'],
  [readCountry, 'gb', 'GB'],
  [readPort, '587', 587],
  [readName, ' Ada Byron ', 'Ada Byron'],
  [readId, '01980000-0000-7000-8000-00000000000A', '01980000-0000-7000-8000-00000000000a'],
])('%o reads %j as %j', (read, text, expected) => {
  expect(read(text)).toBe(expected)
})

it.each<[(text: string) => unknown, string]>([
  [readEmail, 'ada'],
  [readName, 'Ada\r\nBcc: x@evil.example'],
  [readCountry, 'Britain'],
  [readPort, '0'],
  [readPort, '65536'],
  [readPort, '0x50'],
  [readName, '  '],
  [readId, '1'],
])('%o refuses %j', (read, text) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ code: 'commander.invalidArgument' }))
})
