import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { FairQueue, QueueFullError } from './fair-queue.ts'

/** Starts named work that runs until the test ends it by name. */
function controlledWork(queue: FairQueue) {
  const started: string[] = []
  const ends = new Map<string, () => void>()
  return {
    started,
    run: (key: string, name: string) =>
      queue.run(key, () => {
        started.push(name)
        const { promise, resolve } = Promise.withResolvers<void>()
        ends.set(name, resolve)
        return promise
      }),
    end: async (name: string) => {
      ends.get(name)!()
      await nextTurn()
    },
  }
}

it('runs waiting keys round-robin, and the work of each key in order', async () => {
  const { started, run, end } = controlledWork(new FairQueue({ concurrency: 1, maxWaitingPerKey: 10 }))
  const all = [run('a', 'a1'), run('a', 'a2'), run('a', 'a3'), run('b', 'b1'), run('c', 'c1'), run('b', 'b2')]
  await nextTurn()
  for (let n = 0; n < all.length; n += 1) await end(started.at(-1)!)
  await Promise.all(all)
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2'])
})

it('never gives every slot to one key', async () => {
  const { started, run, end } = controlledWork(new FairQueue({ concurrency: 3, maxWaitingPerKey: 10 }))
  const flood = ['a1', 'a2', 'a3', 'a4'].map(name => run('a', name))
  await nextTurn()
  expect(started).toEqual(['a1', 'a2'])
  const other = run('b', 'b1')
  await nextTurn()
  expect(started).toEqual(['a1', 'a2', 'b1'])
  for (const name of ['b1', 'a1', 'a2', 'a3', 'a4']) await end(name)
  await Promise.all([...flood, other])
})

it('rejects work for a key whose queue is full and still accepts other keys', async () => {
  const { run, end } = controlledWork(new FairQueue({ concurrency: 2, maxWaitingPerKey: 1 }))
  const first = run('a', 'a1')
  const second = run('a', 'a2')
  await expect(run('a', 'a3')).rejects.toThrow(QueueFullError)
  const other = run('b', 'b1')
  await nextTurn()
  for (const name of ['a1', 'b1', 'a2']) await end(name)
  await Promise.all([first, second, other])
})

it('releases the slot of work that fails', async () => {
  const queue = new FairQueue({ concurrency: 1, maxWaitingPerKey: 1 })
  await expect(queue.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await queue.run('a', async () => 'yes')).toBe('yes')
})
