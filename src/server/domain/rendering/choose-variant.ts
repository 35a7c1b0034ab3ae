import { createHash } from 'node:crypto'

/**
 * Chooses a prospect's variant, deterministically and in proportion to the weights. Rendezvous hashing moves the fewest
 * prospects to another variant when weights or variants change.
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

/** Hashes the parts to a number between 0 and 1, both exclusive. */
export const hashToUnit = (...parts: string[]): number =>
  (createHash('sha256').update(parts.join(' ')).digest().readUIntBE(0, 6) + 0.5) / 2 ** 48
