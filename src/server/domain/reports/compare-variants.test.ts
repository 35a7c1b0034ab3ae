import { randomUUIDv7 } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { compareVariants, getInterval } from './compare-variants.ts'

const compare = (...variants: [contacted: number, replied: number][]) =>
  compareVariants(
    variants.map(([contacted, replied], n) => ({ variantId: 'ABC'[n]!, stepId: 'step', contacted, replied })),
  )[0]

describe('the interval of a rate', () => {
  // Reference values of Wilson's formula without continuity correction.
  it.each([
    [0, 10, 0, 0.2775],
    [1, 20, 0.0089, 0.2361],
    [50, 100, 0.4038, 0.5962],
    [81, 263, 0.2553, 0.3662],
    [10, 10, 0.7225, 1],
  ])('of %i in %i is %f to %f', (replied, contacted, low, high) => {
    expect(getInterval(replied, contacted)).toEqual({ low, high })
  })

  it('is missing when nobody was contacted', () => {
    expect(getInterval(0, 0)).toBeUndefined()
  })
})

describe('a comparison of variants', () => {
  it('finds a difference that is no accident', () => {
    // z = 2.8006
    expect(compare([200, 20], [200, 40])).toMatchObject({
      bestVariantId: 'B',
      result: 'different',
      pValue: 0.0051,
    })
  })

  it('finds none when an accident explains it', () => {
    expect(compare([200, 20], [200, 24])).toMatchObject({ bestVariantId: 'B', result: 'no_difference' })
    expect(compare([200, 0], [200, 0])).toMatchObject({ result: 'no_difference', pValue: 1 })
  })

  it('concludes nothing from fewer than 100 people', () => {
    expect(compare([99, 0], [1000, 400])).toMatchObject({ result: 'too_few' })
    expect(compare([0, 0], [1000, 400])).toMatchObject({ result: 'too_few', pValue: 1 })
  })

  it('asks for more evidence when one of several leads', () => {
    // p = 0.034 between two.
    expect(compare([200, 20], [200, 35])).toMatchObject({ result: 'different' })
    expect(compare([200, 20], [200, 35], [200, 20])).toMatchObject({ result: 'no_difference' })
  })

  it('is missing for a step with one variant', () => {
    expect(compare([200, 20])).toBeUndefined()
    const own = (contacted: number) => ({
      variantId: randomUUIDv7(),
      stepId: randomUUIDv7(),
      contacted,
      replied: 0,
    })
    expect(compareVariants([own(200), own(200)])).toEqual([])
  })
})
