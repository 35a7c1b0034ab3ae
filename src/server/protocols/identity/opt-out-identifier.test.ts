import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseOptOutIdentifier } from './opt-out-identifier.ts'

test.each([
  ['Jane@Acme.com', 'email', 'jane@acme.com'],
  ['jane@linkedin.com', 'email', 'jane@linkedin.com'],
  ['mailto:jane@acme.com', 'email', 'jane@acme.com'],
  ['uk.linkedin.com/in/Jane-Doe/', 'linkedin', 'https://www.linkedin.com/in/jane-doe'],
  ['+49 30 1234567', 'phone', '+49301234567'],
  ['030.123.4567', 'phone', '+49301234567'],
  ['tel:030 1234567', 'phone', '+49301234567'],
  ['acme.com', 'domain', 'acme.com'],
  ['@acme.com', 'domain', 'acme.com'],
  ['*.acme.com', 'domain', 'acme.com'],
  ['*@acme.com', 'domain', 'acme.com'],
  ['%@Acme.com,', 'domain', 'acme.com'],
  ['<*@acme.com>', 'domain', 'acme.com'],
  ['Everybody <*@acme.com>', 'domain', 'acme.com'],
  ['mailto:*@acme.com?subject=x', 'domain', 'acme.com'],
  ["'*@acme.com'", 'domain', 'acme.com'],
  ['*@*.acme.com', 'domain', 'acme.com'],
  ['*@www.müller.de', 'domain', 'xn--mller-kva.de'],
  ['https://www.acme.com/', 'domain', 'acme.com'],
  ['linkedin.com', 'domain', 'linkedin.com'],
])('%j is parsed as %s', (identifier, kind, value) => {
  expect(parseOptOutIdentifier({ identifier }, 'DE')).toEqual({ kind, value })
})

test.each([
  '',
  '   ',
  'Jane Doe',
  'jane@acme',
  'linkedin.com/company/acme',
  'https://www.linkedin.com/sales/lead/ACwAAAB1c2d3,NAME_SEARCH,abcd',
  'https://acme.com/team/jane',
  'https://medium.com/@jane',
  '*@acme.com/team',
  '*@acme',
  '*@10.0.0.1',
  '*@',
  '*',
  'info*@acme.com',
  '*.sales@acme.com',
  '10.0.0.1',
])('%j is rejected', identifier => {
  expect(parseOptOutIdentifier({ identifier }, 'DE')).toBeUndefined()
})

test.each([
  ['jane@acme.com', 'domain', 'acme.com'],
  ['https://acme.com/team/jane', 'domain', 'acme.com'],
  ['030 1234567', 'sms', '+49301234567'],
  ['whatsapp:+4915123456789', 'whatsapp', '+4915123456789'],
  ['  Visitor-7f3A  ', 'web_chat', 'Visitor-7f3A'],
  ['*@acme.com', 'web_chat', '*@acme.com'],
  ['*@acme.com', 'domain', 'acme.com'],
  ['*@acme.com', 'phone', undefined],
  ['info*@acme.com', 'email', undefined],
  ['acme.com', 'email', undefined],
  ['jane@acme.com', 'phone', undefined],
  ['acme.com', 'linkedin', undefined],
  ['  ', 'web_chat', undefined],
  ['a\0b', 'web_chat', undefined],
  ['x'.repeat(321), 'web_chat', undefined],
] as const)('normalizes or rejects %j with the type %s', (identifier, identifierType, value) => {
  expect(parseOptOutIdentifier({ identifier, identifierType }, 'DE')).toEqual(
    value === undefined ? undefined : { kind: identifierType, value },
  )
})

test('a wildcard address is parsed as its domain', () => {
  const everybody = { kind: 'domain', value: 'acme.com' }
  for (const identifier of ['*@acme.com', '%@acme.com', ' <*@Acme.com>'])
    expect(parseOptOutIdentifier({ identifier, identifierType: 'email' })).toEqual(everybody)
})

const anyCase = (text: string) =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map(upper => [...text].map((letter, at) => (upper[at] ? letter.toUpperCase() : letter)).join(''))
const wrapped = (before: string[], text: fc.Arbitrary<string>, after: string[]) =>
  fc.tuple(fc.constantFrom(...before), text, fc.constantFrom(...after)).map(parts => parts.join(''))
const spaces = ['', ' ', '\t', '\u00a0', '\u200b', '\r\n']
const gap = fc.constantFrom('', ' ', '-', '.', '\u00a0', '/')

/** The stored form of each kind, with the ways people write it. */
const spellings = {
  email: [
    'jörg.doe+x@mail.acme.com',
    wrapped(
      ['', ' ', 'mailto:', '<', 'Jörg Doe <', '"Doe, Jörg" <'],
      fc
        .tuple(anyCase('jörg.doe+x@mail.acme.com'), fc.constantFrom('NFC', 'NFD'))
        .map(([text, form]) => text.normalize(form)),
      [''],
    ).map(text => (text.includes('<') ? `${text}>` : text)),
  ],
  linkedin: [
    'https://www.linkedin.com/in/ada-b',
    wrapped(
      ['', 'https://', 'http://', 'HTTPS://www.', 'uk.', 'https://de.'],
      anyCase('linkedin.com/in/ada-b'),
      ['', '/', '?trk=x', '/?a=b#c', '/de', ' '],
    ),
  ],
  phone: [
    '+442079460018',
    fc
      .tuple(
        fc.constantFrom('+44', '0044', '+44 (0)', 'tel:+44', ' +44'),
        fc.array(gap, { minLength: 3, maxLength: 3 }),
      )
      .map(([prefix, [a, b, c]]) => `${prefix}${a === '/' ? ' ' : a}20${b}7946${c}0018`),
  ],
  domain: [
    'xn--mller-kva.de',
    wrapped(
      ['', 'https://', 'http://www.', 'www.', '*.', '@', '//'],
      fc.oneof(anyCase('müller.de'), anyCase('xn--mller-kva.de')),
      ['', '/', ' ', '.'],
    ),
  ],
} as const

test.each(Object.entries(spellings))(
  '250 spellings of one %s have one canonical form, which is stable',
  (kind, [value, spelling]) => {
    const identifierType = kind as keyof typeof spellings
    fc.assert(
      fc.property(wrapped(spaces, spelling, spaces), identifier => {
        for (const given of [{ identifier }, { identifier, identifierType }])
          expect(parseOptOutIdentifier(given, 'GB')).toEqual({ kind, value })
        expect(parseOptOutIdentifier({ identifier: value }, 'GB')).toEqual({ kind, value })
      }),
      { numRuns: 250 },
    )
  },
)

test('look-alike characters never merge two people or two domains', () => {
  const alike: [string, string][] = [
    ['a', 'а'],
    ['c', 'с'],
    ['e', 'е'],
    ['o', 'о'],
    ['p', 'р'],
    ['x', 'х'],
    ['i', 'і'],
    ['l', '1'],
  ]
  for (const [latin, other] of alike)
    for (const write of [
      (l: string) => `${l}da@acme.com`,
      (l: string) => `ada@${l}cme.com`,
      (l: string) => `${l}cme.com`,
      (l: string) => `linkedin.com/in/${l}da`,
    ]) {
      const read = parseOptOutIdentifier({ identifier: write(other) })
      expect(read).not.toEqual(parseOptOutIdentifier({ identifier: write(latin) }))
    }
})
