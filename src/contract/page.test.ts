import { expect, it } from 'vitest'
import { searchQuery } from './page.ts'

it.each([
  ['one two three four five six seven eight', true],
  [' “one” two-three, four five six (seven) eight!', true],
  ['one two three four five six seven eight nine', false],
  ['“ …', false],
])('accepts searches of one to eight words: %j → %s', (query, isValid) => {
  expect(searchQuery.safeParse(query).success).toBe(isValid)
})
