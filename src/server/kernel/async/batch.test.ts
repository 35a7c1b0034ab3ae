import { expect, it } from 'vitest'
import type { App } from '../context.ts'
import { ConnectionError } from '../db/session.ts'
import { Batches } from './batch.ts'

const app = {} as App
const item = (name: string, accountId = 'acme') => ({ app, claim: { accountId, name } })
type Item = ReturnType<typeof item>

/** Batches that note what was done together. */
function recorded(work: (names: string[]) => string[] = names => names) {
  const done: string[][] = []
  const batches = new Batches<Item, string>(async items => {
    const names = items.map(({ claim }) => claim.name)
    done.push(names)
    return work(names)
  })
  return { done, ask: (...args: Parameters<typeof item>) => batches.do(item(...args)) }
}

it('who asks in the same turn is served together, each with an own answer', async () => {
  const { done, ask } = recorded(names => names.map(name => name.toUpperCase()))
  expect(await Promise.all([ask('a'), ask('b'), ask('c')])).toEqual(['A', 'B', 'C'])
  expect(done).toEqual([['a', 'b', 'c']])
  expect(await ask('d')).toBe('D')
})

it('accounts are never served together', async () => {
  const { done, ask } = recorded()
  await Promise.all([ask('a', 'acme'), ask('b', 'other'), ask('c', 'acme')])
  expect(done.sort()).toEqual([['a', 'c'], ['b']])
})

it('what is asked for meanwhile makes up the next batch, and none is endless', async () => {
  const first = Promise.withResolvers<void>()
  const sizes: number[] = []
  const batches = new Batches<Item, number>(async items => {
    if (sizes.push(items.length) === 1) await first.promise
    return items.map(() => sizes.length)
  })
  const begun = batches.do(item('first'))
  await expect.poll(() => sizes).toEqual([1])
  const later = Array.from({ length: 120 }, (_, n) => batches.do(item(String(n))))
  first.resolve()
  expect(await begun).toBe(1)
  await Promise.all(later)
  expect(sizes).toEqual([1, 100, 20])
})

it('what is more than one batch can take makes up others beside it, as many as may be', async () => {
  const ends = Promise.withResolvers<void>()
  const sizes: number[] = []
  const batches = new Batches<Item, void>(
    async items => {
      sizes.push(items.length)
      await ends.promise
      return items.map(() => undefined)
    },
    { atOnce: 2 },
  )
  const asked = Array.from({ length: 250 }, (_, n) => batches.do(item(String(n))))
  await expect.poll(() => sizes).toEqual([100, 100])
  const late = batches.do(item('late'))
  ends.resolve()
  await Promise.all([...asked, late])
  expect(sizes).toEqual([100, 100, 51])
})

it('one that fails takes no other with it', async () => {
  const { done, ask } = recorded(names => {
    if (names.includes('bad')) throw new Error('no')
    return names
  })
  const ended = await Promise.allSettled([ask('a'), ask('bad'), ask('b')])
  expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(done).toEqual([['a', 'bad', 'b'], ['a'], ['bad'], ['b']])
  expect(await ask('c')).toBe('c')
})

it('without a database all fail at once: what became of the batch is not known', async () => {
  const { done, ask } = recorded(() => {
    throw new ConnectionError('CONNECTION_CLOSED', 'The connection was lost.')
  })
  const ended = await Promise.allSettled([ask('a'), ask('b')])
  expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(done).toHaveLength(1)
})
