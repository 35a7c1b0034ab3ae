import { expect, test } from 'vitest'
import { findTemplateError } from './find-template-error.ts'

const variables = ['firstName', 'company', 'company.name']

test.each(['firstname', 'FirstName', 'first_name', 'FIRSTNAME'])('suggests firstName for {{ %s }}', name => {
  expect(findTemplateError(`Hi {{ ${name} }}`, variables)).toBe(
    `unknown variable ${name}; did you mean {{ firstName }}? allowed variables: firstName, company, company.name`,
  )
})

test('suggests no variable for a name that resembles none', () => {
  expect(findTemplateError('Hi {{ nickname }}', variables)).toBe(
    'unknown variable nickname; allowed variables: firstName, company, company.name',
  )
})
