import { crc32 } from 'node:zlib'

/**
 * Returns whether to run this case of a large table. `bin/test` runs a fifth of the cases, always the same ones, so
 * that it stays short; with `ALL_CASES=1` it runs all of them.
 */
export const isSelected = (name: string): boolean => process.env.ALL_CASES === '1' || crc32(name) % 5 === 0
