import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalDomain, toBusinessDomain } from './domain.ts'

test.each([
  ['acme.com', 'acme.com'],
  ['  ACME.com. ', 'acme.com'],
  ['www.acme.com', 'acme.com'],
  ['https://www.acme.com:8080/about?x=1#y', 'acme.com'],
  ['//acme.com', 'acme.com'],
  ['https://user:pass@acme.com/', 'acme.com'],
  ['@acme.com', 'acme.com'],
  ['*.acme.com', 'acme.com'],
  ['jane@sales.acme.com', 'sales.acme.com'],
  ['Jane <jane@acme.com>', 'acme.com'],
  ['https://medium.com/@acme', 'medium.com'],
  ['Müller.DE', 'xn--mller-kva.de'],
  ['www.com', 'www.com'],
  ['www.www.acme.com', 'acme.com'],
])('%j has the domain %s', (text, domain) => {
  expect(canonicalDomain(text)).toBe(domain)
})

test.each([
  '',
  'acme',
  'localhost',
  '10.0.0.1',
  'http://10.0.0.1/',
  'http://[::1]/',
  '0x7f.1',
  'ac me.com',
  'acme.com%2eevil.example',
  'acme..com',
  'acme.com\0',
  'acme.\ud800com',
  'https://',
  `${'a'.repeat(64)}.com`,
])('%j is not a domain', text => {
  expect(canonicalDomain(text)).toBeUndefined()
})

test('domains that only look alike are distinct', () => {
  const alike = ['apple.com', 'аpple.com', 'appIe.com', 'app1e.com', 'àpple.com']
  expect(new Set(alike.map(canonicalDomain)).size).toBe(alike.length)
})

test.each([
  ['jane@acme.com', 'acme.com'],
  ['jane@mail.acme.co.uk', 'acme.co.uk'],
  ['https://www.shop.acme.de/kontakt', 'acme.de'],
  ['acme.github.io', 'acme.github.io'],
  ['https://acme.myshopify.com/about', 'acme.myshopify.com'],
  ['jane@acme.example', 'acme.example'],
  ['jane@食狮.公司.cn', 'xn--85x722f.xn--55qx5d.cn'],
  ['alibaba.com', 'alibaba.com'],
  ['jane@linkedin.com', 'linkedin.com'],
])('%j has the business domain %s', (text, domain) => {
  expect(toBusinessDomain(text)).toBe(domain)
})

test.each([
  'jane@gmail.com',
  'jane@googlemail.com',
  'jane@outlook.de',
  'jane@yahoo.co.jp',
  'jane@GMX.at',
  'jane@web.de',
  'jane@t-online.de',
  'jane@proton.me',
  'jane@tuta.com',
  'jane@icloud.com',
  'x1@privaterelay.appleid.com',
  'jane@vip.qq.com',
  'jane@docomo.ne.jp',
  'jane@mail.ru',
  'jane@orange.fr',
  'jane@libero.it',
  'jane@comcast.net',
  'co.uk',
  'github.io',
  'https://www.linkedin.com/company/acme',
  'facebook.com/acme',
  '10.0.0.1',
  'acme',
])('%j has no business domain', text => {
  expect(toBusinessDomain(text)).toBeUndefined()
})

test('all spellings of a domain have the same canonical form', () => {
  const label = fc.stringMatching(/^[a-zéü0-9]([a-z0-9éü]{0,20}[a-z0-9])?$/)
  const before = fc.constantFrom(
    '',
    'www.',
    'http://',
    'https://www.',
    'HTTPS://',
    '//',
    '@',
    '*.',
    'jane@',
    ' \u200b',
  )
  const after = fc.constantFrom('', '.', '/', '/about us', ':443/', '?x', '#y', '\n')
  fc.assert(
    fc.property(label, fc.array(fc.tuple(before, after), { minLength: 8 }), (name, wraps) => {
      const canonical = canonicalDomain(`x${name}.com`)
      expect(canonical).toBeDefined()
      for (const [b, a] of wraps)
        for (const spelled of [name, name.toUpperCase(), name.normalize('NFD')])
          expect(canonicalDomain(`${b}x${spelled}.com${a}`)).toBe(canonical)
    }),
    { numRuns: 200 },
  )
})
