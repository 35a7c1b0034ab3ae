import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import PostalMime from 'postal-mime'
import { describe, expect, test } from 'vitest'
import { toTextParts } from '../mime/body.ts'
import { composeMessage, createMessageId } from '../mime/compose.ts'
import { openSmtpPool, type SmtpPool } from './pool.ts'
import { openSandbox } from './sandbox.ts'

async function openTemporarySandbox() {
  const dir = await mkdtemp(join(tmpdir(), 'overture-sandbox-'))
  const sandbox = await openSandbox({ dir })
  return {
    dir,
    sandbox,
    port: sandbox.port,
    files: async () =>
      (await readdir(dir, { recursive: true })).filter(name => /\.(eml|part)$/.test(name)).sort(),
    read: (name: string) => readFile(join(dir, name)),
    poolFor: (user: string, password = sandbox.password): SmtpPool =>
      openSmtpPool({
        host: sandbox.host,
        port: sandbox.port,
        tls: 'none',
        user,
        password,
        allowPrivateHosts: ['127.0.0.1'],
      }),
    [Symbol.asyncDispose]: async () => {
      await sandbox[Symbol.asyncDispose]()
      await rm(dir, { recursive: true })
    },
  }
}

function compose(number = 1, to = 'anna@example.org') {
  return composeMessage({
    messageId: createMessageId([`${number}`], 'example.com'),
    from: { address: 'ines@example.com', name: 'Inês' },
    to: [{ address: to, name: 'Анна' }],
    bcc: [{ address: 'hidden@example.net' }],
    subject: `Grüße ${number}`,
    ...toTextParts('Hi Anna,\n\n.\n..dots\nhttps://example.com'),
    date: new Date('2026-11-21T09:00:00Z'),
  })
}

const allow = async () => true

