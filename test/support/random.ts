/** Returns the seed from this environment variable, or a new seed, and prints it so that a run can be repeated. */
export function seedFrom(variable: string): number {
  const seed = Number(process.env[variable] || Date.now() % 1_000_000)
  console.log(`${variable}=${seed}`)
  return seed
}

/** Creates a random number generator with the seed from `seedFrom`. */
export const randomFrom = (variable: string): (() => number) => createRandom(seedFrom(variable))

/** Creates a random number generator for numbers from 0 to 1. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  // mulberry32
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
