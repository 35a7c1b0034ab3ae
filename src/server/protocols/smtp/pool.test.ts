import { SMTPServer } from 'smtp-server'
import { describe, expect, test } from 'vitest'
import { mockLookups } from '../../../../test/support/http/mock-lookups.ts'
import { type Reaction, ScriptedSmtp, type Step } from '../../../../test/support/mail/scripted-smtp.ts'
import { composeMessage, createMessageId } from '../mime/compose.ts'
import type { SmtpSettings } from './connection.ts'
import { openSmtpPool, type SmtpPool, type SmtpPoolSettings, verifySmtp } from './pool.ts'

const { bytes, envelope } = await composeMessage({
  messageId: createMessageId(['test'], 'example.com'),
  from: { address: 'ines@example.com' },
  to: [{ address: 'anna@example.org' }],
  subject: 'A question',
  text: 'Hi Anna,\n.\nhow are you?\n'.repeat(40),
  date: new Date('2026-11-21T09:00:00Z'),
})

function settingsFor(port: number, changes: Partial<SmtpPoolSettings> = {}): SmtpPoolSettings {
  return { host: '127.0.0.1', port, tls: 'none', allowPrivateHosts: true, ...changes }
}

const credentials = { user: 'ines', password: 'secret' }

async function sendOne(pool: SmtpPool, gate: () => Promise<boolean> = async () => true) {
  let gateCalls = 0
  const result = await pool.send({
    envelope,
    bytes,
    gate: async () => {
      gateCalls += 1
      return gate()
    },
  })
  return { result, gateCalls }
}

type Failure = [step: Step, reaction: Exclude<Reaction, undefined>, outcome: string, phase: string]

const failuresBeforeDot: Failure[] = [
  ['CONNECT', 'cut', 'server_failed', 'connect'],
  ['CONNECT', 'reset', 'server_failed', 'connect'],
  ['CONNECT', '421 4.3.2 busy', 'server_failed', 'connect'],
  ['CONNECT', '450 later', 'server_failed', 'connect'],
  ['CONNECT', '554 5.7.1 blocked', 'mailbox_failed', 'connect'],
  ['CONNECT', 'HTTP/1.1 400 Bad Request', 'server_failed', 'connect'],
  ['EHLO', 'cut', 'server_failed', 'connect'],
  ['EHLO', 'reset', 'server_failed', 'connect'],
  ['EHLO', '421 4.3.2 busy', 'server_failed', 'connect'],
  ['EHLO', '250 scripted.test', 'mailbox_failed', 'auth'],
  ['AUTH', 'cut', 'server_failed', 'auth'],
  ['AUTH', 'reset', 'server_failed', 'auth'],
  ['AUTH', '454 4.7.0 later', 'server_failed', 'auth'],
  ['AUTH', '535 5.7.8 wrong', 'mailbox_failed', 'auth'],
  ...(['MAIL', 'RCPT', 'DATA'] as const).flatMap((step): Failure[] => [
    [step, 'cut', 'server_failed', 'envelope'],
    [step, 'reset', 'server_failed', 'envelope'],
    [step, '421 4.3.2 busy', 'server_failed', 'envelope'],
    [step, '451 4.2.0 greylisted', 'deferred', 'envelope'],
    // A reply to MAIL concerns the sender, regardless of its code.
    [step, '550 5.1.1 nobody', step === 'MAIL' ? 'mailbox_failed' : 'rejected', 'envelope'],
    [step, '550 5.7.1 policy', 'mailbox_failed', 'envelope'],
  ]),
]

const failuresAfterDot: Failure[] = [
  ['DOT', 'cut', 'unknown', 'end'],
  ['DOT', 'reset', 'unknown', 'end'],
  ['DOT', '421 4.3.2 going down', 'unknown', 'end'],
  ['DOT', 'hello', 'unknown', 'end'],
  ['DOT', '2yes', 'unknown', 'end'],
  ['DOT', '354 go on', 'unknown', 'end'],
  ['DOT', '451 4.3.0 no room', 'deferred', 'end'],
  ['DOT', '554 5.6.0 content', 'rejected', 'end'],
  ['DOT', '550 5.7.26 policy', 'mailbox_failed', 'end'],
]

