import { randomUUIDv7 } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { chooseVariant } from './choose-variant.ts'

const prospects = Array.from({ length: 4_000 }, (_, n) => `prospect ${n}`)
const weights = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 5 })
const toVariants = (weights: number[]) =>
  weights.map((weight, n) => ({ id: `01980000-0000-7000-8000-00000000000${n}`, weight }))

it('chooseVariant gives each variant its share of the prospects', () => {
  fc.assert(
    fc.property(
      weights.filter(weights => weights.some(weight => weight > 0)),
      weights => {
        const variants = toVariants(weights)
        const chosen = Map.groupBy(prospects, prospect => chooseVariant(prospect, variants).id)
        const total = weights.reduce((sum, weight) => sum + weight, 0)
        for (const { id, weight } of variants) {
          const share = weight / total
          // Six standard deviations: never exceeded by chance, but small enough to detect a bias of one in fifty.
          const bound = 6 * Math.sqrt(prospects.length * share * (1 - share))
          const count = chosen.get(id)?.length ?? 0
          expect(Math.abs(count - share * prospects.length)).toBeLessThanOrEqual(bound)
        }
      },
    ),
    { numRuns: 20, seed: 1 },
  )
})

it('chooseVariant chooses the same variant for a prospect every time, regardless of the order of the variants', () => {
  fc.assert(
    fc.property(fc.uuid(), weights, (prospect, weights) => {
      const variants = toVariants([1, ...weights])
      expect(chooseVariant(prospect, variants.toReversed())).toEqual(chooseVariant(prospect, variants))
    }),
  )
})

it('chooseVariant moves no prospect between two variants when a third one changes', () => {
  const before = toVariants([1, 1, 1])
  const after = [...before.slice(0, 2), { ...before[2]!, weight: 5 }, { id: randomUUIDv7(), weight: 2 }]
  for (const prospect of prospects.slice(0, 2_000)) {
    const [first, second] = [chooseVariant(prospect, before), chooseVariant(prospect, after)]
    if (first.id !== second.id) expect(before.slice(0, 2).map(({ id }) => id)).not.toContain(second.id)
  }
})
