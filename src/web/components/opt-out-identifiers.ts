import type { Output } from '../../contract/index.ts'

/** Returns everything by which a person can be contacted, as entries of the Do Not Contact list. */
export const toIdentifiers = (person: Output<'getPerson'>, name: string) =>
  [person.email, ...(person.otherEmails ?? []), person.phone, person.linkedinUrl]
    .filter(identifier => identifier !== null)
    .map(identifier => ({ identifier, name }))
