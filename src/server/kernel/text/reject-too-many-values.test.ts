import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rejectTooManyValues } from './reject-too-many-values.ts'

/** Counts names and values in parsed JSON. */
function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const entries = Object.values(value)
  const own = Array.isArray(value) ? entries.length : 2 * entries.length
  return Math.max(1, own) + entries.reduce((sum, child) => sum + countValues(child), 0)
}

test('counts names and values, not the characters inside strings', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' }), value => {
      const json = JSON.stringify(value)
      expect(() => rejectTooManyValues(json, countValues(value))).not.toThrow()
    }),
    { numRuns: 500 },
  )
  const text = '{[,:"\\'.repeat(10_000)
  expect(() => rejectTooManyValues(JSON.stringify({ text, [text]: `${text}\\` }), 10)).not.toThrow()
})

test.each(['[1,'.repeat(10), '[1,1,1,1,1,1]', '{"a":1,"b":1,"c":1}', '[[[[[[[', '{"a":{"a":{"a":1}}}'])(
  'rejects %j, which has more than five names and values',
  json => expect(() => rejectTooManyValues(json, 5)).toThrow('more than 5 names and values'),
)

test('leaves invalid JSON to the parser', () => {
  for (const text of ['', '"', '"\\', '"\\\\"', '}', '\\'])
    expect(() => rejectTooManyValues(text, 5)).not.toThrow()
})

test('counts repeated names once', () => {
  const json = (names: number) =>
    JSON.stringify(Array.from({ length: 20_000 }, (_, n) => ({ [`n${n % names}`]: 1 })))
  expect(() => rejectTooManyValues(json(10_000), 100_000)).not.toThrow()
  expect(() => rejectTooManyValues(json(10_001), 100_000)).toThrow('more than 10000 distinct names')
})
