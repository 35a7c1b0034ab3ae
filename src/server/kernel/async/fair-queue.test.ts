import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { FairQueue, QueueFull } from './fair-queue.ts'

/** Work that ends when it is told to, by the name it was begun under. */
function openWork(queue: FairQueue) {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  return {
    begun,
    run: (key: string, name: string) =>
      queue.run(key, () => {
        begun.push(name)
        const { promise, resolve } = Promise.withResolvers<void>()
        ends.set(name, resolve)
        return promise
      }),
    end: async (name: string) => {
      ends.get(name)!()
      await turn()
    },
  }
}

test('keys that wait take turns, each in the order of its own', async () => {
  const { begun, run, end } = openWork(new FairQueue({ places: 1, waitingPerKey: 10 }))
  const all = [run('a', 'a1'), run('a', 'a2'), run('a', 'a3'), run('b', 'b1'), run('c', 'c1'), run('b', 'b2')]
  await turn()
  for (let n = 0; n < all.length; n += 1) await end(begun.at(-1)!)
  await Promise.all(all)
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2'])
})

test('one key never has all the places', async () => {
  const { begun, run, end } = openWork(new FairQueue({ places: 3, waitingPerKey: 10 }))
  const flood = ['a1', 'a2', 'a3', 'a4'].map(name => run('a', name))
  await turn()
  expect(begun).toEqual(['a1', 'a2'])
  const other = run('b', 'b1')
  await turn()
  expect(begun).toEqual(['a1', 'a2', 'b1'])
  for (const name of ['b1', 'a1', 'a2', 'a3', 'a4']) await end(name)
  await Promise.all([...flood, other])
})

test('a line that is full refuses more, and others still get in', async () => {
  const { run, end } = openWork(new FairQueue({ places: 2, waitingPerKey: 1 }))
  const first = run('a', 'a1')
  const second = run('a', 'a2')
  await expect(run('a', 'a3')).rejects.toThrow(QueueFull)
  const other = run('b', 'b1')
  await turn()
  for (const name of ['a1', 'b1', 'a2']) await end(name)
  await Promise.all([first, second, other])
})

test('work that fails gives its place back', async () => {
  const queue = new FairQueue({ places: 1, waitingPerKey: 1 })
  await expect(queue.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await queue.run('a', async () => 'yes')).toBe('yes')
})
