const FIRST_HOUR = 8
const LAST_HOUR = 21
const MAX_WAIT_DAYS = 8

/**
 * The first moment from `from` on at which it is 8:00 to 21:00 in each of the zones; `from` itself when it is so
 * already. Undefined when they lie so far apart that no such moment comes.
 */
export function nextCallableAt(zones: readonly string[], from: Date): Date | undefined {
  const start = Temporal.Instant.fromEpochMilliseconds(from.getTime())
  const giveUpAt = start.add({ hours: 24 * MAX_WAIT_DAYS })
  let candidate = start
  while (Temporal.Instant.compare(candidate, giveUpAt) < 0) {
    const later = zones.map(zone => nextCallableIn(zone, candidate)).reduce(latest, candidate)
    if (later.equals(candidate)) return new Date(candidate.epochMilliseconds)
    candidate = later
  }
  return undefined
}

function nextCallableIn(zone: string, from: Temporal.Instant): Temporal.Instant {
  const local = from.toZonedDateTimeISO(zone)
  if (local.hour >= FIRST_HOUR && local.hour < LAST_HOUR) return from
  const day = local.hour < FIRST_HOUR ? local.toPlainDate() : local.toPlainDate().add({ days: 1 })
  return day.toZonedDateTime({ timeZone: zone, plainTime: { hour: FIRST_HOUR } }).toInstant()
}

const latest = (a: Temporal.Instant, b: Temporal.Instant): Temporal.Instant =>
  Temporal.Instant.compare(a, b) < 0 ? b : a
