import { expect, it } from 'vitest'
import { createRandom } from '../../../test/support/random.ts'
import { Heap } from './heap.ts'

it('returns its items in order, regardless of the order in which they were added', () => {
  const random = createRandom(7)
  const heap = new Heap<number>((a, b) => a < b)
  const expected: number[] = []
  for (let round = 0; round < 2_000; round++) {
    if (random() < 0.6) {
      const item = Math.floor(random() * 100)
      heap.push(item)
      expected.push(item)
      expected.sort((a, b) => a - b)
    } else expect(heap.pop()).toBe(expected.shift())
    expect(heap.peek()).toBe(expected[0])
    expect(heap.size).toBe(expected.length)
  }
  while (expected.length > 0) expect(heap.pop()).toBe(expected.shift())
  expect(heap.pop()).toBeUndefined()
})
