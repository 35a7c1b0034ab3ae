/** A seed that is printed; the variable gives the seed of a run to repeat. */
export function seedFrom(variable: string): number {
  const seed = Number(process.env[variable] || Date.now() % 1_000_000)
  console.log(`${variable}=${seed}`)
  return seed
}

/** Numbers from 0 to 1 out of a seed that is printed. */
export const randomFrom = (variable: string): (() => number) => randomOf(seedFrom(variable))

/** The numbers of one seed. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  // mulberry32
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
