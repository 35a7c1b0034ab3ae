import { expect, test } from 'vitest'
import { readOptOutIdentifier } from './opt-out.ts'

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
  ['https://www.acme.com/', 'domain', 'acme.com'],
  ['linkedin.com', 'domain', 'linkedin.com'],
])('%j is read as %s', (identifier, kind, value) => {
  expect(readOptOutIdentifier({ identifier }, 'DE')).toEqual({ kind, value })
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
  '10.0.0.1',
])('%j is refused and not guessed at', identifier => {
  expect(readOptOutIdentifier({ identifier }, 'DE')).toBeUndefined()
})

test.each([
  ['jane@acme.com', 'domain', 'acme.com'],
  ['https://acme.com/team/jane', 'domain', 'acme.com'],
  ['030 1234567', 'sms', '+49301234567'],
  ['whatsapp:+4915123456789', 'whatsapp', '+4915123456789'],
  ['  Visitor-7f3A  ', 'web_chat', 'Visitor-7f3A'],
  ['acme.com', 'email', undefined],
  ['jane@acme.com', 'phone', undefined],
  ['acme.com', 'linkedin', undefined],
  ['  ', 'web_chat', undefined],
  ['a\0b', 'web_chat', undefined],
  ['x'.repeat(321), 'web_chat', undefined],
] as const)('%j given as %s is %s', (identifier, identifierType, value) => {
  expect(readOptOutIdentifier({ identifier, identifierType }, 'DE')).toEqual(
    value === undefined ? undefined : { kind: identifierType, value },
  )
})
