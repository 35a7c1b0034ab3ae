import { expect, it } from 'vitest'
import { searchQuery } from './page.ts'

it.each([
  ['one two three four five six seven eight', true],
  [' “one” two-three, four five six (seven) eight!', true],
  ['one two three four five six seven eight nine', false],
  ['“ …', false],
])('a search takes up to eight words: %j is valid: %s', (query, isValid) => {
  expect(searchQuery.safeParse(query).success).toBe(isValid)
})
