import { expect, it } from 'vitest'
import { computeBackoffMs, nextAttemptAt, withJitter } from './backoff.ts'

const backoff = { baseMs: 1_000, maxMs: 60_000 }

it('doubles the delay with each retry, up to its maximum', () => {
  for (const [retries, ms] of [
    [0, 1_000],
    [1, 2_000],
    [5, 32_000],
    [6, 60_000],
    [5_000, 60_000],
  ] as const) {
    const delay = computeBackoffMs(retries, backoff)
    expect(delay).toBeGreaterThanOrEqual(ms * 0.75)
    expect(delay).toBeLessThanOrEqual(ms * 1.25)
  }
})

it('spreads equal delays within the given fraction', () => {
  const delays = Array.from({ length: 100 }, () => withJitter(1_000, 0.1))
  expect(new Set(delays).size).toBeGreaterThan(1)
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(900)
  expect(Math.max(...delays)).toBeLessThanOrEqual(1_100)
})

it('counts the delay from the given time', () => {
  const now = new Date('2026-01-01T00:00:00Z')
  const waitMs = nextAttemptAt(now, 0, backoff).getTime() - now.getTime()
  expect(waitMs).toBeGreaterThanOrEqual(750)
  expect(waitMs).toBeLessThanOrEqual(1_250)
})
