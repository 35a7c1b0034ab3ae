import { findPhoneCountries, findPhoneZones } from '../../protocols/identity/phone-zones.ts'
import { type Hours, nextAllowed } from '../campaigns/schedule.ts'
import { type CallPolicy, findPolicies, globalPolicy, listHolidays } from './country-policies.ts'

/** Longer than any run of holidays and weekends. */
const MAX_WAIT_DAYS = 14

/** The person to call: a number in E.164, and optionally their time zone. */
export type Callee = { phone: string; timezone?: string | null | undefined }

/**
 * Returns the time zones that must all be within calling hours. Empty when the number belongs to no country
 * and the callee's time zone is unknown.
 */
export const findApplicableZones = ({ phone, timezone }: Callee): string[] => [
  ...findPhoneZones(phone),
  ...(timezone ? [timezone] : []),
]

/**
 * Returns the first time at or after `from` that is within calling hours, both the global ones and those of the
 * number’s country, in every possible time zone of the callee. Returns `from` itself when it qualifies;
 * undefined when there is no such time.
 */
export function nextCallableAt(callee: Callee, from: Date): Date | undefined {
  const start = Temporal.Instant.fromEpochMilliseconds(from.getTime())
  const giveUpAt = start.add({ hours: 24 * MAX_WAIT_DAYS })
  const zones = findApplicableZones(callee)
  const policies = [globalPolicy, ...findPolicies(findPhoneCountries(callee.phone))]
  const hours = policies.flatMap(policy => (policy.windows ? [toHours(policy, policy.windows, from)] : []))
  if (zones.length === 0) return undefined
  for (let at = start; Temporal.Instant.compare(at, giveUpAt) < 0; ) {
    const openings = zones.flatMap(zone => hours.map(each => nextAllowed(at, each, zone)))
    if (openings.includes(undefined)) return undefined
    const latest = (openings as Temporal.Instant[]).reduce((a, b) =>
      Temporal.Instant.compare(a, b) < 0 ? b : a,
    )
    if (latest.equals(at)) return new Date(at.epochMilliseconds)
    at = latest
  }
  return undefined
}

/** Adds the holidays of every calendar year that the search can reach. */
function toHours(policy: CallPolicy, windows: Hours['windows'], from: Date): Hours {
  const year = from.getUTCFullYear()
  return { windows, holidays: [year - 1, year, year + 1].flatMap(each => listHolidays(each, policy)) }
}
