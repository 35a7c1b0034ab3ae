import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createSemaphore } from './semaphore.ts'

it('runs at most as many jobs at a time as it has permits', async () => {
  const run = createSemaphore(2)
  const started: number[] = []
  const ends = Array.from({ length: 3 }, () => Promise.withResolvers<void>())
  const all = ends.map((end, n) =>
    run(() => {
      started.push(n)
      return end.promise
    }),
  )
  await nextTurn()
  expect(started).toEqual([0, 1])
  ends[1]!.resolve()
  await nextTurn()
  expect(started).toEqual([0, 1, 2])
  for (const end of ends) end.resolve()
  await Promise.all(all)
})

it('releases the permit of work that fails', async () => {
  const run = createSemaphore(1)
  await expect(run(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await run(async () => 'yes')).toBe('yes')
})
