import type { ErrorDetail } from '../../../kernel/errors.ts'
import { canonicalEmail } from '../../../protocols/identity/email.ts'
import { canonicalLinkedin } from '../../../protocols/identity/linkedin.ts'
import { canonicalPhone } from '../../../protocols/identity/phone.ts'

type Given = string | null | undefined

/** What a person is reached and recognised by. */
type ContactFields = { email: Given; linkedinUrl: Given; phone: Given }

/** The three in canonical form, and a fault for each that can't be read. Absent and null ones stay as they are. */
export function readContact(
  { email, linkedinUrl, phone }: Partial<ContactFields>,
  defaultCountry: string | undefined,
): { contact: ContactFields; faults: ErrorDetail[] } {
  const faults: ErrorDetail[] = []
  const read = (
    path: string,
    given: Given,
    canonical: (text: string) => string | undefined,
    fault: string,
  ) => {
    if (!given) return given
    const found = canonical(given)
    if (found === undefined) faults.push({ path, message: fault })
    return found
  }
  const contact = {
    email: read('email', email, canonicalEmail, 'must be a valid email address'),
    linkedinUrl: read('linkedinUrl', linkedinUrl, canonicalLinkedin, linkedinFault),
    phone: read('phone', phone, text => canonicalPhone(text, defaultCountry), phoneFault(defaultCountry)),
  }
  return { contact, faults }
}

const linkedinFault = 'must be the URL of a public LinkedIn profile, such as https://www.linkedin.com/in/name'

const phoneFault = (defaultCountry: string | undefined): string =>
  defaultCountry
    ? `must be a valid phone number, with a country code or from ${defaultCountry}`
    : 'must be a valid phone number with a country code; a default country can be set for the account'
