import { formatNumber } from '../ui/time.tsx'

/**
 * Returns a sentence, without its period, about messages that were already being sent when something changed; empty if
 * there are none. `qualifier` follows the word “messages”, as in ` to the old address`.
 */
export function formatInFlight(count: number, qualifier = ''): string {
  if (count === 0) return ''
  return `${formatNumber(count)} ${count === 1 ? 'message' : 'messages'}${qualifier} ${count === 1 ? 'was' : 'were'} already being sent`
}

/** Adds a sentence about those messages, if there are any, to sentences about the change. */
export const addInFlight = (text: string, count: number, qualifier?: string): string =>
  count === 0 ? text : `${text} ${formatInFlight(count, qualifier)}.`
