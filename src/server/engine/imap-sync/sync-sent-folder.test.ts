import { expect, it } from 'vitest'
import { isSearchDue } from './sync-sent-folder.ts'

const minutesAfter = (minutes: number) => new Date(Date.UTC(2026, 10, 21) + minutes * 60_000)

it('searches for a send soon after its end, then at doubling intervals', () => {
  const searches = Array.from({ length: 240 }, (_, minute) => minute).filter(minute =>
    isSearchDue(minutesAfter(0), minutesAfter(minute + 0.5), minutesAfter(minute - 0.5)),
  )
  expect(searches).toEqual([0, 2, 4, 8, 16, 32, 64, 128])
})

it('searches for every send on the first sync of a connection', () => {
  expect(isSearchDue(minutesAfter(0), minutesAfter(100), undefined)).toBe(true)
})
