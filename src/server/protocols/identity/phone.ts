import { isSupportedCountry, type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { invalid } from '../../kernel/errors.ts'
import { cleanText } from './text.ts'

/**
 * Returns a phone number in E.164. National numbers are read as numbers in `defaultCountry` (ISO 3166, two letters).
 * Extensions are dropped, because calls and suppressions concern the main line. Validates the length only: number
 * ranges grow every month, and an outdated table must not reject a new number.
 */
export function canonicalPhone(text: string, defaultCountry?: string): string | undefined {
  const number = cleanText(text, 100)
    ?.normalize('NFKC')
    .replace(/^(?:tel|callto|sms|smsto|whatsapp):(?:\/\/)?/i, '')
    .replace(/;.*$/s, '')
    .trim()
  if (!number) return undefined
  const found = parse(number, defaultCountry) ?? parse(number.replace(/^00\s?(?=[1-9])/, '+'))
  return found?.number
}

export const phoneRule = 'must be a valid phone number, preferably in E.164 format, such as +442079460018'

/** Returns the number in E.164. Throws ValidationError for the field `path` when it is invalid. */
export function requirePhone(text: string, defaultCountry: string | undefined, path = 'phoneNumber'): string {
  const phone = canonicalPhone(text, defaultCountry)
  if (!phone) throw invalid(path, phoneRule)
  return phone
}

function parse(number: string, defaultCountry?: string): PhoneNumber | undefined {
  const country = defaultCountry?.toUpperCase() ?? ''
  const found = parsePhoneNumberFromString(number, {
    extract: false,
    ...(isSupportedCountry(country) && { defaultCountry: country }),
  })
  return found?.isPossible() ? found : undefined
}
