import { getInputName, mapPersonFields, type PersonInputName } from '../../../../contract/person-fields.ts'
import type { ErrorDetail } from '../../../kernel/errors.ts'
import { toBusinessDomain } from '../../../protocols/identity/domain.ts'
import { toOneLine } from '../../../protocols/identity/text.ts'
import { isTimezone } from '../../../protocols/identity/timezone.ts'
import { parseWebsite } from '../companies/parse-website.ts'
import type { CompanyFacts } from '../companies/write-companies.ts'
import { parseContact } from './parse-contact.ts'
import type { PersonAtCompany } from './resolve-persons.ts'
import type { PersonFacts } from './write-persons.ts'

/** A person as sent by a caller or read from a row of a file. */
export type PersonElement = Partial<Record<PersonInputName | 'company' | 'website', string | undefined>>

export type ParsedPerson = { facts: PersonAtCompany; errors: ErrorDetail[] }

/**
 * Returns the facts in canonical form and all errors, with paths relative to the element. Invalid websites and time
 * zones are omitted without an error, because they don't identify persons.
 */
export function parsePerson(
  element: PersonElement,
  { defaultCountry, ownDomains }: { defaultCountry: string | undefined; ownDomains: ReadonlySet<string> },
): ParsedPerson {
  const { contact, errors } = parseContact(element, defaultCountry)
  const getText = (field: keyof PersonElement) => toOneLine(element[field])
  const canonical: Partial<PersonFacts> = {
    email: contact.email ?? null,
    linkedinUrl: contact.linkedinUrl ?? null,
    phone: contact.phone ?? null,
    timezone: readTimezone(getText('timezone')),
  }
  const person: PersonFacts = { ...mapPersonFields(field => getText(getInputName(field))), ...canonical }
  const { email } = person
  const company = getText('company')
  if (
    errors.length === 0 &&
    !(email || person.linkedinUrl || person.phone) &&
    !(person.firstName && person.lastName && company)
  )
    errors.push({ path: '', message: TOO_LITTLE })
  return { facts: { person, company: parseCompany({ ...element, email }, ownDomains) }, errors }
}

/** Returns facts about a person's company, without its domain if that is one of the account's own. */
export function parseCompany(
  { company, website, email }: Partial<Record<'company' | 'website' | 'email', string | null | undefined>>,
  ownDomains: ReadonlySet<string>,
): CompanyFacts {
  const domain = [website, email].map(source => source && toBusinessDomain(source)).find(Boolean)
  return {
    name: toOneLine(company),
    domain: domain && !ownDomains.has(domain) ? domain : null,
    website: parseWebsite(website),
  }
}

const TOO_LITTLE =
  'must have an email address, LinkedIn profile or phone number, or a first name, last name and company'

const readTimezone = (text: string | null): string | null => (text && isTimezone(text) ? text : null)
