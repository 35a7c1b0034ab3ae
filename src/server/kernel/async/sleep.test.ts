import { expect, it } from 'vitest'
import { sleep } from './sleep.ts'

it('resolves to true when the time has passed', async () => {
  expect(await sleep(1, new AbortController().signal)).toBe(true)
})

it('resolves to false as soon as the signal aborts', async () => {
  const stop = new AbortController()
  const sleeping = sleep(60_000, stop.signal)
  stop.abort()
  expect(await sleeping).toBe(false)
  expect(await sleep(60_000, stop.signal)).toBe(false)
})
