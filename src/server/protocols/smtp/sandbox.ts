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

/** The sandbox server and its credentials. The server accepts any user name. */
export type Sandbox = AsyncDisposable & { host: string; port: number; user: string; password: string }

/**
 * Opens a mail server that relays nothing: it stores messages as `<user>/<time>_<recipient>_….eml` below `dir`, each
 * synced to disk before it is acknowledged. The password is new in every process, so that other users of the machine
 * can't fill the disk.
 */
export async function openSandbox(settings: { dir: string; host?: string; port?: number }): Promise<Sandbox> {
  const { dir, host = '127.0.0.1', port = 0 } = settings
  const password = randomBytes(24).toString('base64url')
  const inFlight = new Set<Promise<void>>()
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
    onAuth: (credentials, _session, done) => {
      const isValid = isEqualSecret(credentials.password ?? '', password)
      done(isValid ? null : new Error('Invalid user name or password'), { user: credentials.username })
    },
    onData: (stream, session, done) => {
      const stored = storeMessage(join(dir, toSafeName(String(session.user))), stream, session)
        .then(
          name => done(null, `queued as ${name}`),
          (cause: Error) => done(new Error('The message could not be stored', { cause })),
        )
        .finally(() => inFlight.delete(stored))
      inFlight.add(stored)
    },
  })
  // A client that disconnects must not crash the process.
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
      await Promise.all(inFlight)
    },
  }
}

/** Stores a message atomically; throws when the client disconnects before the end of the message. */
async function storeMessage(
  folder: string,
  stream: SMTPServerDataStream,
  { envelope }: SMTPServerSession,
): Promise<string> {
  const recipients = envelope.rcptTo.map(({ address }) => address)
  const time = new Date().toISOString().replace(/[-:]/g, '')
  const name = `${time}_${toSafeName(recipients[0] ?? '')}_${randomBytes(4).toString('hex')}.eml`
  const unfinished = join(folder, `.${name}.part`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = await open(unfinished, 'wx', 0o600)
  try {
    const sender = envelope.mailFrom ? envelope.mailFrom.address : ''
    await file.write(`Return-Path: <${sender}>\r\nX-Envelope-To: ${recipients.join(', ')}\r\n`)
    await writeAll(file, stream)
    await file.sync()
    await file.close()
    // The server itself rejects messages that are too large.
    if (!stream.sizeExceeded) await rename(unfinished, join(folder, name))
    await fsyncFolder(folder)
    return name
  } finally {
    await file.close().catch(() => undefined)
    await rm(unfinished, { force: true })
  }
}

async function writeAll(file: FileHandle, stream: SMTPServerDataStream): Promise<void> {
  for await (const chunk of stream) if (!stream.sizeExceeded) await file.writeFile(chunk)
}

/** Syncs the folder so that the new name survives a crash. Windows does not support this. */
async function fsyncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  await using handle = await open(folder, 'r')
  await handle.sync()
}

/** Turns untrusted text into part of a file name. */
function toSafeName(text: string): string {
  return (
    text
      .toLowerCase()
      .replace(/[^a-z0-9@+_.-]/g, '_')
      .replace(/^\.+/, '_')
      .slice(0, 80) || '_'
  )
}

function isEqualSecret(given: string, expected: string): boolean {
  const [a, b] = [given, expected].map(text => createHash('sha256').update(text).digest())
  return timingSafeEqual(a!, b!)
}
