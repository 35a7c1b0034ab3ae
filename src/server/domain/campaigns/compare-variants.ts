import type { Output } from '../../../contract/index.ts'

type Comparison = NonNullable<Output<'getReport'>['comparisons']>[number]
/** The number of people contacted, and the number of successes among them, such as replies. */
type Sample = { contacted: number; successes: number }

/** The 97.5% quantile of the standard normal distribution, for a 95% confidence interval. */
const Z = 1.959964
const MIN_CONTACTED = 100
const MAX_P = 0.05

/** Returns the 95% confidence interval of a rate (Wilson score); undefined when nobody was contacted. */
export function getInterval(replied: number, contacted: number): { low: number; high: number } | undefined {
  if (contacted === 0) return undefined
  // Someone contacted before the period can reply in it.
  const rate = Math.min(1, replied / contacted)
  const scale = 1 + Z ** 2 / contacted
  const center = (rate + Z ** 2 / (2 * contacted)) / scale
  const half = (Z / scale) * Math.sqrt((rate * (1 - rate)) / contacted + Z ** 2 / (4 * contacted ** 2))
  return { low: roundRate(Math.max(0, center - half)), high: roundRate(Math.min(1, center + half)) }
}

export const roundRate = (rate: number): number => Math.round(rate * 10_000) / 10_000

/** Compares the success rates of each step that has several variants. */
export function compareVariants(
  variants: readonly (Sample & { variantId: string; stepId: string })[],
): Comparison[] {
  return [...Map.groupBy(variants, ({ stepId }) => stepId)].flatMap(([stepId, rivals]) => {
    const leader = findLeader(rivals)
    if (!leader) return []
    const { best, pValue } = leader
    const isSampleTooSmall = getSmallestSample(rivals) < MIN_CONTACTED
    const result = isSampleTooSmall ? 'too_few' : pValue < MAX_P ? 'different' : 'no_difference'
    return [{ stepId, bestVariantId: best.variantId, result, pValue: roundRate(pValue) }]
  })
}

/**
 * Tests the variants of a step. Returns undefined until enough people have been contacted since the `testsDone` earlier
 * tests. Repeated tests eventually find a winner by chance. So each test needs twice as many people as the previous one
 * and doubles the p-value once more: all tests together find a false winner in at most 5% of all cases.
 */
export function findWinner<V extends Sample>(
  rivals: readonly V[],
  testsDone: number,
): { testsDone: number; pValue: number; winner?: V } | undefined {
  const possible = Math.floor(Math.log2(getSmallestSample(rivals) / MIN_CONTACTED)) + 1
  const leader = possible > testsDone ? findLeader(rivals) : undefined
  if (!leader) return undefined
  const pValue = Math.min(1, leader.pValue * 2 ** (testsDone + 1))
  return { testsDone: possible, pValue: roundRate(pValue), ...(pValue < MAX_P && { winner: leader.best }) }
}

/** Returns the best variant, and the p-value of its lead over the others. */
function findLeader<V extends Sample>(rivals: readonly V[]): { best: V; pValue: number } | undefined {
  const [best, ...others] = rivals.toSorted((a, b) => getRate(b) - getRate(a))
  if (!best || others.length === 0) return undefined
  const closest = Math.max(...others.map(other => testProportions(best, other)))
  // The more variants there are, the likelier it is that one leads by chance (Bonferroni).
  return { best, pValue: Math.min(1, closest * others.length) }
}

const getSmallestSample = (rivals: readonly Sample[]): number =>
  Math.min(...rivals.map(({ contacted }) => contacted))

const getRate = ({ successes, contacted }: Sample): number =>
  contacted === 0 ? 0 : Math.min(1, successes / contacted)

/** Returns the two-sided p-value of the difference between two rates; 1 when they cannot be compared. */
function testProportions(a: Sample, b: Sample): number {
  const total = a.contacted + b.contacted
  const pooled = (getRate(a) * a.contacted + getRate(b) * b.contacted) / total
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / a.contacted + 1 / b.contacted))
  // NaN or infinite when a variant reached nobody, zero when all or none replied.
  if (!(error > 0) || !Number.isFinite(error)) return 1
  return getTwoSidedTail((getRate(a) - getRate(b)) / error)
}

/** Returns the probability that a normal variable is farther from 0 than z (Abramowitz and Stegun 7.1.26, to 1e-7). */
function getTwoSidedTail(z: number): number {
  const x = Math.abs(z) / Math.SQRT2
  const t = 1 / (1 + 0.3275911 * x)
  const polynomial =
    t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
  return polynomial * Math.exp(-(x ** 2))
}
