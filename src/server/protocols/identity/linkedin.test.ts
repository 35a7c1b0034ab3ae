import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalLinkedin } from './linkedin.ts'

const jane = 'https://www.linkedin.com/in/jane-doe-1a2b'

test.each([
  jane,
  'http://linkedin.com/in/jane-doe-1a2b/',
  'linkedin.com/in/jane-doe-1a2b',
  '//www.linkedin.com/in/jane-doe-1a2b',
  'HTTPS://UK.LinkedIn.com/IN/Jane-Doe-1A2B',
  'm.linkedin.com/in/jane-doe-1a2b?trk=people-search#top',
  'https://de.linkedin.com/in/jane-doe-1a2b/de',
  'https://www.linkedin.com/in/jane-doe-1a2b/detail/contact-info/',
  'https://www.linkedin.com:443//in/jane-doe-1a2b',
  'https://www.linkedin.com/comm/in/jane-doe-1a2b',
  'https://www.linkedin.com/mwlite/profile/in/jane-doe-1a2b',
  'https://www.linkedin.com/in/jane%2Ddoe-1a2b',
  ' \u200bhttps://www.linkedin.com/in/jane-doe-1a2b\n',
])('%j is a URL of the profile jane-doe-1a2b', text => {
  expect(canonicalLinkedin(text)).toBe(jane)
})

test.each([
  ['linkedin.com/in/jörg-müller', 'https://www.linkedin.com/in/j%C3%B6rg-m%C3%BCller'],
  ['linkedin.com/in/JÖRG-MÜLLER', 'https://www.linkedin.com/in/j%C3%B6rg-m%C3%BCller'],
  ['linkedin.com/in/jo\u0308rg-mu\u0308ller', 'https://www.linkedin.com/in/j%C3%B6rg-m%C3%BCller'],
  ['linkedin.com/in/j%c3%b6rg-m%c3%bcller', 'https://www.linkedin.com/in/j%C3%B6rg-m%C3%BCller'],
  ['linkedin.com/in/j%25C3%25B6rg-m%25C3%25BCller', 'https://www.linkedin.com/in/j%C3%B6rg-m%C3%BCller'],
  ['linkedin.com/in/山田太郎', 'https://www.linkedin.com/in/%E5%B1%B1%E7%94%B0%E5%A4%AA%E9%83%8E'],
  [
    'https://sy.linkedin.com/pub/jane-doe/a7/576/b50?trk=biz_employee_pub',
    'https://www.linkedin.com/in/jane-doe-b50576a7',
  ],
  [
    'linkedin.com/in/ACoAABcDeFgHiJkLmNoPqRsTuVwXyZ012345',
    'https://www.linkedin.com/in/ACoAABcDeFgHiJkLmNoPqRsTuVwXyZ012345',
  ],
])('%j has the canonical form %s', (text, url) => {
  expect(canonicalLinkedin(text)).toBe(url)
})

test.each([
  '',
  'jane-doe',
  'linkedin.com',
  'linkedin.com/in/',
  'linkedin.com/in/me',
  'linkedin.com/in/unavailable',
  'linkedin.com/company/acme',
  'linkedin.com/pub/jane-doe/a7/57/b50',
  'linkedin.com/profile/view?id=123',
  'https://www.linkedin.com/sales/lead/ACwAAAB1c2d3,NAME_SEARCH,abcd',
  'https://www.linkedin.com/talent/profile/AEMAAAB1c2d3',
  'https://linkedin.com.evil.example/in/jane-doe',
  'https://notlinkedin.com/in/jane-doe',
  'https://evil.example/linkedin.com/in/jane-doe',
  'https://jane@linkedin.com/in/jane-doe',
  'linkedin.com/in/jane%00doe',
  'linkedin.com/in/jane%0d%0adoe',
  'linkedin.com/in/..%2f..%2fadmin',
  'linkedin.com/in/%E0%A4%A',
  'linkedin.com/in/<script>',
  `linkedin.com/in/${'a'.repeat(101)}`,
])('%j is not a profile', text => {
  expect(canonicalLinkedin(text)).toBeUndefined()
})

test('profiles that only look alike are distinct', () => {
  const alike = ['jane-doe', 'jаne-doe', 'jane-dое', 'ｊane-doe', 'jane_doe'].map(
    slug => `linkedin.com/in/${slug}`,
  )
  expect(new Set(alike.map(canonicalLinkedin)).size).toBe(alike.length)
})

test('all spellings of a profile have the same canonical form', () => {
  const slug = fc.stringMatching(/^[a-zéüßñçя]{2}[a-zéü0-9山-]{1,30}$/)
  const pieces = fc.record({
    scheme: fc.constantFrom('', 'http://', 'https://', 'HTTPS://', '//'),
    host: fc.constantFrom(
      'linkedin.com',
      'www.linkedin.com',
      'uk.linkedin.com',
      'm.linkedin.com',
      'WWW.LINKEDIN.COM',
    ),
    spell: fc.constantFrom<(s: string) => string>(
      s => s,
      s => (s.includes('ß') ? s : s.toUpperCase()),
      s => s.normalize('NFD'),
      encodeURIComponent,
      s => encodeURIComponent(s).toLowerCase(),
    ),
    end: fc.constantFrom('', '/', '/en', '?trk=x&y', '#about', '/?originalSubdomain=de'),
  })
  fc.assert(
    fc.property(slug, fc.array(pieces, { minLength: 8 }), (name, spellings) => {
      for (const { scheme, host, spell, end } of spellings)
        expect(canonicalLinkedin(`${scheme}${host}/in/${spell(name)}${end}`)).toBe(
          `https://www.linkedin.com/in/${encodeURIComponent(name)}`,
        )
    }),
    { numRuns: 200 },
  )
})
