import { createHash } from 'node:crypto'

/**
 * The variant that a prospect gets: always the same one, and over many prospects each by its weight. Of all ways to
 * choose so this one (rendezvous hashing) moves the fewest to another variant when weights or variants change.
 */
export function chooseVariant<V extends { id: string; weight: number }>(
  prospectId: string,
  variants: readonly V[],
): V {
  const toDistance = ({ id, weight }: V) => -Math.log(hashToUnit(prospectId, id)) / weight
  return variants.reduce((nearest, variant) =>
    toDistance(variant) < toDistance(nearest) ? variant : nearest,
  )
}

/** Above 0 and below 1, the same for the same names. */
export const hashToUnit = (...names: string[]): number =>
  (createHash('sha256').update(names.join(' ')).digest().readUIntBE(0, 6) + 0.5) / 2 ** 48
