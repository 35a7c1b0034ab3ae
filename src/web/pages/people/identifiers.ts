import { getPersonName, type Person } from './person-name.ts'

/** Everything by which a person can be contacted, as entries of the Do Not Contact list. */
export const toIdentifiers = (person: Person) =>
  [person.email, ...(person.otherEmails ?? []), person.phone, person.linkedinUrl]
    .filter(identifier => identifier !== null)
    .map(identifier => ({ identifier, name: getPersonName(person) }))
