const epoch = Temporal.Instant.fromEpochMilliseconds(0)

/** Whether it names a zone of the IANA database, in any letter case; an offset such as +01:00 is none. */
export function isTimezone(text: string): boolean {
  // Temporal would also take an offset, or a whole timestamp with its zone in brackets.
  if (!/^[A-Za-z][\w+/-]{1,63}$/.test(text)) return false
  try {
    epoch.toZonedDateTimeISO(text)
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}
