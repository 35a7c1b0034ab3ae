import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { waitAtMost } from './with-timeout.ts'

const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length

it('waits for work that ends, and no longer than it may for work that hangs', async () => {
  expect(await waitAtMost(60_000, sleep(1))).toBe(true)
  expect(await waitAtMost(1, new Promise(() => {}))).toBe(false)
})

it('fails as the work does, unless nobody waits for it any more', async () => {
  await expect(waitAtMost(60_000, Promise.reject(new Error('no')))).rejects.toThrow('no')
  const late = sleep(20).then(() => Promise.reject(new Error('late')))
  expect(await waitAtMost(1, late)).toBe(false)
  await late.catch(() => {})
})

it('leaves no timer behind that would keep the process from ending', async () => {
  const before = timers()
  for (let n = 0; n < 100; n += 1) {
    await waitAtMost(60_000, Promise.resolve())
    await waitAtMost(60_000, Promise.reject(new Error('no'))).catch(() => {})
  }
  expect(timers()).toBeLessThan(before + 50)
})