describe('a mail server', () => {
  test.each(failuresBeforeDot)(
    'delivers nothing, and the gate is not called, when it fails at %s with %s: %s',
    async (step, reaction, ...expected) => {
      await using server = await ScriptedSmtp.open(at => (at === step ? reaction : undefined))
      await using pool = openSmtpPool(settingsFor(server.port, credentials))
      const { result, gateCalls } = await sendOne(pool)
      expect(result).toMatchObject({ outcome: expected[0], phase: expected[1] })
      expect(gateCalls).toBe(0)
      expect(server.transfers.filter(({ isComplete }) => isComplete)).toEqual([])
    },
  )

  test.each(failuresAfterDot)(
    'determines the outcome of the send when it fails after the dot (%s) with %s: %s',
    async (step, reaction, ...expected) => {
      await using server = await ScriptedSmtp.open(at => (at === step ? reaction : undefined))
      await using pool = openSmtpPool(settingsFor(server.port, credentials))
      const { result, gateCalls } = await sendOne(pool)
      expect(result).toMatchObject({ outcome: expected[0], phase: expected[1] })
      expect(gateCalls).toBe(1)
      expect(server.transfers).toHaveLength(1)
    },
  )

  test('causes a timeout when it stops responding, which is ambiguous only after the dot', async () => {
    const steps: [Step, string, string][] = [
      ['CONNECT', 'server_failed', 'connect'],
      ['EHLO', 'server_failed', 'connect'],
      ['AUTH', 'server_failed', 'auth'],
      ['MAIL', 'server_failed', 'envelope'],
      ['RCPT', 'server_failed', 'envelope'],
      ['DATA', 'server_failed', 'envelope'],
      ['DOT', 'unknown', 'end'],
    ]
    const timeouts = { greetingMs: 1_500, silenceMs: 1_500, finalReplyMs: 1_500 }
    await Promise.all(
      steps.map(async ([step, outcome, phase]) => {
        await using server = await ScriptedSmtp.open(at => (at === step ? 'silent' : undefined))
        await using pool = openSmtpPool(settingsFor(server.port, { ...credentials, timeouts }))
        const { result } = await sendOne(pool)
        expect(result).toMatchObject({ outcome, phase })
      }),
    )
  })

  test('may reply to the dot later than the usual time limit', async () => {
    await using slow = await ScriptedSmtp.open(step => (step === 'DOT' ? 'silent' : undefined))
    const silenceMs = 2_000
    await using pool = openSmtpPool(settingsFor(slow.port, { timeouts: { silenceMs } }))
    const sending = sendOne(pool)
    await slow.until(() => slow.transfers.some(({ isComplete }) => isComplete))
    // This server becomes silent later. When it times out, the first server has been silent for longer than the limit.
    await using silent = await ScriptedSmtp.open(step => (step === 'RCPT' ? 'silent' : undefined))
    await using other = openSmtpPool(settingsFor(silent.port, { timeouts: { silenceMs } }))
    expect((await sendOne(other)).result).toMatchObject({ outcome: 'server_failed' })
    slow.answer('250 2.0.0 ok')
    expect((await sending).result).toMatchObject({ outcome: 'sent' })
  })

  test('causes a timeout when it stops reading, and the gate is never called', async () => {
    await using server = await ScriptedSmtp.open(at => (at === 'BODY' ? 'stall' : undefined))
    await using pool = openSmtpPool(settingsFor(server.port, { timeouts: { silenceMs: 1_500 } }))
    let gateCalls = 0
    const gate = async () => {
      gateCalls += 1
      return true
    }
    const result = await pool.send({ envelope, bytes: Buffer.alloc(40_000_000, 'words and lines\r\n'), gate })
    expect(result).toMatchObject({ outcome: 'server_failed', phase: 'body' })
    expect(gateCalls).toBe(0)
  })

  test('gets the message even if it refuses one of several recipients, which the result names', async () => {
    await using server = await ScriptedSmtp.open((step, line) =>
      step === 'RCPT' && line.includes('nobody') ? '550 5.1.1 no such user' : undefined,
    )
    await using pool = openSmtpPool(settingsFor(server.port))
    const to = ['anna@example.org', 'nobody@example.org']
    const result = await pool.send({
      envelope: { from: 'ines@example.com', to },
      bytes,
      gate: async () => true,
    })
    expect(result).toMatchObject({
      outcome: 'sent',
      refused: [{ address: 'nobody@example.org', reply: { code: 550, enhancedCode: '5.1.1' } }],
    })
  })

  test('never receives a command injected through an address', async () => {
    await using server = await ScriptedSmtp.open()
    await using pool = openSmtpPool(settingsFor(server.port))
    for (const address of ['a@b.c>\r\nRCPT TO:<x@y.z', 'a@b.c\nDATA', '<a@b.c>']) {
      const result = await pool.send({
        envelope: { from: 'i@e.com', to: [address] },
        bytes,
        gate: async () => true,
      })
      expect(result.outcome).toBe('rejected')
    }
    expect(server.commands.filter(line => !/^(EHLO|RSET|QUIT)/.test(line))).toEqual([])
  })
})

