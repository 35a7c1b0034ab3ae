import fc from 'fast-check'
import PostalMime from 'postal-mime'
import { describe, expect, test } from 'vitest'
import { AppError } from '../../kernel/errors.ts'
import { toTextParts } from './body.ts'
import { composeMessage, createMessageId, type OutgoingEmail } from './compose.ts'

function makeEmail(changes: Partial<OutgoingEmail> = {}): OutgoingEmail {
  return {
    messageId: createMessageId(['account', 'step', 'prospect'], 'example.com'),
    from: { address: 'ines@example.com', name: 'Inês Ångström' },
    to: [{ address: 'anna@example.org', name: 'Анна "A", Ы' }],
    subject: 'A question',
    ...toTextParts('Hi Anna,\n\nhow are you?'),
    date: new Date('2026-11-21T09:00:00Z'),
    ...changes,
  }
}

async function getHeaders(bytes: Buffer): Promise<string[]> {
  const { headers } = await PostalMime.parse(bytes)
  // A multipart message has this header in its parts.
  return headers
    .map(({ key }) => key)
    .filter(key => key !== 'content-transfer-encoding')
    .sort()
}

const plainHeaders = ['content-type', 'date', 'from', 'message-id', 'mime-version', 'subject', 'to'] as const

describe('a composed email', () => {
  test('contains 14 MB of files, byte for byte and with names in any script', async () => {
    const files = [
      { name: 'Grüße "株式会社".pdf', type: 'application/pdf', content: Buffer.alloc(10_000_000, 'größer') },
      { name: 'b', type: 'text/html; charset=x', content: Buffer.alloc(4_000_000, 0xff) },
      { name: 'empty.txt', type: 'text/plain', content: Buffer.alloc(0) },
    ]
    const { bytes } = await composeMessage(makeEmail({ attachments: files }))
    const { attachments, text } = await PostalMime.parse(bytes)
    expect(text?.trim()).toBe('Hi Anna,\n\nhow are you?')
    expect(attachments.map(({ filename, mimeType }) => [filename, mimeType])).toEqual([
      ['Grüße "株式会社".pdf', 'application/pdf'],
      ['b', 'application/octet-stream'],
      ['empty.txt', 'text/plain'],
    ])
    for (const [index, { content }] of attachments.entries())
      expect(files[index]!.content.equals(Buffer.from(content as ArrayBuffer))).toBe(true)
  })

  test('contains its input, in any script', async () => {
    const { bytes } = await composeMessage(
      makeEmail({
        cc: [{ address: 'bo@bücher.example' }],
        replyTo: { address: 'replies+7@example.com', name: 'Replies' },
        subject: 'Grüße an 株式会社 — and a long subject that has to be folded somewhere on its way 😀',
        inReplyTo: '<parent@example.org>',
        references: ['<first@example.org>', '<parent@example.org>'],
        headers: { 'X-Overture-Thread': 'abc', 'List-Unsubscribe': '<https://example.com/u/1>' },
      }),
    )
    const parsed = await PostalMime.parse(bytes)
    expect(parsed).toMatchObject({
      from: { address: 'ines@example.com', name: 'Inês Ångström' },
      to: [{ address: 'anna@example.org', name: "Анна 'A', Ы" }],
      cc: [{ address: 'bo@xn--bcher-kva.example' }],
      replyTo: [{ address: 'replies+7@example.com' }],
      subject: 'Grüße an 株式会社 — and a long subject that has to be folded somewhere on its way 😀',
      messageId: createMessageId(['account', 'step', 'prospect'], 'example.com'),
      inReplyTo: '<parent@example.org>',
      references: '<first@example.org> <parent@example.org>',
      date: '2026-11-21T09:00:00.000Z',
      html: '<p>Hi Anna,</p>\n<p>how are you?</p>\n',
    })
    expect(parsed.text?.trimEnd()).toBe('Hi Anna,\n\nhow are you?')
    expect(parsed.headers).toContainEqual(expect.objectContaining({ key: 'x-overture-thread', value: 'abc' }))
  })

  test('names Bcc recipients only in the envelope', async () => {
    const { envelope, bytes } = await composeMessage(
      makeEmail({ cc: [{ address: 'anna@example.org' }], bcc: [{ address: 'hidden@example.net' }] }),
    )
    expect(envelope).toEqual({ from: 'ines@example.com', to: ['anna@example.org', 'hidden@example.net'] })
    expect(bytes.toString()).not.toMatch(/hidden|bcc/i)
  })

  test('has the same bytes for the same input', async () => {
    const [first, second] = await Promise.all([composeMessage(makeEmail()), composeMessage(makeEmail())])
    expect(first.bytes.equals(second.bytes)).toBe(true)
  })

  test('is one message with only its own headers, regardless of its subject, names and bodies', async () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc
        .array(
          fc.constantFrom(
            '\r\n',
            '\n',
            '\r',
            '\0',
            '.',
            'Bcc: x@y.z',
            ' ',
            '=?utf-8?Q?=0AX:_y?=',
            'ü',
            '\ud800',
            '<b>',
            '"',
            '--=_',
            'From ',
          ),
          { maxLength: 30 },
        )
        .map(parts => parts.join('')),
    )
    let composed = 0
    await fc.assert(
      fc.asyncProperty(hostile, hostile, hostile, hostile, async (subject, name, text, html) => {
        const email = makeEmail({
          subject: `S ${subject}`,
          from: { address: 'a@example.com', name },
          text,
          html,
        })
        const message = await composeMessage(email).catch((error: unknown) => error)
        if (message instanceof AppError) {
          expect(`${subject}${name}`).toMatch(/\p{Cc}/u)
          return
        }
        const { bytes } = message as { bytes: Buffer }
        const wire = bytes.toString('latin1')
        expect(wire).toMatch(/^[\t\r\n -~]*$/)
        expect(wire.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
        expect(Math.max(...wire.split('\r\n').map(line => line.length))).toBeLessThanOrEqual(998)
        expect(await getHeaders(bytes)).toEqual(plainHeaders)
        composed += 1
      }),
      { numRuns: 1_000 },
    )
    expect(composed).toBeGreaterThan(100)
  })

  test('preserves bodies except for line endings and control characters', async () => {
    const lines = fc.array(fc.string({ unit: 'grapheme', maxLength: 1_200 }), { minLength: 1, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(lines, fc.constantFrom('\n', '\r\n', '\r'), async (parts, lineEnd) => {
        const body = ['.', ...parts, '.. x', 'From me', ' trailing  ', 'end'].join(lineEnd)
        const { bytes } = await composeMessage(makeEmail({ text: body, html: undefined }))
        const { text } = await PostalMime.parse(bytes)
        expect(text?.replace(/\n$/, '')).toBe(body.replace(/\r\n?/g, '\n'))
      }),
      { numRuns: 200 },
    )
  })

  test.each<[string, Partial<OutgoingEmail>]>([
    ['subject', { subject: 'Hi\r\nBcc: victim@example.net' }],
    ['subject', { subject: 'Hi\nthere' }],
    ['subject', { subject: 'Hi\0' }],
    ['subject', { subject: 'x'.repeat(999) }],
    ['subject', { subject: 'x'.repeat(998) }],
    ['from.name', { from: { address: 'a@example.com', name: 'A\r\nX: y' } }],
    ['from.address', { from: { address: 'a@example.com\r\nX: y' } }],
    ['to.0.address', { to: [{ address: 'a@example.com>, <b@example.com' }] }],
    ['to.0.address', { to: [{ address: '"a b"@example.com' }] }],
    ['to.0.address', { to: [{ address: 'no-at-sign' }] }],
    ['to.0.address', { to: [{ address: 'jörg@example.com' }] }],
    ['to.0.address', { to: [{ address: 'a@exa mple.com' }] }],
    ['bcc.0.address', { bcc: [{ address: 'a@b@c.example' }] }],
    ['to', { to: [] }],
    ['to', { to: Array.from({ length: 101 }, (_, index) => ({ address: `a${index}@example.com` })) }],
    ['messageId', { messageId: 'no brackets@example.com' }],
    ['messageId', { messageId: '<a@b>\r\nX: y' }],
    ['inReplyTo', { inReplyTo: '<a@b> <c@d>' }],
    ['references.1', { references: ['<a@b>', '=?utf-8?Q?x?='] }],
    ['headers.X-A', { headers: { 'X-A': 'b\r\nX-C: d' } }],
    ['headers', { headers: { 'X-A: b\r\nX-C': 'd' } }],
    ['headers', { headers: { Bcc: 'a@example.com' } }],
    ['headers', { headers: { From: 'a@example.com' } }],
    ['headers', { headers: { 'Content-Type': 'text/html' } }],
    ['headers', { headers: JSON.parse('{ "__proto__": "x" }') }],
    ['headers.X-A', { headers: { 'X-A': 'y'.repeat(998) } }],
  ])('is rejected, and the error names the invalid field %s (%#)', async (path, changes) => {
    const error = await composeMessage(makeEmail(changes)).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(AppError)
    expect((error as AppError).details?.[0]?.path).toBe(path)
  })
})

describe('a Message-ID', () => {
  test('depends on its parts only and uses the ASCII form of the domain', () => {
    const id = createMessageId(['a', 'b'], 'bücher.example')
    expect(id).toMatch(/^<[0-9a-f]{32}@xn--bcher-kva\.example>$/)
    expect(createMessageId(['a', 'b'], 'bücher.example')).toBe(id)
    expect(createMessageId(['ab'], 'bücher.example')).not.toBe(id)
    expect(createMessageId(['a', 'b', ''], 'bücher.example')).not.toBe(id)
    expect(() => createMessageId(['a'], 'x>\r\nBcc: y')).toThrow('must be a valid domain')
  })
})
