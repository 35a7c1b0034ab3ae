/** When to try again after so many failures: later after each, and never all at once. */
export function growingWait(
  now: Date,
  failures: number,
  { firstMs, longestMs }: { firstMs: number; longestMs: number },
): Date {
  const waitMs = Math.min(longestMs, firstMs * 2 ** Math.min(failures, 40))
  return new Date(now.getTime() + waitMs * (0.75 + Math.random() / 2))
}
