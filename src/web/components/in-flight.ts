import { formatNumber } from '../ui/time.tsx'

/**
 * Returns a sentence, without its period, about messages that were already being sent when something changed. Returns
 * an empty string if there are none. `qualifier` follows the word “messages”, as in ` to the old address`.
 */
export function formatInFlight(count: number, qualifier = ''): string {
  if (count === 0) return ''
  return `${formatNumber(count)} ${count === 1 ? 'message' : 'messages'}${qualifier} ${count === 1 ? 'was' : 'were'} already being sent`
}

/** Appends a sentence about messages in flight, if there are any, to a text about the change. */
export const appendInFlightNote = (text: string, count: number, qualifier?: string): string =>
  count === 0 ? text : `${text} ${formatInFlight(count, qualifier)}.`
