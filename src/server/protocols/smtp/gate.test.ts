import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { ScriptedSmtp } from '../../../../test/support/mail/scripted-smtp.ts'
import { openSmtpPool, type SmtpPool } from './pool.ts'

const envelope = { from: 'ines@example.com', to: ['anna@example.org'] }

function openPool(server: ScriptedSmtp): SmtpPool {
  return openSmtpPool({ host: '127.0.0.1', port: server.port, tls: 'none', allowPrivateHosts: true })
}

/** Returns a message of exactly this size, with leading dots and cut off at any position in a line. */
function makeMessage(size: number): Buffer {
  const line = 'Subject: held back\r\n\r\n.\r\n..\r\n. a dot\r\nwords and more words to fill a line\r\n'
  return Buffer.from(line.repeat(Math.ceil(size / line.length)).slice(0, size))
}

/** Applies dot-stuffing (RFC 5321 section 4.5.2), without the final dot. */
function stuffDots(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/\r(?!\n)/g, '\r\n')
    .replace(/^\./gm, '..')
}

async function yieldManyTurns(): Promise<void> {
  for (let count = 0; count < 50; count += 1) await turn()
}

describe('before the gate allows a message', () => {
  const sizes = [1, 2, 3, 100, 1_024, 8_191, 8_192, 8_193, 16_383, 16_384, 16_385, 24_575, 24_576, 24_577]
  const large = [65_535, 65_536, 65_537, 73_728, 131_072, 262_145, 1_000_000, 1_048_576]

  test.each([...sizes, ...large])(
    'neither the last of its %i bytes nor the final dot is sent',
    async size => {
      await using server = await ScriptedSmtp.open()
      await using pool = openPool(server)
      const bytes = makeMessage(size)
      const stuffed = stuffDots(bytes)

      const result = await pool.send({
        envelope,
        bytes,
        gate: async () => {
          const transfer = server.transfers[0]!
          // Waits until everything before the last chunk has arrived, and then for bytes that must not arrive.
          const head = stuffDots(bytes.subarray(0, Math.max(0, size - 8_192))).length
          await server.until(() => transfer.wire.length >= head - 2)
          await sleep(20)
          const seen = transfer.wire.toString('latin1')
          expect(transfer.isComplete).toBe(false)
          expect(stuffed.startsWith(seen)).toBe(true)
          expect(seen.length).toBeLessThan(stuffed.length)
          expect(`\r\n${seen}`.endsWith('\r\n.\r\n')).toBe(false)
          return true
        },
      })

      expect(result).toMatchObject({ outcome: 'sent', queueId: 'SCRIPTED1' })
      expect(server.transfers).toHaveLength(1)
      expect(server.transfers[0]!.wire.toString('latin1')).toBe(
        stuffed.endsWith('\r\n') ? `${stuffed}.\r\n` : `${stuffed}\r\n.\r\n`,
      )
    },
  )

  test('the server has accepted DATA, and the gate is called once', async () => {
    const commandsAtGate: string[] = []
    await using server = await ScriptedSmtp.open()
    await using pool = openPool(server)
    const gate = async () => {
      commandsAtGate.push(server.commands.at(-1)!)
      return true
    }
    await pool.send({ envelope, bytes: makeMessage(100_000), gate })
    expect(commandsAtGate).toEqual(['DATA'])
  })
})

describe('when the gate refuses', () => {
  test.each([1, 8_192, 8_193, 70_000, 1_000_000])(
    'the server never receives the end of a message of %i bytes',
    async size => {
      await using server = await ScriptedSmtp.open()
      await using pool = openPool(server)
      const result = await pool.send({ envelope, bytes: makeMessage(size), gate: async () => false })
      expect(result).toEqual({ outcome: 'withheld' })
      await server.until(() => server.openSockets === 0)
      expect(server.transfers.map(({ isComplete }) => isComplete)).toEqual([false])
      expect(server.transfers[0]!.wire.length).toBeLessThan(stuffDots(makeMessage(size)).length)
      expect(server.commands.at(-1)).toBe('DATA')
    },
  )

  test('nothing is delivered, and the caller gets the error if the gate threw one', async () => {
    await using server = await ScriptedSmtp.open()
    await using pool = openPool(server)
    const error = new Error('the database is unavailable')
    await expect(
      pool.send({ envelope, bytes: makeMessage(2_000), gate: () => Promise.reject(error) }),
    ).rejects.toBe(error)
    await server.until(() => server.openSockets === 0)
    expect(server.transfers.map(({ isComplete }) => isComplete)).toEqual([false])
    // The connection slot is free again.
    await expect(
      pool.send({ envelope, bytes: makeMessage(2_000), gate: async () => true }),
    ).resolves.toMatchObject({
      outcome: 'sent',
    })
  })
})

describe('a connection that breaks during the gate', () => {
  test.each(['cut', 'reset'] as const)(
    'has a definite result, even if the gate then allows the message (%s)',
    async how => {
      await using server = await ScriptedSmtp.open(step => (step === 'BODY' ? how : undefined))
      await using pool = openPool(server)
      let hasGateResolved = false
      const result = await pool.send({
        envelope,
        bytes: makeMessage(30_000),
        gate: async () => {
          await server.until(() => server.openSockets === 0)
          await yieldManyTurns()
          hasGateResolved = true
          return true
        },
      })
      // The result waits for the gate, so that the gate has no effect once the result is known.
      expect(hasGateResolved).toBe(true)
      expect(result).toMatchObject({ outcome: 'server_failed', phase: 'gate' })
      expect(server.transfers.map(({ isComplete }) => isComplete)).toEqual([false])
    },
  )

  test('has the result `withheld` if the gate then refuses', async () => {
    await using server = await ScriptedSmtp.open(step => (step === 'BODY' ? 'cut' : undefined))
    await using pool = openPool(server)
    const gate = async () => {
      await server.until(() => server.openSockets === 0)
      await yieldManyTurns()
      return false
    }
    await expect(pool.send({ envelope, bytes: makeMessage(30_000), gate })).resolves.toEqual({
      outcome: 'withheld',
    })
  })
})

describe('a server that replies before the end of the message', () => {
  test.each([
    ['250 2.0.0 ok', 'server_failed'],
    ['552 5.3.4 too big', 'rejected'],
    ['451 4.3.0 no room', 'deferred'],
    ['550 5.7.1 not from you', 'mailbox_failed'],
    ['421 4.3.2 going down', 'server_failed'],
  ])('never receives the message: %s', async (reply, outcome) => {
    await using server = await ScriptedSmtp.open(step => (step === 'BODY' ? reply : undefined))
    await using pool = openPool(server)
    const result = await pool.send({
      envelope,
      bytes: makeMessage(30_000),
      gate: async () => {
        await server.until(() => server.openSockets === 0)
        await yieldManyTurns()
        return true
      },
    })
    expect(result).toMatchObject({ outcome, phase: 'gate' })
    expect(server.transfers.map(({ isComplete }) => isComplete)).toEqual([false])
  })
})
