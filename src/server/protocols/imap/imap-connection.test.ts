import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTcpProxy } from '../../../../test/support/http/tcp-proxy.ts'
import { Dovecot, dovecotPassword, hasDovecot } from '../../../../test/support/mail/dovecot.ts'
import { ImapConnection, type ImapSettings } from './imap-connection.ts'

/** Signs in and opens the inbox. Returns the error message if either fails. */
async function findOpenError(settings: ImapSettings): Promise<string | undefined> {
  try {
    await using connection = await ImapConnection.open(settings)
    await connection.openFolder('INBOX')
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

const mail = (subject: string) =>
  `From: Grace <grace@navy.example>\r\nTo: ada@acme.example\r\nSubject: ${subject}\r\nMessage-ID: <${subject}@navy.example>\r\n\r\nHello\r\n`

describe.runIf(hasDovecot())('an IMAP connection to Dovecot', () => {
  let dovecot: Dovecot
  beforeAll(async () => {
    dovecot = await Dovecot.open()
  })
  afterAll(() => dovecot[Symbol.asyncDispose]())

  const settings = (user: string, change: Partial<ImapSettings> = {}): ImapSettings => ({
    host: '127.0.0.1',
    port: dovecot.port,
    tls: 'none',
    user,
    password: dovecotPassword,
    allowPrivateHosts: true,
    ...change,
  })

  it('finds folders by special use and fetches new mail', async () => {
    const user = 'folders@acme.example'
    await dovecot.deliver(user, mail('first'))
    await using connection = await ImapConnection.open(settings(user))
    const folders = await connection.listFolders()
    expect(folders.toSorted((a, b) => a.role.localeCompare(b.role))).toEqual([
      { path: 'INBOX', role: 'inbox' },
      { path: 'Spam', role: 'junk' },
      { path: 'Sent Items', role: 'sent' },
    ])
    const { uidNext } = await connection.openFolder('INBOX')
    expect(uidNext).toBe(2)
    expect(await connection.listUidsAfter(uidNext! - 1)).toEqual([])
    expect(await connection.listUidsSince(new Date())).toEqual([1])
    expect((await connection.fetch(1))?.raw.toString()).toContain('Subject: first')
    expect(await connection.fetch(99)).toBeUndefined()
    expect(await connection.hasHeader('message-id', '<first@navy.example>')).toBe(true)
    expect(await connection.hasHeader('message-id', '<other@navy.example>')).toBe(false)
    await dovecot.doveadm(['save', '-u', user, '-m', 'Spam'], mail('junk'))
    await connection.openFolder('Spam')
    expect(await connection.listUidsAfter(0)).toEqual([1])
  })

  it('never treats an email as deleted while the server still has it', async () => {
    const user = 'there@acme.example'
    await dovecot.deliver(user, mail('first'))
    await dovecot.deliver(user, mail('second'))
    // Servers report changes by other programs along with the requested data or instead of it.
    const flags = Buffer.from('* 2 FETCH (UID 2 FLAGS (\\Seen))\r\n')
    let returnsMail = true
    await using server = await openTcpProxy(dovecot.port, {
      toClient: data => {
        if (!data.includes('FETCH (')) return data
        return Buffer.concat([flags, returnsMail ? data : data.subarray(data.lastIndexOf('\n', -2) + 1)])
      },
    })
    const stop = new AbortController()
    await using connection = await ImapConnection.open(
      settings(user, { port: server.port, signal: stop.signal }),
    )
    await connection.openFolder('INBOX')
    expect((await connection.fetch(1))?.raw.toString()).toContain('Subject: first')
    expect((await connection.fetch(2))?.raw.toString()).toContain('Subject: second')
    returnsMail = false
    await expect(connection.fetch(2)).rejects.toMatchObject({ name: 'ImapError' })
    returnsMail = true
    stop.abort()
    await expect(connection.fetch(1)).rejects.toMatchObject({ name: 'ImapError' })
  })

  it('recognizes drafts, and sent mail by its Gmail label', async () => {
    const user = 'own@acme.example'
    await dovecot.deliver(user, mail('received'))
    await dovecot.deliver(user, mail('begun'))
    await dovecot.doveadm(['flags', 'add', '-u', user, '\\Draft', 'mailbox', 'INBOX', 'uid', '2'])
    await using gmail = await openTcpProxy(dovecot.port, {
      toServer: data => Buffer.from(data.toString('latin1').replace(/ X-GM-(?:MSGID|LABELS)/g, ''), 'latin1'),
      toClient: data =>
        Buffer.from(
          data
            .toString('latin1')
            .replace(/CAPABILITY IMAP4rev1/g, '$& X-GM-EXT-1')
            .replace(/FETCH \(UID 1 /, 'FETCH (X-GM-LABELS ("\\\\Inbox" "\\\\Sent") UID 1 '),
          'latin1',
        ),
    })
    await using connection = await ImapConnection.open(settings(user, { port: gmail.port }))
    await connection.openFolder('INBOX')
    expect(await connection.fetch(1)).toMatchObject({ isDraft: false, isInSent: true })
    expect(await connection.fetch(2)).toMatchObject({ isDraft: true, isInSent: false })
  })

  it('wakes for new mail, even if the mail arrived just before the wait', async () => {
    const user = 'news@acme.example'
    const never = 10 * 60_000
    const { signal } = new AbortController()
    await using connection = await ImapConnection.open(settings(user))
    await connection.openFolder('INBOX')
    expect(await connection.listUidsAfter(0)).toEqual([])
    await dovecot.deliver(user, mail('before'))
    await connection.waitForNewMail(never, signal)
    expect(await connection.listUidsAfter(0)).toEqual([1])
    const waiting = connection.waitForNewMail(never, signal)
    await dovecot.deliver(user, mail('meanwhile'))
    await waiting
    expect(await connection.listUidsAfter(1)).toEqual([2])
    await connection.waitForNewMail(1, signal)
    await connection.waitForNewMail(never, AbortSignal.abort())
    expect(await connection.listUidsAfter(2)).toEqual([])
  })

  it('explains problems with the user name, password, server or TLS', async () => {
    const ada = settings('ada@acme.example')
    expect(await findOpenError(ada)).toBeUndefined()
    const getReason = (change: Partial<ImapSettings>) => findOpenError({ ...ada, ...change })
    expect(await getReason({ password: 'wrong' })).toMatch(/rejected the user name or password/)
    expect(await getReason({ tls: 'starttls' })).toMatch(/STARTTLS/)
    expect(await getReason({ tls: 'implicit' })).toMatch(/failed to establish TLS/)
    expect(await getReason({ allowPrivateHosts: false })).toMatch(/private/)
    expect(await getReason({ host: 'no.such.host.invalid' })).toMatch(/No address was found/)
  })

  it('ends when the server closes the connection', async () => {
    const server = await Dovecot.open()
    const connection = await ImapConnection.open(settings('gone@acme.example', { port: server.port }))
    await connection.openFolder('INBOX')
    const waiting = connection.waitForNewMail(10 * 60_000, new AbortController().signal).catch(error => error)
    await server[Symbol.asyncDispose]()
    expect(await waiting).toMatchObject({ name: 'ImapError' })
    await expect(connection.listUidsAfter(0)).rejects.toMatchObject({ name: 'ImapError' })
    await connection[Symbol.asyncDispose]()
  })
})

it('gives up on a silent server', async () => {
  const sockets = new Set<Socket>()
  const server = createServer(socket => void sockets.add(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const timeouts = { connectMs: 500, greetingMs: 500, answerMs: 500 }
  const reason = await findOpenError({
    host: '127.0.0.1',
    port,
    tls: 'none',
    user: 'ada',
    password: 'secret',
    allowPrivateHosts: true,
    timeouts,
  })
  expect(reason).toContain('cannot be reached')
  for (const socket of sockets) socket.destroy()
  server.close()
})
