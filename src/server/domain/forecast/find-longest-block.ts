/**
 * Returns the limit that blocked a queue the longest in total; undefined if none did. The gap after each email would
 * otherwise hide the daily limit, which blocks only once, but for longer.
 */
export function findLongestBlock(blockedMs: ReadonlyMap<string, number>): string | undefined {
  let longest: string | undefined
  let longestMs = 0
  for (const [limit, ms] of blockedMs) if (ms > longestMs) [longest, longestMs] = [limit, ms]
  return longest
}