describe('the sandbox', () => {
  test('stores each message unchanged with its envelope, as a file of its mailbox', async () => {
    await using temporary = await openTemporarySandbox()
    await using pool = temporary.poolFor('mailbox-1')
    await using other = temporary.poolFor('mailbox-2')
    for (const number of [1, 2, 3]) {
      const result = await pool.send({ ...(await compose(number)), gate: allow })
      expect(result).toMatchObject({ outcome: 'sent' })
    }
    await other.send({ ...(await compose(4)), gate: allow })

    const files = await temporary.files()
    expect(
      files.map(name => name.replace(/\d{8}T\d{6}\.\d{3}Z_/, '').replace(/_[0-9a-f]{8}\.eml$/, '')),
    ).toEqual([...Array(3).fill('mailbox-1/anna@example.org'), 'mailbox-2/anna@example.org'])
    const contents = await Promise.all(files.map(temporary.read))
    const { bytes } = await compose(4)
    expect(contents.at(-1)!.subarray(-bytes.length).equals(bytes)).toBe(true)
    const parsed = await PostalMime.parse(contents.at(-1)!)
    expect(parsed).toMatchObject({
      returnPath: 'ines@example.com',
      from: { address: 'ines@example.com', name: 'Inês' },
      to: [{ address: 'anna@example.org', name: 'Анна' }],
      subject: 'Grüße 4',
    })
    expect(parsed.text?.trimEnd()).toBe('Hi Anna,\n\n.\n..dots\nhttps://example.com')
    expect(parsed.headers.find(({ key }) => key === 'x-envelope-to')?.value).toBe(
      'anna@example.org, hidden@example.net',
    )
  })

  test('does not store any part of a withheld message', async () => {
    await using temporary = await openTemporarySandbox()
    {
      await using pool = temporary.poolFor('mailbox-1')
      const refuse = async () => false
      expect(await pool.send({ ...(await compose(1)), gate: refuse })).toEqual({ outcome: 'withheld' })
      expect(await pool.send({ ...(await compose(2)), gate: allow })).toMatchObject({ outcome: 'sent' })
    }
    // Closing waits until every connection has been handled.
    await temporary.sandbox[Symbol.asyncDispose]()
    const files = await temporary.files()
    expect(files).toHaveLength(1)
    expect((await temporary.read(files[0]!)).toString()).toContain((await compose(2)).bytes.toString())
  })

  test('rejects clients that do not know the password of this process', async () => {
    await using first = await openTemporarySandbox()
    await using second = await openTemporarySandbox()
    expect(first.sandbox.password).not.toBe(second.sandbox.password)
    await using stranger = first.poolFor('mailbox-1', second.sandbox.password)
    expect(await stranger.send({ ...(await compose()), gate: allow })).toMatchObject({
      outcome: 'mailbox_failed',
    })
    await using nobody = openSmtpPool({
      host: '127.0.0.1',
      port: first.sandbox.port,
      tls: 'none',
      allowPrivateHosts: true,
    })
    expect(await nobody.send({ ...(await compose()), gate: allow })).toMatchObject({
      outcome: 'mailbox_failed',
    })
    expect(await first.files()).toEqual([])
  })

  test('rejects a message that is too large and keeps serving', async () => {
    await using temporary = await openTemporarySandbox()
    await using pool = temporary.poolFor('mailbox-1')
    const { envelope } = await compose()
    const bytes = Buffer.alloc(26 * 1024 * 1024, 'words and words\r\n')
    expect(await pool.send({ envelope, bytes, gate: allow })).toMatchObject({ outcome: 'rejected' })
    expect(await sendWithoutSize(temporary.sandbox.port, temporary.sandbox.password, bytes)).toMatch(/^552 /m)
    expect(await temporary.files()).toEqual([])
    expect(await pool.send({ ...(await compose()), gate: allow })).toMatchObject({ outcome: 'sent' })
  })

  test('never writes outside its folder, regardless of the names of users and recipients', async () => {
    await using temporary = await openTemporarySandbox()
    for (const user of ['../../evil', '/etc/passwd', '.hidden', '..', 'a:b|c', 'é'.repeat(300)]) {
      await using pool = temporary.poolFor(user)
      const mail = await compose(1, `${'x'.repeat(40)}/../!#$%&@example.org`)
      expect(await pool.send({ ...mail, gate: allow })).toMatchObject({ outcome: 'sent' })
    }
    const files = await temporary.files()
    expect(files).toHaveLength(6)
    for (const name of files)
      expect(name).toMatch(/^[a-z0-9@+_-][a-z0-9@+_.-]{0,79}\/\d{8}T[a-zA-Z0-9@+_.-]+\.eml$/)
  })

  test('keeps its files across restarts', async () => {
    await using temporary = await openTemporarySandbox()
    {
      await using pool = temporary.poolFor('mailbox-1')
      await pool.send({ ...(await compose()), gate: allow })
    }
    await temporary.sandbox[Symbol.asyncDispose]()
    await using again = await openSandbox({ dir: temporary.dir, port: temporary.port })
    expect(again.port).toBe(temporary.port)
    expect(await temporary.files()).toHaveLength(1)
  })
})

/** Sends a message without announcing its size, and returns the server's replies. */
async function sendWithoutSize(port: number, password: string, bytes: Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  const login = Buffer.from(`\0mailbox-1\0${password}`).toString('base64')
  const commands = [
    'EHLO test',
    `AUTH PLAIN ${login}`,
    'MAIL FROM:<a@b.example>',
    'RCPT TO:<c@d.example>',
    'DATA',
  ]
  let replies = ''
  for await (const chunk of socket) {
    replies += chunk
    const next = commands.shift()
    if (next) socket.write(`${next}\r\n`)
    else if (/^354/m.test(String(chunk))) socket.write(Buffer.concat([bytes, Buffer.from('\r\n.\r\n')]))
    else if (/^[245]/.test(String(chunk))) break
  }
  return replies
}
