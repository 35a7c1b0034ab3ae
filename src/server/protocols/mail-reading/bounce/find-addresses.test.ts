import { expect, test } from 'vitest'
import { addressesInText, addressIn } from './find-addresses.ts'

test.each([
  ['<Bob.Stone@Bone.example>: gone', ['bob.stone@bone.example']],
  ['RCPT TO:<bob@bone.example>', ['bob@bone.example']],
  ['RCPT_TO=bob@bone.example failed', ['bob@bone.example']],
  ["mailto:'bob@bone.example'", ['bob@bone.example']],
  ['`bob@bone.example`', ['bob@bone.example']],
  ['**bob@bone.example**', ['bob@bone.example']],
  ['"bob+tag@bone.example".', ['bob+tag@bone.example']],
  ["o'hara@bone.example", ["o'hara@bone.example"]],
  ['to ann@acme.example, bob@bone.example.', ['ann@acme.example', 'bob@bone.example']],
  ['b@x', ['b@x']],
  ['no address here @ all, nor a@, nor @b.example', []],
  ['bob..stone@bone.example or bob@bone..example', []],
  ['.bob@bone.example', []],
  [`${'x'.repeat(128)}@bone.example`, [`${'x'.repeat(128)}@bone.example`]],
  [`${'x'.repeat(129)}@bone.example`, []],
])('%j names %j', (text, addresses) => {
  expect(addressesInText(text)).toEqual(addresses)
})

test('a field names its first address', () => {
  expect(addressIn('rfc822; <Bob@bone.example> (ann@acme.example)')).toBe('bob@bone.example')
  expect(addressIn('rfc822; nobody')).toBeUndefined()
})

test('no more is looked at than a report may say', () => {
  expect(addressIn(`${' '.repeat(1_980)}b@x`)).toBe('b@x')
  expect(addressIn(`${' '.repeat(2_000)}b@x`)).toBeUndefined()
  expect(addressesInText(`${' '.repeat(99_990)}b@x`)).toEqual(['b@x'])
  expect(addressesInText(`${' '.repeat(100_000)}b@x`)).toEqual([])
})
