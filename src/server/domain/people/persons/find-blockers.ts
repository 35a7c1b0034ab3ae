import type { Context } from '../../../kernel/context.ts'
import type { OptOutIdentifier } from '../../../protocols/identity/opt-out-identifier.ts'
import { findOptOutForEach } from '../opt-outs/find-opt-outs.ts'
import type { IndexedPerson } from './person-index.ts'
import type { PersonFacts } from './write-persons.ts'

type ContactFacts = Pick<PersonFacts, 'email' | 'linkedinUrl' | 'phone'>
export type AddedPerson = ContactFacts & Pick<IndexedPerson, 'id' | 'isNew'>

/** A person to be added, and the facts of the element itself; both are checked against the Do Not Contact list. */
export type Candidate<P> = { person: P; facts: ContactFacts }

/**
 * Finds the entry of the Do Not Contact list that blocks each candidate, by the details on file or those of the
 * element.
 */
export async function findBlockers<P extends AddedPerson>(
  ctx: Context,
  candidates: readonly Candidate<P>[],
): Promise<Map<P, OptOutIdentifier>> {
  const toContact = ({ email, linkedinUrl, phone }: ContactFacts, personId: string | null) => ({
    ...{ personId, emails: email ? [email] : [], linkedinUrl, phone },
  })
  const found = await findOptOutForEach(
    ctx,
    candidates.flatMap(({ person, facts }) => [
      toContact(person, person.isNew ? null : person.id),
      toContact(omitKnownContact(facts, person), null),
    ]),
  )
  // Several elements may refer to the same person; the first blocked one is reported.
  const blocked = candidates.flatMap(({ person }, index): [P, OptOutIdentifier][] => {
    const entry = found[2 * index] ?? found[2 * index + 1]
    return entry ? [[person, entry]] : []
  })
  return new Map(blocked.reverse())
}

/** Returns the element's contact details that differ from those on file. */
const omitKnownContact = (facts: ContactFacts, person: ContactFacts): ContactFacts => ({
  email: facts.email === person.email ? null : facts.email,
  linkedinUrl: facts.linkedinUrl === person.linkedinUrl ? null : facts.linkedinUrl,
  phone: facts.phone === person.phone ? null : facts.phone,
})
