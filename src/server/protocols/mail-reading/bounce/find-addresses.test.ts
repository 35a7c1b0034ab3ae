import { expect, test } from 'vitest'
import { findAddress, findAddresses } from './find-addresses.ts'

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
])('finds the addresses in %j: %j', (text, addresses) => {
  expect(findAddresses(text)).toEqual(addresses)
})

test('finds the first address of a field', () => {
  expect(findAddress('rfc822; <Bob@bone.example> (ann@acme.example)')).toBe('bob@bone.example')
  expect(findAddress('rfc822; nobody')).toBeUndefined()
})

test('searches only a bounded part of the text', () => {
  expect(findAddress(`${' '.repeat(1_980)}b@x`)).toBe('b@x')
  expect(findAddress(`${' '.repeat(2_000)}b@x`)).toBeUndefined()
  expect(findAddresses(`${' '.repeat(99_990)}b@x`)).toEqual(['b@x'])
  expect(findAddresses(`${' '.repeat(100_000)}b@x`)).toEqual([])
})
