import type { Schedule } from '../../../contract/schedule.ts'
import type { ConsentKind } from '../people/consents/consents.ts'

/**
 * A holiday without calls: month and day, or days relative to Easter Sunday. Where the law says so, a holiday on a
 * Sunday moves to Monday.
 */
type Holiday = `${number}-${number}` | `easter${'+' | '-'}${number}`

/** A country’s legal requirements for sales calls, on top of the global policy. */
export type CallPolicy = {
  windows?: Schedule['windows']
  holidays?: readonly Holiday[]
  areSundayHolidaysMoved?: boolean
  /** At least one of these kinds of consent is required before an AI voice makes a sales call. */
  consent?: readonly ConsentKind[]
}

const week = ['mon', 'tue', 'wed', 'thu', 'fri'] as const

/** A call policy with its countries: ISO 3166 codes, separated by whitespace. */
type CountryPolicy = CallPolicy & { countries: string }

/** Applies everywhere, even where the law allows more. Follows the United States rule 47 CFR 64.1200(c)(1). */
export const globalPolicy: CallPolicy = {
  windows: [{ days: [...week, 'sat', 'sun'], from: '08:00', to: '21:00' }],
}

/**
 * Policies from the legal texts cited in each. Consumer rules apply to all calls, because a number doesn’t say who
 * answers.
 */
export const policies: readonly CountryPolicy[] = [
  {
    // 47 CFR 64.1200(a)(2) and (3) and (f)(9); an AI voice is an artificial voice: FCC 24-17.
    countries: 'US AS GU MP PR VI',
    consent: ['written'],
  },
  {
    // Directive 2002/58/EC, article 13(1): calling without a human requires prior consent. Includes the
    // European Economic Area.
    countries: `AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK AX GF GP MF MQ RE YT
      IS LI NO`,
    consent: ['written', 'express'],
  },
  {
    // Privacy and Electronic Communications Regulations 2003, regulation 19; the islands share the numbering plan.
    countries: 'GB GG IM JE',
    consent: ['written', 'express'],
  },
  {
    // Bundesgesetz gegen den unlauteren Wettbewerb, article 3(1)(o).
    countries: 'CH',
    consent: ['written', 'express'],
  },
  {
    // CRTC Unsolicited Telecommunications Rules, part III, section 23, and part IV, sections 2 and 4.
    countries: 'CA',
    consent: ['written', 'express'],
    windows: [
      { days: [...week], from: '09:00', to: '21:30' },
      { days: ['sat', 'sun'], from: '10:00', to: '18:00' },
    ],
  },
  {
    // Code de la consommation, article D. 223-9; its holidays: Code du travail, article L. 3133-1.
    countries: 'FR GF GP MQ RE YT',
    windows: [
      { days: [...week], from: '10:00', to: '13:00' },
      { days: [...week], from: '14:00', to: '20:00' },
    ],
    holidays: [
      ...(['01-01', '05-01', '05-08', '07-14', '08-15', '11-01', '11-11', '12-25'] as const),
      ...(['easter+1', 'easter+39', 'easter+50'] as const),
    ],
  },
  {
    // Real Decreto Legislativo 1/2007, article 96.2; the holidays of the whole country.
    countries: 'ES',
    windows: [{ days: [...week], from: '09:00', to: '21:00' }],
    holidays: ['01-01', '01-06', 'easter-2', '05-01', '08-15', '10-12', '11-01', '12-06', '12-08', '12-25'],
  },
  {
    // Telecommunications (Telemarketing and Research Calls) Industry Standard 2017.
    countries: 'AU CC CX',
    windows: [
      { days: [...week], from: '09:00', to: '20:00' },
      { days: ['sat'], from: '09:00', to: '17:00' },
    ],
    holidays: ['01-01', '01-26', 'easter-2', 'easter+1', '04-25', '12-25', '12-26'],
  },
  {
    // Consumer Protection Act 68 of 2008, notice 293 of 2011 under section 12; holidays: Public Holidays Act 36 of
    // 1994; consent: Protection of Personal Information Act 4 of 2013, section 69.
    countries: 'ZA',
    consent: ['written', 'express', 'existing_relationship'],
    windows: [
      { days: [...week], from: '08:00', to: '20:00' },
      { days: ['sat'], from: '09:00', to: '13:00' },
    ],
    holidays: [
      ...(['01-01', '03-21', 'easter-2', 'easter+1', '04-27', '05-01'] as const),
      ...(['06-16', '08-09', '09-24', '12-16', '12-25', '12-26'] as const),
    ],
    areSundayHolidaysMoved: true,
  },
]

/** Returns the policies of every country that a number may belong to. All of them apply. */
export const findPolicies = (countries: readonly string[]): CountryPolicy[] =>
  policies.filter(policy => getCountryCodes(policy).some(country => countries.includes(country)))

export const getCountryCodes = ({ countries }: CountryPolicy): string[] => countries.split(/\s+/)

/** Returns the kinds of consent that the first unsatisfied policy accepts; undefined if every policy is satisfied. */
export const findMissingConsent = (
  policies: readonly CallPolicy[],
  recorded: readonly ConsentKind[],
): readonly ConsentKind[] | undefined =>
  policies
    .flatMap(({ consent }) => (consent ? [consent] : []))
    .find(required => !required.some(kind => recorded.includes(kind)))

/** Returns the dates of a policy’s holidays in a year, such as 2026-12-25. */
export function listHolidays(year: number, { holidays = [], areSundayHolidaysMoved }: CallPolicy): string[] {
  return holidays.map(holiday => {
    if (holiday.startsWith('easter'))
      return easterSunday(year)
        .add({ days: Number(holiday.slice(6)) })
        .toString()
    const date = Temporal.PlainDate.from(`${year}-${holiday}`)
    return (areSundayHolidaysMoved && date.dayOfWeek === 7 ? date.add({ days: 1 }) : date).toString()
  })
}

/** Computes Easter Sunday with the Gregorian algorithm of Meeus, Jones and Butcher. */
function easterSunday(year: number): Temporal.PlainDate {
  const century = Math.floor(year / 100)
  const cycleYear = year % 19
  const corrected =
    century - Math.floor(century / 4) - Math.floor((8 * century + 13) / 25) + 19 * cycleYear + 15
  const epact = corrected % 30
  const moon =
    epact - Math.floor(epact / 28) * (1 - Math.floor(29 / (epact + 1)) * Math.floor((21 - cycleYear) / 11))
  const weekday = (year + Math.floor(year / 4) + moon + 2 - century + Math.floor(century / 4)) % 7
  const offset = moon - weekday
  const month = 3 + Math.floor((offset + 40) / 44)
  return Temporal.PlainDate.from({ year, month, day: offset + 28 - 31 * Math.floor(month / 4) })
}
