import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { ScriptedSmtp } from '../../../../test/support/mail/scripted-smtp.ts'
import { openSmtpPool, type SmtpPool } from './pool.ts'

const envelope = { from: 'ines@example.com', to: ['anna@example.org'] }

function openPool(server: ScriptedSmtp): SmtpPool {
  return openSmtpPool({ host: '127.0.0.1', port: server.port, tls: 'none', allowPrivateHosts: true })
}

/** A message of just this size, with dots where a line begins and lines that end anywhere. */
function toMessage(size: number): Buffer {
  const line = 'Subject: held back\r\n\r\n.\r\n..\r\n. a dot\r\nwords and more words to fill a line\r\n'
  return Buffer.from(line.repeat(Math.ceil(size / line.length)).slice(0, size))
}

/** As RFC 5321 section 4.5.2 wants it on the wire, before the end is put to it. */
function onTheWire(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/\r(?!\n)/g, '\r\n')
    .replace(/^\./gm, '..')
}

async function someTurns(): Promise<void> {
  for (let count = 0; count < 50; count += 1) await turn()
}

describe('before the gate allows a message', () => {
  const sizes = [1, 2, 3, 100, 1_024, 8_191, 8_192, 8_193, 16_383, 16_384, 16_385, 24_575, 24_576, 24_577]
  const large = [65_535, 65_536, 65_537, 73_728, 131_072, 262_145, 1_000_000, 1_048_576]

  test.each([...sizes, ...large])(
    'neither the last of its %i bytes nor the dot is on the wire',
    async size => {
      await using server = await ScriptedSmtp.open()
      await using pool = openPool(server)
      const bytes = toMessage(size)
      const wire = onTheWire(bytes)

      const ending = await pool.send({
        envelope,
        bytes,
        gate: async () => {
          const transfer = server.transfers[0]!
          // everything but the held end arrives; then give what must not come the time to come
          const head = onTheWire(bytes.subarray(0, Math.max(0, size - 8_192))).length
          await server.until(() => transfer.wire.length >= head - 2)
          await sleep(20)
          const seen = transfer.wire.toString('latin1')
          expect(transfer.isComplete).toBe(false)
          expect(wire.startsWith(seen)).toBe(true)
          expect(seen.length).toBeLessThan(wire.length)
          expect(`\r\n${seen}`.endsWith('\r\n.\r\n')).toBe(false)
          return true
        },
      })

      expect(ending).toMatchObject({ outcome: 'sent', queueId: 'SCRIPTED1' })
      expect(server.transfers).toHaveLength(1)
      expect(server.transfers[0]!.wire.toString('latin1')).toBe(
        wire.endsWith('\r\n') ? `${wire}.\r\n` : `${wire}\r\n.\r\n`,
      )
    },
  )

  test('it is called once, and only after the server accepts the message', async () => {
    const asked: string[] = []
    await using server = await ScriptedSmtp.open()
    await using pool = openPool(server)
    const gate = async () => {
      asked.push(server.commands.at(-1)!)
      return true
    }
    await pool.send({ envelope, bytes: toMessage(100_000), gate })
    expect(asked).toEqual(['DATA'])
  })
})

describe('when the gate refuses', () => {
  test.each([1, 8_192, 8_193, 70_000, 1_000_000])(
    'the server keeps an unfinished message of %i bytes',
    async size => {
      await using server = await ScriptedSmtp.open()
      await using pool = openPool(server)
      const ending = await pool.send({ envelope, bytes: toMessage(size), gate: async () => false })
      expect(ending).toEqual({ outcome: 'withheld' })
      await server.until(() => server.openSockets === 0)
      expect(server.transfers.map(({ isComplete }) => isComplete)).toEqual([false])
      expect(server.transfers[0]!.wire.length).toBeLessThan(onTheWire(toMessage(size)).length)
      expect(server.commands.at(-1)).toBe('DATA')
    },
  )

  test('by throwing, nothing is delivered and the caller gets the error', async () => {
    await using server = await ScriptedSmtp.open()
    await using pool = openPool(server)
    const fault = new Error('the database is away')
    await expect(
      pool.send({ envelope, bytes: toMessage(2_000), gate: () => Promise.reject(fault) }),
    ).rejects.toBe(fault)
    await server.until(() => server.openSockets === 0)
    expect(server.transfers.map(({ isComplete }) => isComplete)).toEqual([false])
    // and the place among the connections is free again
    await expect(
      pool.send({ envelope, bytes: toMessage(2_000), gate: async () => true }),
    ).resolves.toMatchObject({
      outcome: 'sent',
    })
  })
})

describe('a connection that breaks during the gate', () => {
  test.each(['cut', 'reset'] as const)(
    'by %s has a definite result, even when the gate then allows',
    async how => {
      await using server = await ScriptedSmtp.open(step => (step === 'BODY' ? how : undefined))
      await using pool = openPool(server)
      let hasAnswered = false
      const ending = await pool.send({
        envelope,
        bytes: toMessage(30_000),
        gate: async () => {
          await server.until(() => server.openSockets === 0)
          await someTurns()
          hasAnswered = true
          return true
        },
      })
      // the answer waits for the gate, so that no effect of the gate comes after it
      expect(hasAnswered).toBe(true)
      expect(ending).toMatchObject({ outcome: 'server_failed', phase: 'gate' })
      expect(server.transfers.map(({ isComplete }) => isComplete)).toEqual([false])
    },
  )

  test('is withheld when the gate then refuses', async () => {
    await using server = await ScriptedSmtp.open(step => (step === 'BODY' ? 'cut' : undefined))
    await using pool = openPool(server)
    const gate = async () => {
      await server.until(() => server.openSockets === 0)
      await someTurns()
      return false
    }
    await expect(pool.send({ envelope, bytes: toMessage(30_000), gate })).resolves.toEqual({
      outcome: 'withheld',
    })
  })
})

describe('a server that answers before the end', () => {
  test.each([
    ['250 2.0.0 ok', 'server_failed'],
    ['552 5.3.4 too big', 'rejected'],
    ['451 4.3.0 no room', 'deferred'],
    ['550 5.7.1 not from you', 'mailbox_failed'],
    ['421 4.3.2 going down', 'server_failed'],
  ])('with %s never receives the message', async (reply, outcome) => {
    await using server = await ScriptedSmtp.open(step => (step === 'BODY' ? reply : undefined))
    await using pool = openPool(server)
    const ending = await pool.send({
      envelope,
      bytes: toMessage(30_000),
      gate: async () => {
        await server.until(() => server.openSockets === 0)
        await someTurns()
        return true
      },
    })
    expect(ending).toMatchObject({ outcome, phase: 'gate' })
    expect(server.transfers.map(({ isComplete }) => isComplete)).toEqual([false])
  })
})
