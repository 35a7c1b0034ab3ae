import { randomUUIDv7 } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createRandom } from '../../../../test/support/random.ts'
import { compareVariants, findWinner, getInterval } from './compare-variants.ts'

const compare = (...variants: [contacted: number, replied: number][]) =>
  compareVariants(
    variants.map(([contacted, successes], n) => ({
      ...{ variantId: 'ABC'[n]!, stepId: 'step', contacted, successes },
    })),
  )[0]

describe('the confidence interval of a rate', () => {
  // Reference values of Wilson's formula without continuity correction.
  it.each([
    [0, 10, 0, 0.2775],
    [1, 20, 0.0089, 0.2361],
    [50, 100, 0.4038, 0.5962],
    [81, 263, 0.2553, 0.3662],
    [10, 10, 0.7225, 1],
  ])('(%i of %i) ranges from %f to %f', (replied, contacted, low, high) => {
    expect(getInterval(replied, contacted)).toEqual({ low, high })
  })

  it('is missing when nobody was contacted, and within 0 and 1 when more replied than were contacted', () => {
    expect(getInterval(0, 0)).toBeUndefined()
    expect(getInterval(5, 3)).toMatchObject({ high: 1 })
  })
})

describe('a comparison of variants', () => {
  it('finds a difference that chance does not explain', () => {
    // z = 2.8006
    expect(compare([200, 20], [200, 40])).toMatchObject({
      bestVariantId: 'B',
      result: 'different',
      pValue: 0.0051,
    })
  })

  it('finds no difference when chance explains it', () => {
    expect(compare([200, 20], [200, 24])).toMatchObject({ bestVariantId: 'B', result: 'no_difference' })
    expect(compare([200, 0], [200, 0])).toMatchObject({ result: 'no_difference', pValue: 1 })
  })

  it('concludes nothing from fewer than 100 people', () => {
    expect(compare([99, 0], [1000, 400])).toMatchObject({ result: 'too_few' })
    expect(compare([0, 0], [1000, 400])).toMatchObject({ result: 'too_few', pValue: 1 })
  })

  it('requires stronger evidence when there are more variants', () => {
    // With only two variants, p is 0.034.
    expect(compare([200, 20], [200, 35])).toMatchObject({ result: 'different' })
    expect(compare([200, 20], [200, 35], [200, 20])).toMatchObject({ result: 'no_difference' })
  })

  it('is missing for a step with one variant', () => {
    expect(compare([200, 20])).toBeUndefined()
    const makeSample = (contacted: number) => ({
      variantId: randomUUIDv7(),
      stepId: randomUUIDv7(),
      contacted,
      successes: 0,
    })
    expect(compareVariants([makeSample(200), makeSample(200)])).toEqual([])
  })
})

describe('a test of variants while they are sent', () => {
  /** Sends variants with these reply rates to ten people each at a time, and returns the first that wins. */
  function race(rates: readonly number[], contacts: number, random: () => number): number | undefined {
    const rivals = rates.map((rate, n) => ({ n, rate, contacted: 0, successes: 0 }))
    for (let testsDone = 0; rivals[0]!.contacted < contacts; ) {
      for (const rival of rivals)
        for (let person = 0; person < 10; person += 1) {
          rival.contacted += 1
          rival.successes += random() < rival.rate ? 1 : 0
        }
      const test = findWinner(rivals, testsDone)
      if (test?.winner) return test.winner.n
      testsDone = test?.testsDone ?? testsDone
    }
    return undefined
  }
  const runRaces = (rates: number[], contacts: number) => {
    const random = createRandom(20_261_126)
    return Array.from({ length: 1_000 }, () => race(rates, contacts, random))
  }

  it.each([
    ['two', [0.05, 0.05]],
    ['two good', [0.3, 0.3]],
    ['four', [0.05, 0.05, 0.05, 0.05]],
  ])(
    'reports a difference between %s equal variants in at most 5%% of all campaigns, however long they run',
    (_, rates) => {
      const decided = runRaces(rates, 1_600).filter(winner => winner !== undefined)
      expect(decided.length).toBeLessThanOrEqual(50)
    },
  )

  it('finds a clear winner early, and practically never the wrong one', () => {
    const winners = runRaces([0.05, 0.15], 400)
    expect(winners.filter(winner => winner === 1).length).toBeGreaterThan(950)
    expect(winners.filter(winner => winner === 0).length).toBeLessThanOrEqual(1)
  })

  const test = (contacted: number, successes: [number, number], testsDone: number) =>
    findWinner(
      successes.map(each => ({ contacted, successes: each })),
      testsDone,
    )

  it('begins with 100 people for each variant and needs twice as many each time', () => {
    expect(test(99, [0, 90], 0)).toBeUndefined()
    expect(test(100, [5, 6], 0)).toEqual({ testsDone: 1, pValue: 1 })
    expect(test(199, [10, 90], 1)).toBeUndefined()
    expect(test(200, [10, 90], 1)).toMatchObject({ testsDone: 2, winner: { successes: 90 } })
    expect(test(450, [10, 12], 0)).toEqual({ testsDone: 3, pValue: 1 })
  })

  it('corrects the p-value for earlier tests', () => {
    // For a single test, p is 0.0051.
    expect(test(200, [20, 40], 0)).toMatchObject({ pValue: 0.0102, winner: { successes: 40 } })
    expect(test(400, [40, 58], 2)).toEqual({ testsDone: 3, pValue: 0.418 })
  })
})
