/**
 * Parses a Retry-After header (RFC 9110 section 10.2.3) into milliseconds, at most `maxMs`; 0 when absent or invalid.
 */
export function parseRetryAfter(value: string | null | undefined, maxMs: number): number {
  if (!value) return 0
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), maxMs)
}
