import fc from 'fast-check'
import { expect, test } from 'vitest'
import { identifierTypes } from '../../../contract/dnc.ts'
import { canonicalDomain, toBusinessDomain } from './domain.ts'
import { canonicalEmail } from './email.ts'
import { canonicalLinkedin } from './linkedin.ts'
import { parseOptOutIdentifier } from './opt-out-identifier.ts'
import { canonicalPhone } from './phone.ts'
import { isTimezone } from './timezone.ts'

const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.nat(0xffff).map(unit => String.fromCharCode(unit)), maxLength: 60 }),
  fc
    .array(
      fc.constantFrom(
        ...[
          'jane',
          '@',
          '.',
          'acme.com',
          'linkedin.com',
          '/in/',
          '+49',
          '0',
          '30 123 4567',
          ' ',
          '%',
          '%2f',
          '<',
          '>',
        ],
        ...[
          'mailto:',
          'https://',
          'www.',
          '*.',
          '\ud800',
          '\0',
          '\r\n',
          '\u202e',
          'İ',
          'Σ',
          'ß',
          'ﬁ',
          '\u0301',
          '👩‍💻',
        ],
      ),
      { maxLength: 12 },
    )
    .map(parts => parts.join('')),
)
const readers = { canonicalEmail, canonicalLinkedin, canonicalDomain, toBusinessDomain, canonicalPhone }

test.each(Object.entries(readers))('%s never throws and is idempotent', (_, read) => {
  fc.assert(
    fc.property(hostile, text => {
      const once = read(text, 'DE')
      if (once !== undefined) expect(read(once)).toBe(once)
    }),
    { numRuns: 3000 },
  )
})

test('parsing a canonical entry returns the same entry', () => {
  fc.assert(
    fc.property(
      hostile,
      fc.option(fc.constantFrom(...identifierTypes), { nil: undefined }),
      (identifier, type) => {
        const entry = parseOptOutIdentifier({ identifier, identifierType: type }, 'DE')
        if (entry)
          expect(parseOptOutIdentifier({ identifier: entry.value, identifierType: entry.kind })).toEqual(
            entry,
          )
      },
    ),
    { numRuns: 3000 },
  )
})

test('megabytes of text are rejected immediately', () => {
  for (const part of ['a', 'a@', '.', 'a.', '+4', '/', 'linkedin.com/in/', ',', ' '])
    for (const read of [...Object.values(readers), isTimezone])
      expect(read(part.repeat(3e6 / part.length))).toBeFalsy()
})
