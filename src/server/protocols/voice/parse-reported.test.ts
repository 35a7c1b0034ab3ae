import { expect, it } from 'vitest'
import { reportedNumber, storableData } from './parse-reported.ts'

it('an amount that no column could hold counts as absent', () => {
  const amounts = [0, 0.1234, 99_999_999, 99_999_999.9999999, 1e8, 1e300, -1, '5']
  expect(amounts.map(amount => reportedNumber.parse(amount))).toEqual([
    ...[0, 0.1234, 99_999_999],
    ...Array(5).fill(undefined),
  ])
})

it('data nested so deep that it could not be written as JSON counts as absent', () => {
  const nested = (depth: number) => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)
  expect(storableData(nested(30))).toEqual(nested(30))
  expect(storableData(nested(100_000))).toBeUndefined()
})
