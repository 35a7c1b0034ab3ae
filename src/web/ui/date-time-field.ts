const MINUTE_MS = 60_000

/** Formats a time as the value of a `datetime-local` field, in the reader's time zone. */
export const toDateTimeField = (at: Date): string =>
  new Date(at.getTime() - at.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16)
