/**
 * Returns the limit that blocked a queue for longest, of the milliseconds by limit; undefined if none did. The gap after
 * each email would otherwise hide the limit of the day, which blocks once, but for longer.
 */
export function findLongestBlock(blockedMs: ReadonlyMap<string, number>): string | undefined {
  let longest: string | undefined
  let longestMs = 0
  for (const [limit, ms] of blockedMs) if (ms > longestMs) [longest, longestMs] = [limit, ms]
  return longest
}
