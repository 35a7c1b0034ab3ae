import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'

const maxMessageBytes = 25 * 1024 * 1024
const maxConnections = 100
const maxRecipients = 100
const closeTimeoutMs = 1_000

/** How to sign in to the sandbox, as plain fields. Any other user name does too. */
export type Sandbox = AsyncDisposable & { host: string; port: number; user: string; password: string }

/**
 * A mail server that sends nothing on: what it gets it keeps as files, `<user>/<time>_<recipient>_….eml`
 * below `dir`, each synced to disk before it is acknowledged. The password is new in every process, so
 * that other users of the machine can't fill the disk.
 */
export async function openSandbox(settings: { dir: string; host?: string; port?: number }): Promise<Sandbox> {
  const { dir, host = '127.0.0.1', port = 0 } = settings
  const password = randomBytes(24).toString('base64url')
  const storing = new Set<Promise<void>>()
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    authMethods: ['PLAIN', 'LOGIN'],
    disableReverseLookup: true,
    logger: false,
    size: maxMessageBytes,
    rejectOversized: true,
    maxClients: maxConnections,
    maxRecipients,
    closeTimeout: closeTimeoutMs,
    onAuth: (given, _session, done) => {
      const isRight = isSame(given.password ?? '', password)
      done(isRight ? null : new Error('Invalid user name or password'), { user: given.username })
    },
    onData: (stream, session, done) => {
      const stored = keepMessage(join(dir, safeName(String(session.user))), stream, session)
        .then(
          name => done(null, `queued as ${name}`),
          (cause: Error) => done(new Error('The message could not be stored', { cause })),
        )
        .finally(() => storing.delete(stored))
      storing.add(stored)
    },
  })
  // a client that breaks off is its own trouble
  server.on('error', () => undefined)
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const listener = server.listen(port, host)
  await once(listener, 'listening')
  return {
    host,
    port: (listener.address() as AddressInfo).port,
    user: 'sandbox',
    password,
    [Symbol.asyncDispose]: async () => {
      await new Promise<void>(resolve => server.close(resolve))
      await Promise.all(storing)
    },
  }
}

/** Stores a message whole or not at all; throws when the client leaves before its end. */
async function keepMessage(
  folder: string,
  stream: SMTPServerDataStream,
  { envelope }: SMTPServerSession,
): Promise<string> {
  const recipients = envelope.rcptTo.map(({ address }) => address)
  const time = new Date().toISOString().replace(/[-:]/g, '')
  const name = `${time}_${safeName(recipients[0] ?? '')}_${randomBytes(4).toString('hex')}.eml`
  const unfinished = join(folder, `.${name}.part`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = await open(unfinished, 'wx', 0o600)
  try {
    const sender = envelope.mailFrom ? envelope.mailFrom.address : ''
    await file.write(`Return-Path: <${sender}>\r\nX-Envelope-To: ${recipients.join(', ')}\r\n`)
    await writeAll(file, stream)
    await file.sync()
    await file.close()
    // the server itself answers a message that was too long
    if (!stream.sizeExceeded) await rename(unfinished, join(folder, name))
    await syncFolder(folder)
    return name
  } finally {
    await file.close().catch(() => undefined)
    await rm(unfinished, { force: true })
  }
}

async function writeAll(file: FileHandle, stream: SMTPServerDataStream): Promise<void> {
  for await (const chunk of stream) if (!stream.sizeExceeded) await file.writeFile(chunk)
}

/** Makes the new name last; Windows has no such call. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  await using handle = await open(folder, 'r')
  await handle.sync()
}

/** What a stranger wrote, as part of a file name. */
function safeName(text: string): string {
  return (
    text
      .toLowerCase()
      .replace(/[^a-z0-9@+_.-]/g, '_')
      .replace(/^\.+/, '_')
      .slice(0, 80) || '_'
  )
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [given, expected].map(text => createHash('sha256').update(text).digest())
  return timingSafeEqual(a!, b!)
}