describe('the pool', () => {
  test('sends many messages over few connections, each exactly once', async () => {
    let mostOpen = 0
    await using server = await ScriptedSmtp.open(() => {
      mostOpen = Math.max(mostOpen, server.openSockets)
      return undefined
    })
    {
      await using pool = openSmtpPool(settingsFor(server.port, { maxConnections: 3 }))
      const results = await Promise.all(Array.from({ length: 40 }, () => sendOne(pool)))
      expect(results.every(({ result }) => result.outcome === 'sent')).toBe(true)
    }
    expect(mostOpen).toBe(3)
    expect(server.connections).toBe(3)
    expect(server.transfers.map(({ isComplete }) => isComplete)).toEqual(Array(40).fill(true))
    expect(server.commands.filter(line => line === 'QUIT')).toHaveLength(3)
    await server.until(() => server.openSockets === 0)
  })

  test('opens a new connection after the maximum number of messages', async () => {
    await using server = await ScriptedSmtp.open()
    await using pool = openSmtpPool(
      settingsFor(server.port, { maxConnections: 1, maxMessagesPerConnection: 2 }),
    )
    for (let count = 0; count < 5; count += 1) await sendOne(pool)
    expect(server.connections).toBe(3)
  })

  test('sends over a new connection when the server dropped the idle one', async () => {
    await using server = await ScriptedSmtp.open((step, _line) => {
      // Each connection serves one message and is reset when the next one begins.
      return step === 'MAIL' && server.transfers.length === server.connections ? 'reset' : undefined
    })
    await using pool = openSmtpPool(settingsFor(server.port, { maxConnections: 1 }))
    for (let count = 0; count < 4; count += 1) {
      const { result, gateCalls } = await sendOne(pool)
      expect(result.outcome).toBe('sent')
      expect(gateCalls).toBe(1)
    }
    expect(server.transfers.filter(({ isComplete }) => isComplete)).toHaveLength(4)
    expect(server.connections).toBe(4)
  })

  test('keeps a connection on which a message was rejected', async () => {
    await using server = await ScriptedSmtp.open(step =>
      step === 'RCPT' && server.transfers.length === 0 && !server.commands.includes('RSET')
        ? '550 5.1.1 no'
        : undefined,
    )
    await using pool = openSmtpPool(settingsFor(server.port))
    expect((await sendOne(pool)).result.outcome).toBe('rejected')
    expect((await sendOne(pool)).result.outcome).toBe('sent')
    expect(server.connections).toBe(1)
    expect(server.commands).toContain('RSET')
  })

  test('closes idle connections with QUIT', async () => {
    await using server = await ScriptedSmtp.open()
    await using pool = openSmtpPool(settingsFor(server.port, { idleTimeoutMs: 50 }))
    await sendOne(pool)
    await server.until(() => server.openSockets === 0)
    expect(server.commands.at(-1)).toBe('QUIT')
  })

  test('postpones messages when its queue is full, and queued messages when it closes', async () => {
    await using server = await ScriptedSmtp.open()
    const pool = openSmtpPool(settingsFor(server.port, { maxConnections: 1, maxWaiting: 1 }))
    const release = Promise.withResolvers<boolean>()
    const gateCalled = Promise.withResolvers<void>()
    const first = sendOne(pool, () => {
      gateCalled.resolve()
      return release.promise
    })
    await gateCalled.promise
    const waiting = sendOne(pool)
    const tooMany = await sendOne(pool)
    expect(tooMany).toMatchObject({ result: { outcome: 'postponed' }, gateCalls: 0 })

    const closed = pool[Symbol.asyncDispose]()
    expect(await waiting).toMatchObject({ result: { outcome: 'postponed' }, gateCalls: 0 })
    // The send in flight completes.
    release.resolve(true)
    expect((await first).result.outcome).toBe('sent')
    await closed
    expect((await sendOne(pool)).result.outcome).toBe('postponed')
    expect(server.transfers).toHaveLength(1)
    await server.until(() => server.openSockets === 0)
  })
})

/** Opens a server with TLS and real sign-in; its self-signed certificate is for localhost. */
async function openTlsServer(secure: boolean) {
  const received: string[] = []
  const server = new SMTPServer({
    secure,
    logger: false,
    onAuth: ({ username, password }, _session, done) =>
      username === 'ines' && password === 'secret'
        ? done(null, { user: username })
        : done(new Error('Wrong')),
    onData: (stream, _session, done) => {
      let text = ''
      stream.setEncoding('latin1').on('data', (chunk: string) => {
        text += chunk
      })
      stream.on('error', () => undefined)
      stream.on('end', () => {
        received.push(text)
        done(null, 'queued as TLS1')
      })
    },
  })
  server.on('error', () => undefined)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    received,
    port: (server.server.address() as { port: number }).port,
    [Symbol.asyncDispose]: () => new Promise<void>(resolve => server.close(resolve)),
  }
}

