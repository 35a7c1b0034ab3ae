import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** What was signed longer ago, or later than now, is taken for a replay. */
const WINDOW_MS = 5 * 60_000

export const isFreshTimestamp = (at: number, now: Date): boolean => Math.abs(now.getTime() - at) <= WINDOW_MS

/** Compares without telling by the time it takes where the difference, or the end, is. Nothing proves nothing. */
export function isEqualSecret(given: string, wanted: string): boolean {
  if (!given) return false
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(wanted))
}

export const hmac = (key: string | Buffer, text: string, encoding: 'hex' | 'base64'): string =>
  createHmac('sha256', key).update(text).digest(encoding)

/** A header that was sent once. */
export const getSingleHeader = (value: string | string[] | undefined): string =>
  typeof value === 'string' ? value : ''
