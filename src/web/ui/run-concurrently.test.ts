import { expect, it } from 'vitest'
import { retryWhenLimited, runBatches, toBatches } from './run-concurrently.ts'

const fail = (code: string, retryAfterSeconds?: number) =>
  Object.assign(new Error(code), { code, retryAfterSeconds })

/** A server that accepts this many requests, and as many again each time the client sleeps. */
function makeServer(requestsPerWindow: number) {
  let remaining = requestsPerWindow
  const accepted: number[] = []
  const sleeps: number[] = []
  return {
    accepted,
    sleeps,
    request: async (batch: number[]) => {
      if (remaining === 0) throw fail('TooManyRequests', 7)
      remaining--
      if (batch.includes(5)) throw fail('ValidationError')
      accepted.push(...batch)
    },
    sleep: async (ms: number) => {
      sleeps.push(ms)
      remaining = requestsPerWindow
    },
  }
}

it('waits as long as the server asks and repeats rejected batches, so that all are processed once', async () => {
  const { accepted, sleeps, request, sleep } = makeServer(3)
  const errors: Error[] = []
  const items = [1, 2, 3, 4, 6, 7, 8, 9]
  await runBatches(toBatches(items, 1), request, (_, error) => errors.push(error), sleep)
  expect(accepted.toSorted()).toEqual(items)
  expect(new Set(sleeps)).toEqual(new Set([7_000]))
  expect(errors).toEqual([])
})

it('sends the items of an invalid batch one by one, so that only the invalid ones fail', async () => {
  const { accepted, request, sleep } = makeServer(3)
  const failed: [number[], string][] = []
  const batches = toBatches([1, 2, 3, 4, 5, 6, 7, 8], 4)
  await runBatches(batches, request, (batch, { message }) => failed.push([batch, message]), sleep)
  expect(accepted.toSorted()).toEqual([1, 2, 3, 4, 6, 7, 8])
  expect(failed).toEqual([[[5], 'ValidationError']])
})

it('reports all items of a batch that fails for another reason', async () => {
  const failed: number[][] = []
  const refuse = () => Promise.reject(fail('Conflict'))
  await runBatches([[1, 2]], refuse, batch => failed.push(batch))
  expect(failed).toEqual([[1, 2]])
})

it('waits a minute when the server does not say how long', async () => {
  const sleeps: number[] = []
  let isLimited = true
  const request = async () => {
    if (isLimited) throw fail('TooManyRequests')
    return 'done'
  }
  const sleep = async (ms: number) => {
    sleeps.push(ms)
    isLimited = false
  }
  expect(await retryWhenLimited(request, sleep)).toBe('done')
  expect(sleeps).toEqual([60_000])
})