describe('over TLS', () => {
  test.each(['starttls', 'implicit'] as const)(
    'the gate withholds messages as it does without TLS (%s)',
    async tls => {
      await using server = await openTlsServer(tls === 'implicit')
      await using pool = openSmtpPool(
        settingsFor(server.port, { ...credentials, tls, allowInsecureTls: true }),
      )
      expect((await sendOne(pool, async () => false)).result).toEqual({ outcome: 'withheld' })
      expect((await sendOne(pool)).result).toMatchObject({ outcome: 'sent', queueId: 'TLS1' })
      expect((await sendOne(pool)).result.outcome).toBe('sent')
      expect(server.received).toEqual([bytes.toString('latin1'), bytes.toString('latin1')])
    },
  )

  test.each(['starttls', 'implicit'] as const)('a self-signed certificate is rejected (%s)', async tls => {
    await using server = await openTlsServer(tls === 'implicit')
    await using pool = openSmtpPool(settingsFor(server.port, { ...credentials, tls }))
    expect((await sendOne(pool)).result).toMatchObject({ outcome: 'server_failed', phase: 'tls' })
    expect(server.received).toEqual([])
  })

  test('a password is not sent when the server rejects STARTTLS', async () => {
    await using server = await ScriptedSmtp.open()
    await using pool = openSmtpPool(settingsFor(server.port, { ...credentials, tls: 'starttls' }))
    expect((await sendOne(pool)).result).toMatchObject({ outcome: 'server_failed', phase: 'tls' })
    expect(server.commands.join()).not.toContain('AUTH')
  })
})

describe('checking a mailbox', () => {
  async function getReason(settings: SmtpSettings): Promise<string> {
    const result = await verifySmtp(settings)
    return result.ok ? 'ok' : result.reason
  }

  test('signs in and quits', async () => {
    await using server = await ScriptedSmtp.open()
    expect(await verifySmtp(settingsFor(server.port, credentials))).toEqual({ ok: true })
    expect(server.commands).toEqual(['EHLO [127.0.0.1]', expect.stringMatching(/^AUTH PLAIN /), 'QUIT'])
  })

  test('explains the problem in a sentence', async () => {
    await using tlsServer = await openTlsServer(true)
    await using scripted = await ScriptedSmtp.open((step, line) => {
      if (step === 'AUTH') return line.startsWith('AUTH') ? '535 5.7.8 bad credentials' : undefined
      return undefined
    })
    const at = `127.0.0.1:${scripted.port}`
    const cases: [Partial<SmtpSettings>, string | RegExp][] = [
      [credentials, `${at} rejected the user name or password: 535 5.7.8 bad credentials`],
      [{ tls: 'starttls' }, `${at} rejected STARTTLS: 454 4.7.0 not now`],
      [
        { tls: 'implicit' },
        `TLS with ${at} failed: wrong version number. Check the port and the TLS setting.`,
      ],
      [{ allowPrivateHosts: false }, /^127\.0\.0\.1 is a private or reserved address/],
      [{ host: 'mail.example.com:25' }, 'must be a host name or an IP address, without a port'],
      [{ host: 'no-such-host.invalid' }, 'No address was found for no-such-host.invalid.'],
      [{ port: 1 }, 'Nothing is listening at 127.0.0.1:1'],
      [{ port: tlsServer.port, tls: 'implicit' }, /^TLS with 127\.0\.0\.1:\d+ failed: .*certificate/i],
      [{ port: tlsServer.port, timeouts: { greetingMs: 300 } }, /sent no SMTP greeting/],
    ]
    for (const [changes, reason] of cases) {
      expect(await getReason(settingsFor(scripted.port, changes))).toMatch(reason)
    }
  })

  test('reports a server that does not offer authentication', async () => {
    await using server = await ScriptedSmtp.open(step => (step === 'EHLO' ? '250 plain.test' : undefined))
    expect(await getReason(settingsFor(server.port, credentials))).toContain('does not offer authentication')
  })
})

test.each([
  ['email-smtp.us-east-1.amazonaws.com', '<0100a-b1-000000@email.amazonses.com>'],
  ['email-smtp.eu-west-1.amazonaws.com', '<0100a-b1-000000@eu-west-1.amazonses.com>'],
])('the result includes the Message-ID with which %s replaces ours', async (host, serverMessageId) => {
  await using server = await ScriptedSmtp.open(step =>
    step === 'DOT' ? '250 Ok 0100a-b1-000000' : undefined,
  )
  mockLookups(['127.0.0.1'])
  await using pool = openSmtpPool(settingsFor(server.port, { host }))
  expect((await sendOne(pool)).result).toMatchObject({ outcome: 'sent', serverMessageId })
})
