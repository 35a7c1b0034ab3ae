import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalEmail, redactAddresses } from './email.ts'

test.each([
  ['jane@acme.com', 'jane@acme.com'],
  ['  Jane.Doe@ACME.com\r\n', 'jane.doe@acme.com'],
  ['mailto:jane@acme.com?subject=Hi', 'jane@acme.com'],
  ['<jane@acme.com>', 'jane@acme.com'],
  ['Jane Doe <Jane@Acme.com>;', 'jane@acme.com'],
  ['"Doe, Jane" <jane@acme.com>', 'jane@acme.com'],
  ["'jane@acme.com'", 'jane@acme.com'],
  ['jane@acme.com.', 'jane@acme.com'],
  ['jane+news@acme.com', 'jane+news@acme.com'],
  ["o'brien@acme.com", "o'brien@acme.com"],
  ['ja\u200bne@ac\u00adme.com', 'jane@acme.com'],
  ['jane@Müller.de', 'jane@xn--mller-kva.de'],
  ['jane@XN--MLLER-KVA.de', 'jane@xn--mller-kva.de'],
  ['jane@mu\u0308ller.de', 'jane@xn--mller-kva.de'],
  ['jane@ａｃｍｅ。com', 'jane@acme.com'],
  ['Jörg@acme.com', 'jörg@acme.com'],
  ['jo\u0308rg@acme.com', 'jörg@acme.com'],
  ['用户@例子.广告', '用户@xn--fsqu00a.xn--4rr70v'],
  [`${'a'.repeat(64)}@acme.com`, `${'a'.repeat(64)}@acme.com`],
])('%j contains one address', (text, address) => {
  expect(canonicalEmail(text)).toBe(address)
})

test.each([
  '',
  'jane',
  'jane@',
  '@acme.com',
  'jane@localhost',
  'jane@10.0.0.1',
  'jane@[10.0.0.1]',
  'jane@acme.com\r\nBcc: all@acme.com',
  'jane\0@acme.com',
  'jane doe@acme.com',
  'jane@acme.com,bob@acme.com',
  'jane@@acme.com',
  '.jane@acme.com',
  'jane..doe@acme.com',
  'jane.@acme.com',
  '"jane doe"@acme.com',
  'jane@acme..com',
  'jane@-acme.com',
  'jane@acme.com:25',
  'jane@acme.com/x',
  'jane@ac%6de.com',
  'jane@acme_x.com',
  '<jane@acme.com',
  'jane\ud800@acme.com',
  `${'a'.repeat(65)}@acme.com`,
  `${'é'.repeat(33)}@acme.com`,
  `jane@${'a'.repeat(64)}.com`,
  `jane@${'abcdefghi.'.repeat(26)}com`,
])('%j is not an address', text => {
  expect(canonicalEmail(text)).toBeUndefined()
})

test('addresses that only look alike are distinct', () => {
  const alike = [
    'paypal@acme.com',
    'pаypal@acme.com',
    'paypal@аcme.com',
    'paypa1@acme.com',
    'ｐaypal@acme.com',
  ]
  expect(new Set(alike.map(canonicalEmail)).size).toBe(alike.length)
})

const address = fc.tuple(
  fc.stringMatching(/^[a-z0-9][a-z0-9_+-]{0,20}(\.[a-zéüñ0-9]{1,10})?$/),
  fc.constantFrom('acme.com', 'sub.acme.co.uk', 'müller.de', 'xn--fsqu00a.com', 'île-de-france.fr'),
)
const toSpelling = ([local, domain]: [string, string]) =>
  fc
    .tuple(
      fc.constantFrom(local, local.toUpperCase(), local.normalize('NFD')),
      fc.constantFrom(domain, domain.toUpperCase(), domain.normalize('NFD'), `${domain}.`),
      fc.constantFrom(
        (a: string) => a,
        (a: string) => ` \t${a}\n`,
        (a: string) => `mailto:${a}`,
        (a: string) => `<${a}>`,
        (a: string) => `Doe, Jane <${a}>,`,
        (a: string) => `\u202a${a}\u202c`,
      ),
    )
    .map(([l, d, wrap]) => wrap(`${l}@${d}`))

test('all spellings of an address have the same canonical form', () => {
  const spellings = address.chain(a => fc.tuple(fc.constant(a), fc.array(toSpelling(a), { minLength: 8 })))
  fc.assert(
    fc.property(spellings, ([[local, domain], texts]) => {
      const canonical = canonicalEmail(`${local}@${domain}`)
      expect(canonical).toBeDefined()
      for (const text of texts) expect(canonicalEmail(text)).toBe(canonical)
    }),
    { numRuns: 200 },
  )
})

test.each([
  ['550 5.1.1 <bob@acme.example>: rejected', '550 5.1.1 <…>: rejected'],
  ["550 no such user o'brien+sales@mail.acme.example", '550 no such user …'],
  ['452 4.2.2 jürgen@müller.example, bob@acme.example over quota', '452 4.2.2 …, … over quota'],
  ['421 4.3.0 try again later', '421 4.3.0 try again later'],
])('a reply of a mail server is logged without addresses: %s', (reply, logged) => {
  expect(redactAddresses(reply)).toBe(logged)
})
