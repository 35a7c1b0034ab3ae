/** Reports whether this browser knows a time zone. Its data may be older than the server's. */
export function isKnownTimezone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone })
    return true
  } catch {
    return false
  }
}
