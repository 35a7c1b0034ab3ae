import { expect, it } from 'vitest'
import { reportedAmount, toStorableData } from './parse-reported.ts'

it('ignores an amount that no column can hold', () => {
  const amounts = [0, 0.1234, 99_999_999, 99_999_999.9999999, 1e8, 1e300, -1, '5']
  expect(amounts.map(amount => reportedAmount.parse(amount))).toEqual([
    ...[0, 0.1234, 99_999_999],
    ...Array(5).fill(undefined),
  ])
})

it('ignores data nested too deeply to serialize', () => {
  const nested = (depth: number) => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)
  expect(toStorableData(nested(30))).toEqual(nested(30))
  expect(toStorableData(nested(100_000))).toBeUndefined()
})
