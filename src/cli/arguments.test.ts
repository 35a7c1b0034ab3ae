import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  parseColumnMapping,
  parseCountry,
  parseEmail,
  parseExpiry,
  parseId,
  parseName,
  parsePort,
} from './arguments.ts'

describe('parseExpiry', () => {
  beforeEach(() => void vi.useFakeTimers({ now: new Date('2026-11-21T09:30:00Z'), toFake: ['Date'] }))
  afterEach(() => void vi.useRealTimers())

  it.each([
    ['a date as its end in UTC', '2097-03-31', '2097-03-31T23:59:59.999Z'],
    ['a time exactly', '2097-03-31T10:00:00+02:00', '2097-03-31T08:00:00.000Z'],
  ])('parses %s', (_form, text, expected) => {
    expect(parseExpiry(text).toISOString()).toBe(expected)
  })

  it.each([
    ['90d', 90 * 24],
    ['12h', 12],
    ['4w', 28 * 24],
  ])('adds %s to the current time', (text, hours) => {
    expect(parseExpiry(text).getTime() - Date.now()).toBe(hours * 3_600_000)
  })

  it.each(['', 'soon', '90', '90 d', '-5d', '2097-02-30', '2097-03-31 10:00', '2020-01-01', '0d'])(
    'rejects %j',
    text => {
      expect(() => parseExpiry(text)).toThrow(expect.objectContaining({ code: 'commander.invalidArgument' }))
    },
  )
})

describe('parseColumnMapping', () => {
  it.each([
    ['Work Email=email', { 'Work Email': 'email' }],
    ['a=b=phone', { 'a=b': 'phone' }],
    [' Notes = ', { Notes: null }],
  ])('parses %j', (text, expected) => {
    expect(parseColumnMapping(text)).toEqual(expected)
  })

  it('collects repeated mappings', () => {
    expect(parseColumnMapping('B=phone', parseColumnMapping('A=email'))).toEqual({ A: 'email', B: 'phone' })
  })

  it.each(['', 'email', '=email'])('rejects %j', text => {
    expect(() => parseColumnMapping(text)).toThrow(/Must be a column and a field/)
  })
})

it.each<[(text: string) => unknown, string, unknown]>([
  [parseEmail, ' Ada@ACME.example', 'ada@acme.example'],
  [parseCountry, 'gb', 'GB'],
  [parsePort, '587', 587],
  [parseName, ' Ada Byron ', 'Ada Byron'],
  [parseId, '01980000-0000-7000-8000-00000000000A', '01980000-0000-7000-8000-00000000000a'],
])('%o parses %j as %j', (parse, text, expected) => {
  expect(parse(text)).toBe(expected)
})

it.each<[(text: string) => unknown, string]>([
  [parseEmail, 'ada'],
  [parseName, 'Ada\r\nBcc: x@evil.example'],
  [parseCountry, 'Britain'],
  [parsePort, '0'],
  [parsePort, '65536'],
  [parsePort, '0x50'],
  [parseName, '  '],
  [parseId, '1'],
])('%o rejects %j', (parse, text) => {
  expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'commander.invalidArgument' }))
})
