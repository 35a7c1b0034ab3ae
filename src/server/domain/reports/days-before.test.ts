import { describe, expect, it } from 'vitest'
import { getDaysBefore } from './days-before.ts'

const find = (from: string, to: string) => {
  const start = Temporal.PlainDate.from(from)
  const count = start.until(to).days + 1
  const days = getDaysBefore(Array.from({ length: count }, (_, n) => start.add({ days: n })))
  return [String(days[0]), String(days.at(-1)), days.length]
}

describe('the days to compare with', () => {
  it.each([
    ['2026-11-16', '2026-11-22', ['2026-11-09', '2026-11-15', 7]],
    ['2026-03-01', '2026-03-02', ['2026-02-27', '2026-02-28', 2]],
    ['2026-11-22', '2026-11-22', ['2026-11-21', '2026-11-21', 1]],
    ['2026-01-01', '2026-12-31', ['2025-01-01', '2025-12-31', 365]],
    ['2026-02-01', '2026-03-31', ['2025-12-04', '2026-01-31', 59]],
    ['2026-03-02', '2026-03-31', ['2026-01-31', '2026-03-01', 30]],
  ])('are as many as the days from %s to %s', (from, to, expected) => {
    expect(find(from, to)).toEqual(expected)
  })

  it.each([
    ['2026-11-23', '2026-11-23', ['2026-11-16', '2026-11-16', 1]],
    ['2026-11-23', '2026-11-27', ['2026-11-16', '2026-11-20', 5]],
  ])('are the same days of the previous week for the week to date from %s to %s', (from, to, expected) => {
    expect(find(from, to)).toEqual(expected)
  })

  it.each([
    ['2026-03-01', '2026-03-31', ['2026-02-01', '2026-02-28', 28]],
    ['2024-03-01', '2024-03-31', ['2024-02-01', '2024-02-29', 29]],
    ['2026-02-01', '2026-02-28', ['2026-01-01', '2026-01-31', 31]],
    ['2026-01-01', '2026-01-31', ['2025-12-01', '2025-12-31', 31]],
  ])('are the previous month for the whole month from %s to %s', (from, to, expected) => {
    expect(find(from, to)).toEqual(expected)
  })
})
