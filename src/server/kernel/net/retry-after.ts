/** The Retry-After of an answer (RFC 9110 section 10.2.3), seconds or a date, in milliseconds; 0 without one. */
export function parseRetryAfter(value: string | null | undefined, longestMs: number): number {
  if (!value) return 0
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), longestMs)
}
