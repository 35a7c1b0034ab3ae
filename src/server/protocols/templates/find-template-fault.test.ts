import { expect, test } from 'vitest'
import { findTemplateFault } from './find-template-fault.ts'

const variables = ['firstName', 'company', 'company.name']

test.each(['firstname', 'FirstName', 'first_name', 'FIRSTNAME'])('suggests firstName for {{ %s }}', name => {
  expect(findTemplateFault(`Hi {{ ${name} }}`, variables)).toBe(
    `unknown variable ${name}; did you mean {{ firstName }}? allowed variables: firstName, company, company.name`,
  )
})

test('suggests nothing for a name that resembles none', () => {
  expect(findTemplateFault('Hi {{ nickname }}', variables)).toBe(
    'unknown variable nickname; allowed variables: firstName, company, company.name',
  )
})
