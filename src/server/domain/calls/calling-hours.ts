import { findPhoneCountries, findPhoneZones } from '../../protocols/identity/phone-zones.ts'
import { type Hours, nextAllowed } from '../campaigns/schedule.ts'
import { type CallPolicy, everywhere, holidaysIn, policiesOf } from './country-policies.ts'

/** Longer than any row of holidays and weekends. */
const MAX_WAIT_DAYS = 14

/** Who is called: the number in E.164, and the zone given for its owner, if any. */
export type Callee = { phone: string; timezone?: string | null | undefined }

/** The zones in each of which it must be within calling hours; none for a number that belongs to no country. */
export const zonesToHeed = ({ phone, timezone }: Callee): string[] => [
  ...findPhoneZones(phone),
  ...(timezone ? [timezone] : []),
]

/**
 * The first moment from `from` on that is within calling hours: those kept everywhere and those of the number's country,
 * in every zone in which its owner may be; `from` itself when it is so already. Undefined when no such moment comes.
 */
export function nextCallableAt(callee: Callee, from: Date): Date | undefined {
  const start = Temporal.Instant.fromEpochMilliseconds(from.getTime())
  const giveUpAt = start.add({ hours: 24 * MAX_WAIT_DAYS })
  const zones = zonesToHeed(callee)
  const policies = [everywhere, ...policiesOf(findPhoneCountries(callee.phone))]
  const hours = policies.flatMap(policy => (policy.windows ? [hoursOf(policy, policy.windows, from)] : []))
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

/** With the holidays of every year that a wall shows before the search is given up. */
function hoursOf(policy: CallPolicy, windows: Hours['windows'], from: Date): Hours {
  const year = from.getUTCFullYear()
  return { windows, holidays: [year - 1, year, year + 1].flatMap(each => holidaysIn(each, policy)) }
}
