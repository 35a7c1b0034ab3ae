import { isSupportedCountry, type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { cleanText } from './text.ts'

/**
 * A phone number in E.164. National numbers are read as of `defaultCountry` (ISO 3166, two letters). An extension is
 * dropped: the line behind it is what is called, and what must not be called. Judged by length and not by the ranges
 * in use: those grow every month, and a new customer's number must not be refused for the age of a table.
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

function parse(number: string, defaultCountry?: string): PhoneNumber | undefined {
  const country = defaultCountry?.toUpperCase() ?? ''
  const found = parsePhoneNumberFromString(number, {
    extract: false,
    ...(isSupportedCountry(country) && { defaultCountry: country }),
  })
  return found?.isPossible() ? found : undefined
}
