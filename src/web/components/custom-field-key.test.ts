import { expect, it } from 'vitest'
import { toCustomFieldKey } from './custom-field-key.ts'

it.each([
  ['Current plan', 'currentPlan'],
  ['Prénom d’usage', 'prenomDUsage'],
  ['2nd phone', 'field2ndPhone'],
  ['Email', 'emailField'],
  ['社員', 'field'],
])('gives the new field %s the key %s', (label, key) => {
  expect(toCustomFieldKey(label)).toBe(key)
})
