import { expect, it } from 'vitest'
import { Batcher } from './batch.ts'
import { ConnectionError } from './session.ts'

const makeItem = (name: string, accountId = 'acme') => ({ claim: { accountId, name } })
type Item = ReturnType<typeof makeItem>

/** Creates a batcher that records the names in each batch. */
function recordBatches(handle: (names: string[]) => string[] = names => names) {
  const batches: string[][] = []
  const batcher = new Batcher<Item, string>(async items => {
    const names = items.map(({ claim }) => claim.name)
    batches.push(names)
    return handle(names)
  })
  return { batches, run: (...args: Parameters<typeof makeItem>) => batcher.run(makeItem(...args)) }
}

it('handles items added in the same turn as one batch and returns the result of each item', async () => {
  const { batches, run } = recordBatches(names => names.map(name => name.toUpperCase()))
  expect(await Promise.all([run('a'), run('b'), run('c')])).toEqual(['A', 'B', 'C'])
  expect(batches).toEqual([['a', 'b', 'c']])
  expect(await run('d')).toBe('D')
})

it('never mixes accounts in a batch', async () => {
  const { batches, run } = recordBatches()
  await Promise.all([run('a', 'acme'), run('b', 'other'), run('c', 'acme')])
  expect(batches.sort()).toEqual([['a', 'c'], ['b']])
})

it('puts items that arrive during a batch into the next ones, 100 at most in each', async () => {
  const first = Promise.withResolvers<void>()
  const sizes: number[] = []
  const batcher = new Batcher<Item, number>(async items => {
    if (sizes.push(items.length) === 1) await first.promise
    return items.map(() => sizes.length)
  })
  const started = batcher.run(makeItem('first'))
  await expect.poll(() => sizes).toEqual([1])
  const later = Array.from({ length: 120 }, (_, n) => batcher.run(makeItem(String(n))))
  first.resolve()
  expect(await started).toBe(1)
  await Promise.all(later)
  expect(sizes).toEqual([1, 100, 20])
})

it('runs full batches in parallel, up to its concurrency', async () => {
  const ends = Promise.withResolvers<void>()
  const sizes: number[] = []
  const batcher = new Batcher<Item, void>(
    async items => {
      sizes.push(items.length)
      await ends.promise
      return items.map(() => undefined)
    },
    { concurrency: 2 },
  )
  const all = Array.from({ length: 250 }, (_, n) => batcher.run(makeItem(String(n))))
  await expect.poll(() => sizes).toEqual([100, 100])
  const late = batcher.run(makeItem('late'))
  ends.resolve()
  await Promise.all([...all, late])
  expect(sizes).toEqual([100, 100, 51])
})

it('retries the items of a failed batch one by one, so that only the bad one fails', async () => {
  const { batches, run } = recordBatches(names => {
    if (names.includes('bad')) throw new Error('bad item')
    return names
  })
  const results = await Promise.allSettled([run('a'), run('bad'), run('b')])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(batches).toEqual([['a', 'bad', 'b'], ['a'], ['bad'], ['b']])
  expect(await run('c')).toBe('c')
})

it('fails the whole batch on a database error, because its outcome is unknown', async () => {
  const { batches, run } = recordBatches(() => {
    throw new ConnectionError('CONNECTION_CLOSED', 'The connection was lost.')
  })
  const results = await Promise.allSettled([run('a'), run('b')])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(batches).toHaveLength(1)
})
