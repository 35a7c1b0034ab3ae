import { randomUUIDv7 } from 'node:crypto'
import type { Alias, PersonFacts, PersonRow } from './write-persons.ts'

/** A person in memory; `isNew` and `isFilled` say whether it must be inserted or updated. */
export type IndexedPerson = PersonRow & { isNew: boolean; isFilled: boolean }

/** Facts about a person at a company. */
type CompanyPerson = PersonFacts & { companyId: string | null }

/**
 * Finds persons by email, LinkedIn profile, phone number, or name and company, in this order, among the stored ones
 * (oldest first) and those already resolved; creates missing ones. People share numbers and names, so neither matches a
 * person with a different email or profile.
 */
export function indexPersons(stored: readonly PersonRow[]) {
  const byEmail = new Map<string, IndexedPerson>()
  const byLinkedin = new Map<string, IndexedPerson>()
  const byPhone = new Map<string, Set<IndexedPerson>>()
  const byName = new Map<string, Set<IndexedPerson>>()

  const addToIndex = (person: IndexedPerson) => {
    if (person.email) byEmail.set(person.email, person)
    if (person.linkedinUrl) byLinkedin.set(person.linkedinUrl, person)
    if (person.phone) addTo(byPhone, person.phone, person)
    const name = toNameKey(person)
    if (name) addTo(byName, name, person)
    for (const alias of person.aliases ?? []) indexAlias(alias, person)
    return person
  }

  /** Indexes an alias, unless it is an email or profile that another person has now. */
  const indexAlias = ({ kind, value }: Alias, person: IndexedPerson) => {
    if (kind === 'phone') addTo(byPhone, value, person)
    else {
      const index = kind === 'email' ? byEmail : byLinkedin
      if (!index.has(value)) index.set(value, person)
    }
  }

  const find = (facts: CompanyPerson): IndexedPerson | undefined => {
    const name = toNameKey(facts)
    const isSame = (person: IndexedPerson) => !isSomebodyElse(person, facts)
    return (
      (facts.email && byEmail.get(facts.email)) ||
      (facts.linkedinUrl && byLinkedin.get(facts.linkedinUrl)) ||
      (facts.phone && byPhone.get(facts.phone)?.values().find(isSame)) ||
      (name && byName.get(name)?.values().find(isSame)) ||
      undefined
    )
  }

  /** Fills unknown fields only, and never with an email or profile that another person has. */
  const fill = (person: IndexedPerson, facts: CompanyPerson) => {
    const gaps = Object.entries(facts).filter(
      ([field, value]) =>
        value !== null &&
        person[field as keyof CompanyPerson] === null &&
        !(field === 'email' && byEmail.has(value)) &&
        !(field === 'linkedinUrl' && byLinkedin.has(value)),
    )
    if (gaps.length === 0) return person
    return addToIndex(Object.assign(person, Object.fromEntries(gaps), { isFilled: !person.isNew }))
  }

  for (const person of stored) addToIndex({ ...person, isNew: false, isFilled: false })

  return {
    resolve(facts: CompanyPerson): IndexedPerson {
      const found = find(facts)
      return found
        ? fill(found, facts)
        : addToIndex({ ...facts, id: randomUUIDv7(), isNew: true, isFilled: false })
    },
  }
}

function addTo(index: Map<string, Set<IndexedPerson>>, key: string, person: IndexedPerson): void {
  const persons = index.get(key)
  if (persons) persons.add(person)
  else index.set(key, new Set([person]))
}

const isSomebodyElse = (person: PersonFacts, facts: PersonFacts): boolean =>
  (person.email !== null && facts.email !== null && person.email !== facts.email) ||
  (person.linkedinUrl !== null && facts.linkedinUrl !== null && person.linkedinUrl !== facts.linkedinUrl)

const toNameKey = ({
  firstName,
  lastName,
  companyId,
}: Pick<CompanyPerson, 'firstName' | 'lastName' | 'companyId'>) =>
  firstName && lastName && companyId
    ? `${firstName.trim().toLowerCase()} ${lastName.trim().toLowerCase()} ${companyId}`
    : undefined
