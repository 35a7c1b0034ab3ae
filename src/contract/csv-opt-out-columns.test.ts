import { expect, it } from 'vitest'
import { meansOptedOut, recognizeOptOutColumn } from './csv-opt-out-columns.ts'

it.each([
  ['Email Opt Out', 'optedOut'],
  ['HasOptedOutOfEmail', 'optedOut'],
  ['Unsubscribed from all email', 'optedOut'],
  ['is_unsubscribed', 'optedOut'],
  ['Do Not Call', 'optedOut'],
  ['Contact - Do not contact', 'optedOut'],
  ['Marketing consent', 'consent'],
  ['Email Status', undefined],
  ['Plan', undefined],
])('recognizes whether the column %s says who must not be contacted', (header, column) => {
  expect(recognizeOptOutColumn(header, ['Verified', 'Valid'])).toBe(column)
})

it('reads a column of statuses as opt-outs if somebody opted out', () => {
  expect(recognizeOptOutColumn('leadStatus', ['Contacted', 'Unsubscribed from email'])).toBe('optedOut')
  expect(recognizeOptOutColumn('Person - Marketing status', ['Subscribed', 'Unsubscribed'])).toBe('optedOut')
  expect(recognizeOptOutColumn('Lead Status', ['New', 'Open'])).toBeUndefined()
})

it.each([
  ['optedOut', ['true', 'TRUE', 'Yes', '1', 'x', 'Ja', 'Sí', 'Unsubscribed', 'opt-out', 'BLACKLISTED']],
  ['consent', ['false', 'No', '0', 'Nein', 'withdrawn', 'Opted out']],
] as const)('an opt-out value in a column of type %s opts the person out', (column, values) => {
  for (const value of values) expect(meansOptedOut(column, value), value).toBe(true)
})

it.each([
  ['optedOut', ['', 'false', 'No', '0', 'Subscribed', 'not unsubscribed', 'New']],
  ['consent', ['', 'true', 'Yes', '1', 'given']],
] as const)('any other value in a column of type %s does not opt the person out', (column, values) => {
  for (const value of values) expect(meansOptedOut(column, value), value).toBe(false)
})
