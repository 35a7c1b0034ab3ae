import { expect, it } from 'vitest'
import { isDue } from './sync-sent-folder.ts'

const after = (minutes: number) => new Date(Date.UTC(2026, 10, 21) + minutes * 60_000)

it('a send is looked for soon after its end, and then more and more rarely', () => {
  const looks = Array.from({ length: 240 }, (_, minute) => minute).filter(minute =>
    isDue(after(0), after(minute + 0.5), after(minute - 0.5)),
  )
  expect(looks).toEqual([0, 2, 4, 8, 16, 32, 64, 128])
})

it('a new connection looks for it whenever it ended', () => {
  expect(isDue(after(0), after(100), undefined)).toBe(true)
})
