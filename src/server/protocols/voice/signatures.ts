import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** Timestamps further from now, in either direction, are treated as replays. */
const REPLAY_WINDOW_MS = 5 * 60_000

export const isFreshTimestamp = (at: number, now: Date): boolean =>
  Math.abs(now.getTime() - at) <= REPLAY_WINDOW_MS

/** Compares secrets in constant time; false for an empty value. */
export function isEqualSecret(actual: string, expected: string): boolean {
  if (!actual) return false
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(actual), digest(expected))
}

export const hmac = (key: string | Buffer, text: string, encoding: 'hex' | 'base64'): string =>
  createHmac('sha256', key).update(text).digest(encoding)

/** Returns the value of a header that was sent once, else an empty string. */
export const getSingleHeader = (value: string | string[] | undefined): string =>
  typeof value === 'string' ? value : ''
