import type { Fault } from '../support/voice/voice-server.ts'

/** Countries and their calling hours, written by hand so that the check doesn't depend on the code under test. */
const countries = [
  { prefix: '+4420794', zone: 'Europe/London', hours: [[8, 21]], needsConsent: true },
  {
    prefix: '+3314268',
    zone: 'Europe/Paris',
    hours: [
      [10, 13],
      [14, 20],
    ],
    needsConsent: true,
  },
  { prefix: '+1212736', zone: 'America/New_York', hours: [[8, 21]], needsConsent: true },
  { prefix: '+6129374', zone: 'Australia/Sydney', hours: [[9, 20]], needsConsent: false },
] as const
type Country = (typeof countries)[number]

/**
 * A person's reaction to being called. With `opts_out_in_call`, the person asks during the call not to be called again,
 * while a second call is queued.
 */
type Reaction = 'nothing' | 'opts_out' | 'withdraws' | 'never_agreed' | 'called_twice' | 'opts_out_in_call'
const reactionShares: [Reaction, number][] = [
  ['nothing', 0.52],
  ['opts_out', 0.18],
  ['withdraws', 0.06],
  ['never_agreed', 0.1],
  ['called_twice', 0.08],
  ['opts_out_in_call', 0.06],
]

/** The way in which a provider delivers its callbacks. */
type CallbackDelivery = 'immediately' | 'never' | 'twice' | 'reversed' | 'late'
const deliveryShares: [CallbackDelivery, number][] = [
  ['immediately', 0.35],
  ['never', 0.3],
  ['twice', 0.15],
  ['reversed', 0.1],
  ['late', 0.1],
]

const countryShares: [Country, number][] = [0.6, 0.15, 0.15, 0.1].map((share, n) => [countries[n]!, share])

/** Faults of the first request to dial. */
const faultShares: [Fault | undefined, number][] = [
  [undefined, 0.7],
  ['lose_response', 0.1],
  ['truncated', 0.04],
  ['malformed', 0.02],
  ['reset', 0.04],
  ['busy', 0.05],
  ['over_limit', 0.02],
  ['fail', 0.03],
]

export type CalledPerson = {
  phone: string
  country: Country
  reaction: Reaction
  calls: number
  consentId?: string
  callbacks: CallbackDelivery
  fault: Fault | undefined
  ringMs: number
  talkMs: number
  /** Delay of the person's reaction, from the time the call was queued or, if later, calling hours began. */
  actsAfterMs: number
}

const choose = <T>(shares: [T, number][], chance: number): T => {
  let sum = 0
  for (const [choice, share] of shares) {
    sum += share
    if (chance < sum) return choice
  }
  return shares[0]![0]
}

/** Creates random people who receive this many calls in total. */
export function createPeople(calls: number, random: () => number): CalledPerson[] {
  const people: CalledPerson[] = []
  for (let left = calls; left > 0; ) {
    const country = choose(countryShares, random())
    const reaction = choose(reactionShares, random())
    const person: CalledPerson = {
      phone: `${country.prefix}${(country.prefix.startsWith('+44') ? 10_000 : 1_000) + people.length}`,
      country,
      reaction,
      calls: reaction === 'called_twice' || reaction === 'opts_out_in_call' ? Math.min(2, left) : 1,
      callbacks: choose(deliveryShares, random()),
      fault: choose(faultShares, random()),
      ringMs: 2_000 + random() * 20_000,
      talkMs: 5_000 + random() * 90_000,
      actsAfterMs: random() * 15_000,
    }
    people.push(person)
    left -= person.calls
  }
  return people
}

/** Returns true outside the calling hours of the country, in its local time. */
export function isQuiet({ zone, hours }: Country, at: Date): boolean {
  const hour = Number(
    new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', hourCycle: 'h23' }).format(at),
  )
  return !hours.some(([from, to]) => hour >= from && hour < to)
}
