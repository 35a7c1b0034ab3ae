import fc from 'fast-check'
import { getCountries } from 'libphonenumber-js/min'
import { expect, test } from 'vitest'
import { countries } from '../../../contract/countries.ts'
import { canonicalPhone } from './phone.ts'

test.each([
  ['+49 30 1234567', undefined, '+49301234567'],
  ['+49 (0)30 / 1234-567', undefined, '+49301234567'],
  ['+49.30.1234567', undefined, '+49301234567'],
  ['030 1234567', 'DE', '+49301234567'],
  ['030 1234567', 'de', '+49301234567'],
  ['0049 30 1234567', 'DE', '+49301234567'],
  ['0049 30 1234567', undefined, '+49301234567'],
  ['0049301234567', 'US', '+49301234567'],
  ['(202) 555-0123', 'US', '+12025550123'],
  ['tel:+1-202-555-0123', undefined, '+12025550123'],
  ['tel:+1-202-555-0123;ext=5', undefined, '+12025550123'],
  ['+1 202 555 0123 ext. 5', undefined, '+12025550123'],
  ['whatsapp:+12025550123', undefined, '+12025550123'],
  ['\u202a+1 (202) 555‑0123\u202c', undefined, '+12025550123'],
  ['＋１２０２５５５０１２３', undefined, '+12025550123'],
  ['٠٣٠١٢٣٤٥٦٧', 'DE', '+49301234567'],
  ['+39 06 698 12345', undefined, '+390669812345'],
  ['011 15 2345-6789', 'AR', '+5491123456789'],
])('%j with the default country %s is %s', (text, country, number) => {
  expect(canonicalPhone(text, country)).toBe(number)
})

test.each([
  ['', 'DE'],
  ['030 1234567', undefined],
  ['030 1234567', 'XX'],
  ['030 1234567', '__proto__'],
  ['110', 'DE'],
  ['+49', 'DE'],
  ['+999 123 456 789', 'DE'],
  ['+49 30 1234567 or +49 30 7654321', 'DE'],
  ['call me', 'DE'],
  ['1-800-FLOWERS', 'US'],
  ['+4930123\u00004567', 'DE'],
  [`+49${'1'.repeat(200)}`, 'DE'],
])('%j with the default country %s is not a phone number', (text, country) => {
  expect(canonicalPhone(text, country)).toBeUndefined()
})

test('all spellings of a number have the same canonical form', () => {
  const digits = fc.stringMatching(/^30[1-9][0-9]{6}$/)
  const prefix = fc.constantFrom(
    '+49',
    '+49 ',
    '+49(0)',
    '0049',
    '00 49 ',
    '0',
    '(0)',
    'tel:+49',
    '＋49',
    '\u200e+49 ',
  )
  const mark = fc.constantFrom('', ' ', '-', '.', '/', '\u00a0', '\u2011')
  const spelling = fc.tuple(prefix, mark, mark, fc.constantFrom('', ' ', '\r\n', ' ext. 12', 'x12'))
  fc.assert(
    fc.property(digits, fc.array(spelling, { minLength: 8 }), (number, spellings) => {
      for (const [start, a, b, end] of spellings)
        expect(
          canonicalPhone(
            `${start}${number.slice(0, 2)}${a}${number.slice(2, 5)}${b}${number.slice(5)}${end}`,
            'DE',
          ),
        ).toBe(`+49${number}`)
    }),
    { numRuns: 200 },
  )
})

test('numbers of all selectable countries can be parsed', () => {
  expect(countries).toEqual(getCountries().toSorted())
})
