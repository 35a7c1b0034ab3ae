import type { ErrorDetail } from '../../../kernel/errors.ts'
import { canonicalEmail } from '../../../protocols/identity/email.ts'
import { canonicalLinkedin } from '../../../protocols/identity/linkedin.ts'
import { canonicalPhone } from '../../../protocols/identity/phone.ts'

type Value = string | null | undefined

/** The fields used to contact and identify a person. */
type ContactFields = { email: Value; linkedinUrl: Value; phone: Value }

/** Parses contact fields to canonical form, with an error for each that is invalid. Keeps absent and null fields. */
export function parseContact(
  { email, linkedinUrl, phone }: Partial<ContactFields>,
  defaultCountry: string | undefined,
): { contact: ContactFields; errors: ErrorDetail[] } {
  const errors: ErrorDetail[] = []
  const parse = (
    path: string,
    value: Value,
    toCanonical: (text: string) => string | undefined,
    message: string,
  ) => {
    if (!value) return value
    const canonical = toCanonical(value)
    if (canonical === undefined) errors.push({ path, message })
    return canonical
  }
  const contact = {
    email: parse('email', email, canonicalEmail, 'must be a valid email address'),
    linkedinUrl: parse('linkedinUrl', linkedinUrl, canonicalLinkedin, linkedinError),
    phone: parse('phone', phone, text => canonicalPhone(text, defaultCountry), phoneError(defaultCountry)),
  }
  return { contact, errors }
}

const linkedinError = 'must be the URL of a public LinkedIn profile, such as https://www.linkedin.com/in/name'

const phoneError = (defaultCountry: string | undefined): string =>
  defaultCountry
    ? `must be a valid phone number, with a country code or from ${defaultCountry}`
    : 'must be a valid phone number with a country code; a default country can be set for the account'
