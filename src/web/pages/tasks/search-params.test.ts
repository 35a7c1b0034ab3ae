import { describe, expect, it } from 'vitest'
import { type Due, getDueRange } from './search-params.ts'

const at = (day: number, hour = 0) => new Date(2026, 10, day, hour)
const thursday = at(26, 15)

const includes = (due: Due, time: Date, now = thursday): boolean => {
  const { dueAfter, dueBefore } = getDueRange(due, now)
  return (!dueAfter || time >= new Date(dueAfter)) && (!dueBefore || time < new Date(dueBefore))
}
const listFilters = (time: Date, now?: Date) =>
  (['overdue', 'today', 'week', 'later'] as const).filter(due => includes(due, time, now))

describe('getDueRange', () => {
  it('starts each day at midnight in the reader’s time zone', () => {
    expect(listFilters(at(25, 23))).toEqual(['overdue'])
    expect(listFilters(at(26))).toEqual(['today', 'week'])
    expect(listFilters(at(27))).toEqual(['week'])
    expect(listFilters(at(29, 23))).toEqual(['week'])
    expect(listFilters(at(30))).toEqual(['later'])
  })

  it('ends the week on Sunday', () => {
    expect(listFilters(at(30), at(29, 12))).toEqual(['later'])
    expect(listFilters(at(36), at(30, 12))).toEqual(['week'])
    expect(listFilters(at(37), at(30, 12))).toEqual(['later'])
  })
})
