import { expect, it } from 'vitest'
import { keepRows } from './steady-rows.ts'

const keep = (shown: string, latest: string) => keepRows([...shown], [...latest], row => row).join('')

it('holds back rows that arrive above or between the shown rows', () => {
  expect(keep('abc', 'xabyc')).toBe('abc')
})

it('adds the rows of the next page', () => {
  expect(keep('abc', 'xabcde')).toBe('abcde')
})

it('removes rows that have left the list, and keeps the order of rows that moved', () => {
  expect(keep('abcd', 'dac')).toBe('acd')
})

it('shows the latest rows when none of the shown rows are left', () => {
  expect(keep('abc', 'xyz')).toBe('xyz')
})

it('inserts returning rows where they belong', () => {
  const keep = (returning: string) =>
    keepRows([...'abc'], [...'xaybzc'], row => row, new Set(returning)).join('')
  expect(keep('x')).toBe('xabc')
  expect(keep('yz')).toBe('aybzc')
  expect(keep('q')).toBe('abc')
})

it('shows the latest version of a row', () => {
  const rows = keepRows(
    [{ id: 1, text: 'before' }],
    [
      { id: 2, text: 'new' },
      { id: 1, text: 'after' },
    ],
    ({ id }) => `${id}`,
  )
  expect(rows).toEqual([{ id: 1, text: 'after' }])
})
