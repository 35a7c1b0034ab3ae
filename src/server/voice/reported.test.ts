import { expect, it } from 'vitest'
import { reportedNumber } from './reported.ts'

it('an amount that no column could hold counts as absent', () => {
  const amounts = [0, 0.1234, 99_999_999, 99_999_999.9999999, 1e8, 1e300, -1, '5']
  expect(amounts.map(amount => reportedNumber.parse(amount))).toEqual([
    ...[0, 0.1234, 99_999_999],
    ...Array(5).fill(undefined),
  ])
})
