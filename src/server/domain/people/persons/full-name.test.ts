import { expect, test } from 'vitest'
import { splitFullName } from './full-name.ts'

test.each([
  ['Jane Doe', 'Jane', 'Doe'],
  ['  Jane   Doe ', 'Jane', 'Doe'],
  ['Doe, Jane', 'Jane', 'Doe'],
  ['Doe, Jane, PhD', 'Jane', 'Doe'],
  ['Jane Doe, PhD, MBA', 'Jane', 'Doe'],
  ['Jane Doe MBA', 'Jane', 'Doe'],
  ['Dr. Jane Doe', 'Jane', 'Doe'],
  ['Frau Prof. Dr. Jane Doe', 'Jane', 'Doe'],
  ['John F. Kennedy', 'John', 'Kennedy'],
  ['Jan van der Berg', 'Jan', 'van der Berg'],
  ['María García López', 'María', 'García López'],
  ['Md Rahman', 'Md', 'Rahman'],
  ['Cher', 'Cher', undefined],
  ['山田太郎', '山田太郎', undefined],
  ['', undefined, undefined],
  [', ,', undefined, undefined],
])('finds the first and last name in %j', (fullName, firstName, lastName) => {
  expect(splitFullName(fullName)).toEqual({ ...(firstName && { firstName }), ...(lastName && { lastName }) })
})
