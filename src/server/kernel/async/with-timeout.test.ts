import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { withTimeout } from './with-timeout.ts'

const countTimers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length

it('resolves to true when the work ends in time and to false when it hangs', async () => {
  expect(await withTimeout(sleep(1), 60_000)).toBe(true)
  expect(await withTimeout(new Promise(() => {}), 1)).toBe(false)
})

it('rejects when the work rejects, and ignores a rejection after the timeout', async () => {
  await expect(withTimeout(Promise.reject(new Error('no')), 60_000)).rejects.toThrow('no')
  const late = sleep(20).then(() => Promise.reject(new Error('late')))
  expect(await withTimeout(late, 1)).toBe(false)
  await late.catch(() => {})
})

it('leaves no timer that would keep the process from ending', async () => {
  const before = countTimers()
  for (let n = 0; n < 100; n += 1) {
    await withTimeout(Promise.resolve(), 60_000)
    await withTimeout(Promise.reject(new Error('no')), 60_000).catch(() => {})
  }
  expect(countTimers()).toBeLessThan(before + 50)
})
