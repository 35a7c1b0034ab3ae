import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { describe, expect, it } from 'vitest'
import { composeOutgoing } from '../../src/server/domain/outbox/compose-outgoing.ts'
import { AppError } from '../../src/server/kernel/errors.ts'
import type { BodyFormat } from '../../src/server/protocols/mime/body.ts'
import { type ComposedEmail, createMessageId } from '../../src/server/protocols/mime/compose.ts'
import type { SigningKey } from '../../src/server/protocols/mime/dkim.ts'
import { openSmtpPool } from '../../src/server/protocols/smtp/pool.ts'
import { renderTemplate } from '../../src/server/protocols/templates/template.ts'
import { hasDkimVerifier, verifyDkim } from '../support/mail/dkim-verifier.ts'
import { hasRelays, openRelay, type RelayName } from '../support/mail/mail-relays.ts'
import { readNumber } from '../support/processes/environment.ts'
import { randomFrom } from '../support/random.ts'

const total = readNumber('HEADER_INJECTION_MAILS', 1_000)
/** Postfix gets the most: Exim starts processes for each email, and OpenSMTPD is slow. */
const shares: [RelayName, number][] = [
  ['postfix', total * 0.7],
  ['exim', total * 0.15],
  ['opensmtpd', total * 0.15],
]
const MAX_CONNECTIONS = 10

const pieces = [
  ...['\r\n', '\n', '\r', '\0', '\v', '\f', '\x1b', '\x7f', '\u0085', '\u2028', '\u2029', '\ufeff', '\t'],
  // These become CR or LF when truncated to the last byte or decoded twice.
  ...['\u560a', '\u560d', '\u010a', '\u010d', '%0d%0a', '=0D=0A', '\\r\\n', '&#13;&#10;', '\ud800', '\udc00'],
  ...['=?utf-8?Q?=0D=0ABcc:_victim@elsewhere.example?=', '=?utf-8?B?DQpCY2M6IHZAeA==?=', '?=', '=?'],
  ...['\r\n.\r\n', '\n.\n', '\r.\r', '\n.\r\n', '\r\n.\n', '\r\n.', '.', '..', '\r\n..\r\n'],
  ...[
    'Bcc: victim@elsewhere.example',
    'Subject: other',
    'To: victim@elsewhere.example',
    'Content-Type: text/html',
  ],
  ...[
    'MAIL FROM:<a@b.example>\r\n',
    'RCPT TO:<victim@elsewhere.example>\r\n',
    'DATA\r\n',
    'RSET\r\n',
    'QUIT\r\n',
  ],
  ...[
    'From ',
    '--',
    '--=_',
    '<',
    '>',
    '"',
    '\\',
    ',',
    ';',
    ':',
    '@',
    '(',
    ')',
    '[',
    ']',
    '<script>',
    '{{',
    '}}',
  ],
  ...[
    'Ada',
    ' Byron',
    'Grüße',
    '高橋',
    '👩‍💻',
    'e\u0301',
    '\u202e',
    ' ',
    '  ',
    'x'.repeat(80),
    'y'.repeat(1_200),
  ],
  ...['ä'.repeat(300), 'word '.repeat(200), '\r\n\r\n<p>hello</p>', 'begin 644 x\r\n', '\r\n \r\n', '\r\n\t'],
]

type HostileText = { subject: string; fromName: string; toName: string; body: string; isHtml: boolean }

function makeHostileText(random: () => number): HostileText {
  const joinSome = (maxCount: number, from = pieces) =>
    Array.from(
      { length: Math.floor(random() * (maxCount + 1)) },
      () => from[Math.floor(random() * from.length)],
    ).join('')
  return {
    subject: joinSome(8),
    fromName: joinSome(3),
    toName: joinSome(3),
    body: joinSome(40),
    isHtml: random() < 0.5,
  }
}

const sender = 'ada@acme.example'
const recipient = 'grace@navy.example'
const link = { url: 'https://out.acme.example/u/token', token: 'token' }

/** Composes the email as the engine does for a step. Returns undefined if it is rejected before connecting. */
async function tryCompose(
  { isHtml, ...hostile }: HostileText,
  name: string,
  signingKey?: SigningKey,
): Promise<ComposedEmail | undefined> {
  const bodyFormat: BodyFormat = isHtml ? 'html' : 'text'
  const written = {
    messageId: createMessageId([name], 'acme.example'),
    sender: { email: sender, name: hostile.fromName },
    recipients: { to: [{ email: recipient, name: hostile.toName }] },
    subject: renderTemplate('Hi {{ value }}', { value: `.${hostile.subject}` }, 'line'),
    body: renderTemplate('{{ value }}', { value: `.${hostile.body}` }, bodyFormat),
    bodyFormat,
    inReplyTo: null,
    referenceIds: [],
  } satisfies Parameters<typeof composeOutgoing>[1]
  try {
    return await composeOutgoing('account', written, new Date(), { unsubscribe: link, signingKey })
  } catch (error) {
    if (error instanceof AppError && error.code === 'ValidationError') return undefined
    throw error
  }
}

