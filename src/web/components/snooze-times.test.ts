import { expect, it } from 'vitest'
import { formatSnoozeTime, getSnoozeTimes } from './snooze-times.ts'

const getTimes = (now: string) =>
  getSnoozeTimes(new Date(now)).map(({ label, at }) => `${label} ${formatSnoozeTime(at)}`)

it('offers “Later today”, “Tomorrow” and “Monday”', () => {
  expect(getTimes('2026-11-25T10:20')).toEqual([
    'Later today Wed 25 Nov, 13:00',
    'Tomorrow Thu 26 Nov, 08:00',
    'Monday Mon 30 Nov, 08:00',
  ])
})

it('omits “Later today” in the evening, and “Monday” on a Sunday', () => {
  expect(getTimes('2026-11-29T22:00')).toEqual(['Tomorrow Mon 30 Nov, 08:00'])
})

it('offers the next Monday on a Monday', () => {
  expect(getTimes('2026-11-30T22:00').at(-1)).toBe('Monday Mon 7 Dec, 08:00')
})
