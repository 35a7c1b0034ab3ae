import { describe, expect, it, test } from 'vitest'
import { findForeignLink } from './foreign-link.ts'
import type { ReplyFacts } from './reply-facts.ts'

const makeFacts = (offer: string, ours = ''): ReplyFacts =>
  ({ knowledge: { offer }, earlier: [{ isOurs: true, text: ours }] }) as unknown as ReplyFacts
const knownFacts = makeFacts(
  'See https://www.acme.example/plans, write to ada@acme.example, or call +44 20 7946 0958.',
)

describe('a foreign link', () => {
  it.each([
    ['Look at https://evil.example/x now', 'evil.example/x'],
    ['Look at www.evil.example.', 'evil.example'],
    ['Look at evil.example/x', 'evil.example/x'],
    ['Look at a..evil.example', 'evil.example'],
    ['Look at 1 2 3evil.example', '3evil.example'],
    [`Look at ${'a'.repeat(300)}.evil.example`, `${'a'.repeat(300)}.evil.example`],
    [`Look at ${'a.'.repeat(40)}evil.example`, `${'a.'.repeat(10)}evil`],
    ['Write to eve@acme.example', 'eve@acme.example'],
    [`Write to ${'e'.repeat(80)}@acme.example`, `${'e'.repeat(64)}@acme.example`],
    ['Write to a@b.cёvil.example', 'a@b.c'],
    ['Call (020) 7946-0000 00', '0207946000000'],
    ['See acme.example/other', 'acme.example/other'],
  ])('is found in %j', (draft, found) => {
    expect(findForeignLink(draft, knownFacts)).toBe(found)
  })

  it.each([
    'See acme.example/plans!',
    'See http://acme.example/plans, or write to ada@acme.example.',
    'Call +44 (20) 7946 0958 on 2026-11-24.',
    'Thursday at 10.30 is fine.',
  ])('is not found in %j', draft => {
    expect(findForeignLink(draft, knownFacts)).toBeUndefined()
  })
})

const worstCases: Record<string, string> = {
  'letters without spaces': '不'.repeat(20_000),
  'labels of digits': '1.'.repeat(10_000),
  'labels of letters': 'a.'.repeat(10_000),
  'long labels': `${'1'.repeat(63)}.`.repeat(310),
  'host names': 'aa.bb '.repeat(3_300),
  'an endless local part': '!'.repeat(20_000),
  'at signs': 'a@'.repeat(10_000),
  'a domain of dashes': `a@${'-'.repeat(19_998)}`,
  digits: '1('.repeat(10_000),
  'an endless number': `1${'('.repeat(19_999)}`,
  slashes: `https://${'/'.repeat(19_990)}x`,
  'slashes below a host': `a.bb${'/'.repeat(19_990)}x`,
}

test.each(Object.entries(worstCases))('findForeignLink scans %s in linear time', (_name, text) => {
  const before = process.threadCpuUsage()
  for (let i = 0; i < 5; i++) findForeignLink(text, makeFacts(text, text))
  const { user, system } = process.threadCpuUsage(before)
  // Quadratic time takes seconds for this.
  expect((user + system) / 1_000).toBeLessThan(500)
})