const getMessageId = (mail: Buffer): string =>
  /^Message-ID: (\S+)\r$/im.exec(mail.toString('latin1'))?.[1] ?? ''
/** Removes the Received field that the server adds. */
const withoutTrace = (mail: Buffer): Buffer =>
  Buffer.from(mail.toString('latin1').replace(/^Received: .*\r\n(?:[ \t].*\r\n)*/, ''), 'latin1')

/** Opens an independent SMTP server that receives everything from the relays. */
async function openSink() {
  const arrived: { to: string[]; mail: Buffer }[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    // With pipelining, Exim would send QUIT right after the email, and this server would close without a reply.
    hidePIPELINING: true,
    onData: (stream, { envelope }, done) => {
      buffer(stream).then(mail => {
        arrived.push({ to: envelope.rcptTo.map(({ address }) => address), mail })
        done()
      }, done)
    },
  })
  server.on('error', () => undefined)
  const listener = server.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  return {
    arrived,
    port: (listener.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise<void>(resolve => server.close(resolve)),
  }
}

/** Sends emails with hostile text through as many connections as the engine opens. Returns them by Message-ID. */
async function sendHostile(
  port: number,
  {
    count,
    random,
    mark = '',
    signingKey,
  }: { count: number; random: () => number; mark?: string; signingKey?: SigningKey },
) {
  await using pool = openSmtpPool({
    host: '127.0.0.1',
    port,
    tls: 'none',
    allowPrivateHosts: true,
    maxConnections: MAX_CONNECTIONS,
  })
  const sent = new Map<string, { hostile: HostileText; bytes: Buffer }>()
  let tried = 0
  const send = async () => {
    while (sent.size < count) {
      const hostile = makeHostileText(random)
      const nth = tried++
      const composed = await tryCompose(hostile, `${nth}${mark}`, signingKey)
      if (!composed || sent.size >= count) continue
      sent.set(getMessageId(composed.bytes), { hostile, bytes: composed.bytes })
      const result = await pool.send({ ...composed, gate: async () => true })
      expect(result, JSON.stringify({ result, hostile })).toMatchObject({ outcome: 'sent' })
    }
  }
  await Promise.all(Array.from({ length: MAX_CONNECTIONS }, send))
  return { sent, rejected: tried - sent.size }
}

const expectedHeaders = [
  ...[
    'content-type',
    'date',
    'from',
    'list-unsubscribe',
    'list-unsubscribe-post',
    'message-id',
    'mime-version',
  ],
  ...['subject', 'to', 'x-sent-message-id'],
]

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const signingKey: SigningKey = { domain: 'acme.example', selector: 'ovt1', privateKey }
const record = {
  name: 'ovt1._domainkey.acme.example',
  value: `v=DKIM1; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`,
}

describe.runIf(hasRelays())(
  'real mail servers that receive emails with hostile text in the body, subject and names',
  () => {
    const random = randomFrom('HEADER_INJECTION_SEED')

    it.each(shares)('%s relays exactly the %d sent emails, each unchanged', async (name, count) => {
      await using sink = await openSink()
      await using relay = await openRelay(name, sink.port)
      const { sent, rejected } = await sendHostile(relay.port, { count, random })
      while (sink.arrived.length < count) await sleep(50)
      // Any additional email that the server saw would arrive before this last one, which is also signed.
      const last = await sendHostile(relay.port, { count: 1, random, mark: '-last', signingKey })
      while (sink.arrived.length < count + 1) await sleep(50)
      console.log(`${name}: ${count} emails sent, ${rejected} rejected before connecting`)
      for (const { to, mail } of sink.arrived) {
        const own = sent.get(getMessageId(mail)) ?? last.sent.get(getMessageId(mail))
        expect(own, mail.toString('latin1')).toBeDefined()
        const { hostile, bytes } = own!
        expect(to).toEqual([recipient])
        expect(withoutTrace(mail).toString('latin1')).toBe(bytes.toString('latin1'))
        const read = await PostalMime.parse(withoutTrace(mail))
        const isLast = last.sent.has(getMessageId(mail))
        const names = isLast ? [...expectedHeaders, 'dkim-signature'].sort() : expectedHeaders
        expect(read.headers.map(({ key }) => key).sort(), JSON.stringify(hostile)).toEqual(names)
        if (isLast && hasDkimVerifier()) expect(verifyDkim(mail, record)).toBe(true)
        expect(read.from?.address).toBe(sender)
        expect(read.to?.map(({ address }) => address)).toEqual([recipient])
      }
      expect(new Set(sink.arrived.map(({ mail }) => getMessageId(mail))).size).toBe(count + 1)
      expect(sink.arrived.length).toBe(count + 1)
    })
  },
)
