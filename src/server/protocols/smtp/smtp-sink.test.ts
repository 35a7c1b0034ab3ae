import fc from 'fast-check'
import PostalMime from 'postal-mime'
import { describe, expect, test } from 'vitest'
import { hasSmtpSink, SmtpSink } from '../../../../test/support/mail/smtp-sink.ts'
import { toTextParts } from '../mime/body.ts'
import { composeMessage, createMessageId } from '../mime/compose.ts'
import { openSmtpPool, type SmtpPool } from './pool.ts'

function openPool(sink: SmtpSink): SmtpPool {
  return openSmtpPool({
    host: '127.0.0.1',
    port: sink.port,
    tls: 'none',
    allowPrivateHosts: true,
    maxConnections: 4,
    maxWaiting: 200,
  })
}

function compose(number: number, body = 'Hi Anna', subject = 'A question') {
  return composeMessage({
    messageId: createMessageId(['sink', `${number}`], 'example.com'),
    from: { address: 'ines@example.com' },
    to: [{ address: `anna${number}@example.org` }],
    subject,
    ...toTextParts(body),
    date: new Date('2026-11-21T09:00:00Z'),
  })
}

describe.skipIf(!hasSmtpSink())('against Postfix’s own test server', () => {
  test('each message that its gate allowed arrives once and unchanged, and the others never arrive', async () => {
    const piece = fc.constantFrom(
      '\n',
      '\r\n',
      '\r',
      '.',
      '\n.\n',
      '\r\n.\r\nMAIL FROM:<x@y.z>\r\n',
      'Bcc: x@y.z\n',
      'ü',
      '😀',
      '株',
      '<p>',
      '--',
      ' ',
      'x'.repeat(999),
    )
    const text = fc.array(piece, { maxLength: 40 }).map(pieces => pieces.join(''))
    const bodies = fc.sample(text, { numRuns: 120, seed: 20261121 })
    const emails = await Promise.all(
      bodies.map((body, number) =>
        compose(number, `Hi ${body}`, `S ${body.replace(/[\r\n]+/g, ' ').slice(0, 200)}`),
      ),
    )
    await using sink = await SmtpSink.open()
    {
      await using pool = openPool(sink)
      const results = await Promise.all(
        emails.map((email, number) => pool.send({ ...email, gate: async () => number % 3 !== 0 })),
      )
      expect(results.map(({ outcome }) => outcome)).toEqual(
        emails.map((_, number) => (number % 3 === 0 ? 'withheld' : 'sent')),
      )
    }
    const arrived = new Map(
      (await sink.messages()).map(dump => {
        const [, recipient, message] =
          /^X-Rcpt-Args: <([^>]*)>\nReceived: .*\n(?:\t.*\n)+([\s\S]*)$/m.exec(dump) ?? []
        return [recipient, message]
      }),
    )
    const allowed = emails.filter((_, number) => number % 3 !== 0)
    expect(await sink.messages()).toHaveLength(allowed.length)
    for (const { envelope, bytes } of allowed) {
      const message = arrived.get(envelope.to[0])
      // smtp-sink writes LF line endings and an empty line after each message.
      expect(message).toBe(`${bytes.toString().replaceAll('\r\n', '\n')}\n`)
      const { headers } = await PostalMime.parse(message!)
      expect(headers.map(({ key }) => key).sort()).toEqual([
        'content-type',
        'date',
        'from',
        'message-id',
        'mime-version',
        'subject',
        'to',
      ])
    }
  })

  test.each([
    ['disconnects after the dot', ['-q', '.'], 'unknown', 'end'],
    ['shuts down after the dot', ['-Q', '.'], 'unknown', 'end'],
    ['refuses the message', ['-f', '.'], 'rejected', 'end'],
    ['refuses the message for now', ['-r', '.'], 'deferred', 'end'],
    [
      'refuses the sender by policy',
      ['-B', '550 5.7.26 not you', '-f', 'MAIL'],
      'mailbox_failed',
      'envelope',
    ],
    ['refuses the recipient', ['-f', 'RCPT'], 'rejected', 'envelope'],
    ['refuses the recipient for now', ['-r', 'RCPT'], 'deferred', 'envelope'],
    ['refuses DATA', ['-f', 'DATA'], 'rejected', 'envelope'],
    ['disconnects at DATA', ['-q', 'DATA'], 'server_failed', 'envelope'],
    ['shuts down at RCPT', ['-Q', 'RCPT'], 'server_failed', 'envelope'],
    ['disconnects at the greeting', ['-q', 'CONNECT'], 'server_failed', 'connect'],
    ['shuts down at EHLO', ['-Q', 'EHLO'], 'server_failed', 'connect'],
    ['does not support ESMTP', ['-e'], 'sent', undefined],
    ['does not support pipelining', ['-p'], 'sent', undefined],
  ])('sending to a server that %s has the right outcome', async (_name, flags, outcome, phase) => {
    await using sink = await SmtpSink.open(flags)
    await using pool = openPool(sink)
    const result = await pool.send({ ...(await compose(1)), gate: async () => true })
    expect(result).toMatchObject(phase ? { outcome, phase } : { outcome })
  })
})
