import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { AppError } from '../../kernel/errors.ts'
import { type AllowPrivate, normalizeHost, resolveOutboundHost } from '../../kernel/net/outbound-host.ts'
import { type NodemailerError, SmtpError, type SmtpPhase, TOKEN_METHOD, toFailedResult } from './result.ts'

export type SmtpSettings = {
  host: string
  port: number
  /** `implicit`: TLS from the first byte; `starttls`: upgrade to TLS, which is required; `none`: plain text. */
  tls: 'none' | 'starttls' | 'implicit'
  user?: string | undefined
  password?: string | undefined
  /** An OAuth access token, which is used (with XOAUTH2) instead of the password. */
  accessToken?: string | undefined
  /** The name sent in EHLO; defaults to the machine's host name. */
  name?: string | undefined
  /** Allows private addresses, for the operator's own server on a private network. */
  allowPrivateHosts?: AllowPrivate | undefined
  /** Accepts any certificate, for the operator's own server with a self-signed certificate. */
  allowInsecureTls?: boolean | undefined
  timeouts?: Partial<SmtpTimeouts> | undefined
}

export type SmtpTimeouts = {
  connectMs: number
  greetingMs: number
  silenceMs: number
  /** Time limit for the reply to the final dot. Servers scan the email before they reply. */
  finalReplyMs: number
}

/**
 * The final reply may take longer than other replies, because without it, nobody knows whether the email was delivered.
 * Its limit is shorter than the ten minutes that RFC 5321 section 4.5.3.2.6 recommends, because sends to a server that
 * hangs would otherwise occupy the engine past their leases.
 */
export const defaultTimeouts: SmtpTimeouts = {
  connectMs: 15_000,
  greetingMs: 15_000,
  silenceMs: 60_000,
  finalReplyMs: 100_000,
}

/** Time limits for connections whose result a user is waiting for. */
export const shortTimeouts: SmtpTimeouts = {
  connectMs: 10_000,
  greetingMs: 10_000,
  silenceMs: 15_000,
  finalReplyMs: 15_000,
}

const QUIT_TIMEOUT_MS = 5_000
const maxResponseBytes = 64 * 1024

/** Connects, starts TLS when configured, and signs in. Throws SmtpError. */
export async function openConnection(settings: SmtpSettings): Promise<SMTPConnection> {
  let phase: SmtpPhase = 'connect'
  let connection: SMTPConnection | undefined
  try {
    const pending = createConnection(settings, await connectSocket(settings))
    connection = pending
    await awaitCallback(pending, done => pending.connect(done))
    phase = 'auth'
    await signIn(pending, settings)
    return pending
  } catch (cause) {
    connection?.close()
    throw new SmtpError(toOpenFailure(cause, phase, `${settings.host}:${settings.port}`), cause)
  }
}

/** Sends QUIT and closes the connection within five seconds. */
export async function quitConnection(connection: SMTPConnection): Promise<void> {
  if (!connection.destroyed) {
    const ended = once(connection, 'end', { signal: AbortSignal.timeout(QUIT_TIMEOUT_MS) })
    connection.quit()
    await ended.catch(() => undefined)
  }
  connection.close()
}

/** Converts a callback of the library to a promise that also rejects when the connection is lost. */
export function awaitCallback<T>(
  connection: SMTPConnection,
  start: (done: (error?: Error | null, value?: T) => void) => void,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  // Waits for a turn of the event loop: in the same turn, the library may call the callback with the actual reason.
  const onEnd = () => setImmediate(reject, new Error('The connection was closed'))
  connection.once('error', reject).once('end', onEnd)
  start((error, value) => (error ? reject(error) : resolve(value as T)))
  return promise.finally(() => connection.off('error', reject).off('end', onEnd))
}

function createConnection(settings: SmtpSettings, socket: Socket): SMTPConnection {
  const timeouts = { ...defaultTimeouts, ...settings.timeouts }
  const connection = new SMTPConnection({
    connection: socket,
    host: normalizeHost(settings.host),
    port: settings.port,
    secure: settings.tls === 'implicit',
    requireTLS: settings.tls === 'starttls',
    ignoreTLS: settings.tls === 'none',
    tls: { rejectUnauthorized: !settings.allowInsecureTls, minVersion: 'TLSv1.2' },
    ...(settings.name && { name: settings.name }),
    connectionTimeout: timeouts.connectMs,
    greetingTimeout: timeouts.greetingMs,
    socketTimeout: timeouts.silenceMs,
    // Destroys the socket on close: a graceful close would flush the end of the message, which the gate holds back.
    socketCloseTimeout: 0,
    maxResponseSize: maxResponseBytes,
    ...(settings.accessToken && { customAuth: { [TOKEN_METHOD]: signInWithToken } }),
  })
  // An idle connection that breaks must not crash the process. Its owner handles the event 'end'.
  connection.on('error', () => undefined)
  return connection
}

async function connectSocket({ host, port, allowPrivateHosts, timeouts }: SmtpSettings): Promise<Socket> {
  const { address, family } = await resolveOutboundHost(host, { allowPrivate: allowPrivateHosts ?? false })
  const socket = connect({ host: address, port, family })
  // Without a listener, an error would crash the process before the library attaches its own.
  socket.on('error', () => undefined)
  try {
    await once(socket, 'connect', {
      signal: AbortSignal.timeout(timeouts?.connectMs ?? defaultTimeouts.connectMs),
    })
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}

async function signIn(
  connection: SMTPConnection,
  { user, password, accessToken }: SmtpSettings,
): Promise<void> {
  if (!user) return
  if (!connection.allowsAuth) {
    const error: NodemailerError = new Error(
      'the server does not offer authentication on this connection; check the TLS setting',
    )
    error.code = 'EAUTH'
    throw error
  }
  const auth = accessToken
    ? { method: TOKEN_METHOD, user, pass: accessToken }
    : { credentials: { user, pass: password ?? '' } }
  await awaitCallback(connection, done => connection.login(auth, done))
}

/**
 * Signs in with an access token. A server rejects the token either immediately or with a challenge, which contains the
 * reason and must be answered with an empty line. The library would then request another token; here, that is left to
 * the caller.
 */
async function signInWithToken({
  auth: { user, pass },
  sendCommand,
}: SMTPConnection.CustomAuthenticationContext): Promise<void> {
  const token = Buffer.from(`user=${user}\x01auth=Bearer ${pass}\x01\x01`).toString('base64')
  const reply = await sendCommand(`AUTH XOAUTH2 ${token}`)
  const { status, response } = reply.status === 334 ? await sendCommand('') : reply
  if (status < 200 || status >= 300) throw new Error(response)
}

function toOpenFailure(cause: unknown, phase: SmtpPhase, server: string) {
  if (cause instanceof AppError) {
    const isRefused = cause.code === 'ValidationError'
    return {
      outcome: isRefused ? ('mailbox_failed' as const) : ('server_failed' as const),
      phase,
      reason: cause.details?.[0]?.message ?? cause.message,
    }
  }
  return toFailedResult(cause as NodemailerError, phase, server)
}
