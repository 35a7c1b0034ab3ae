import { expect, it } from 'vitest'
import { findEmptyFields, findMissingFields } from './missing-fields.ts'

it.each([
  ['missing_variable: firstName, company', { firstName: 'Ada' }, ['company']],
  ['missing_variable: firstName, company', { firstName: 'Ada', company: 'Analytical' }, []],
  ['missing_variable: fullName', { lastName: 'Byron' }, []],
  ['missing_variable: fullName, lastName', { firstName: 'Ada' }, ['lastName']],
  ['no_email', {}, ['email']],
])('reports the fields without a value: for “%s”, %o still lacks %o', (statusReason, values, expected) => {
  expect(findEmptyFields({ status: 'failed', statusReason }, values)).toEqual(expected)
})

it('offers each field once', () => {
  const fields = findMissingFields({ status: 'failed', statusReason: 'missing_variable: fullName, lastName' })
  expect(fields?.map(({ name }) => name)).toEqual(['firstName', 'lastName'])
})
