import type { Output } from '../../contract/index.ts'

/** The maximum number of people per request. A request accepts 500 identifiers, and a person may have several. */
export const MAX_OPTED_OUT_PEOPLE = 50

/** Shown for a person who can't be added to the Do Not Contact list. */
export const NO_IDENTIFIERS = 'Has no email address, phone number or LinkedIn profile.'

/** Returns the person's email addresses, phone numbers and LinkedIn profiles as entries of the Do Not Contact list. */
export const toIdentifiers = (person: Output<'getPerson'>, name: string) =>
  [
    ...[person.email, ...(person.otherEmails ?? [])],
    ...[person.phone, ...(person.otherPhones ?? [])],
    ...[person.linkedinUrl, ...(person.otherLinkedinUrls ?? [])],
  ]
    .filter(identifier => identifier !== null)
    .map(identifier => ({ identifier, name }))
