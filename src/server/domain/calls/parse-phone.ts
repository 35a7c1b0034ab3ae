import { invalid } from '../../kernel/errors.ts'
import { canonicalPhone } from '../../protocols/identity/phone.ts'

/** Returns the number in E.164. Throws, naming the field, when it is invalid. */
export function parsePhone(path: string, text: string, defaultCountry: string | undefined): string {
  const phone = canonicalPhone(text, defaultCountry)
  if (!phone)
    throw invalid(path, 'must be a valid phone number, preferably in E.164 format, such as +442079460018')
  return phone
}
