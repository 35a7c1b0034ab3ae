import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseMessageIds } from '../identity/message-id.ts'
import { toReplyReferences, toReplySubject } from './reply.ts'

describe('the subject of a reply', () => {
  test.each([
    ['Hello', 'Re: Hello'],
    ['Re: Hello', 'Re: Hello'],
    ['RE: Hello', 'Re: Hello'],
    ['re:Hello', 'Re: Hello'],
    ['Re: RE: re: Hello', 'Re: Hello'],
    ['AW: Hallo', 'Re: Hallo'],
    ['Antw: Hallo', 'Re: Hallo'],
    ['AW: Re: Antw: SV: Hallo', 'Re: Hallo'],
    ['VS: Hei', 'Re: Hei'],
    ['Odp: Dzień dobry', 'Re: Dzień dobry'],
    ['回复：你好', 'Re: 你好'],
    ['RE[2]: Hello', 'Re: Hello'],
    ['Re (3): Hello', 'Re: Hello'],
    ['Re : Bonjour', 'Re: Bonjour'],
    ['  Re:\r\n Hello  you ', 'Re: Hello you'],
    ['Fwd: Hello', 'Re: Fwd: Hello'],
    ['Re: Fwd: Re: Hello', 'Re: Fwd: Re: Hello'],
    ['Ref: 4711', 'Re: Ref: 4711'],
    ['Reply needed: now', 'Re: Reply needed: now'],
    ['Return of Re: Hello', 'Re: Return of Re: Hello'],
    ['R: statistics', 'Re: R: statistics'],
    ['Re:', 'Re:'],
    ['', 'Re:'],
  ])('has exactly one prefix: %j becomes %j', (subject, expected) => {
    expect(toReplySubject(subject)).toBe(expected)
  })

  test('stays the same when replied to again, and fits one header', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 2_000 }), subject => {
        const once = toReplySubject(subject)
        expect(toReplySubject(once)).toBe(once)
        expect(once).not.toMatch(/\p{Cc}/u)
        expect(once.length).toBeLessThanOrEqual(998)
      }),
    )
  })
})

describe('the References of a reply', () => {
  test('are those of the parent, followed by the ID of the parent', () => {
    expect(toReplyReferences({ messageId: '<c@x>', references: '<a@x>\r\n <b@x>' })).toEqual([
      '<a@x>',
      '<b@x>',
      '<c@x>',
    ])
    expect(toReplyReferences({ messageId: '<c@x>' })).toEqual(['<c@x>'])
    expect(toReplyReferences({ messageId: '<c@x>', inReplyTo: '<b@x>' })).toEqual(['<b@x>', '<c@x>'])
    expect(toReplyReferences({ messageId: '<c@x>', inReplyTo: '<a@x> <b@x>' })).toEqual(['<c@x>'])
    expect(toReplyReferences({ messageId: '<b@x>', references: '<a@x> <b@x> <a@x>' })).toEqual([
      '<a@x>',
      '<b@x>',
    ])
  })

  test('contain only IDs, without other text from the sender', () => {
    const references =
      'On Monday <a@x>, =?utf-8?Q?x?= <b c@x> <ü@x> <b@x\r\nBcc: d> <b@x>' + `<${'y'.repeat(501)}>`
    expect(toReplyReferences({ messageId: '<c@x>', references })).toEqual(['<a@x>', '<b@x>', '<c@x>'])
    expect(parseMessageIds('none')).toEqual([])
  })

  test('keep the first and the latest IDs of a long thread', () => {
    const references = Array.from({ length: 500 }, (_, index) => `<${index}@x>`).join(' ')
    const ids = toReplyReferences({ messageId: '<parent@x>', references })
    expect(ids).toHaveLength(50)
    expect([ids[0], ids[1], ids[49]]).toEqual(['<0@x>', '<452@x>', '<parent@x>'])
  })
})
