const epoch = Temporal.Instant.fromEpochMilliseconds(0)

/** Returns true for a name of the IANA time zone database, in any case; false for offsets such as +01:00. */
export function isTimezone(text: string): boolean {
  // Temporal also accepts offsets and timestamps with a zone in brackets.
  if (!/^[A-Za-z][\w+/-]{1,63}$/.test(text)) return false
  try {
    epoch.toZonedDateTimeISO(text)
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}
