import { once } from 'node:events'
import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ImapFlow } from 'imapflow'
import { AppError } from '../../kernel/errors.ts'
import { type AllowPrivate, normalizeHost, resolveOutboundHost } from '../../kernel/net/outbound-host.ts'

export type ImapSettings = {
  host: string
  port: number
  /** `implicit`: TLS from the first byte; `starttls`: upgrade to TLS, which is required; `none`: plain text. */
  tls: 'none' | 'starttls' | 'implicit'
  user: string
  password: string
  /** An OAuth access token, which is used instead of the password. */
  accessToken?: string | undefined
  /** Allows private addresses, for the operator's own server on a private network. */
  allowPrivateHosts?: AllowPrivate | undefined
  timeouts?: Partial<ImapTimeouts> | undefined
  /** Aborting it closes the connection immediately, even during a command. */
  signal?: AbortSignal | undefined
}

/** Time limits; `answerMs` bounds each command. */
export type ImapTimeouts = { connectMs: number; greetingMs: number; answerMs: number }

const defaultTimeouts: ImapTimeouts = { connectMs: 15_000, greetingMs: 15_000, answerMs: 60_000 }
/** Emails are fetched up to this size. Their text precedes the attachments, and attachments over 10 MB are not kept. */
const MAX_MAIL_BYTES = 15 * 1024 * 1024
const MAX_RESPONSE_BYTES = 2 * MAX_MAIL_BYTES
const LOGOUT_TIMEOUT_MS = 5_000
/** Minimum speed at which a server must accept an email before the command times out. */
const MIN_UPLOAD_BYTES_PER_MS = 50

/** An IMAP failure; `message` is a sentence for the person who configures the mailbox. */
export class ImapError extends Error {
  override name = 'ImapError'
  /** True when the server rejected the credentials. Retrying soon would only lock the account. */
  isSignInRefused = false
}

/** A folder with a known role. Some providers list every email a second time in the folder `all`. */
export type MailFolder = { path: string; role: 'inbox' | 'junk' | 'archive' | 'trash' | 'sent' | 'all' }
/** A fetched email. `isInSent` and `isInInbox` are set from Gmail's labels, which are the same in every folder. */
type FetchedMail = { raw: Buffer; arrivedAt: Date; isDraft: boolean; isInSent: boolean; isInInbox: boolean }
/** The state of a folder. UIDs are valid for one `uidValidity` only. New mail gets UIDs of at least `uidNext`. */
export type FolderState = { uidValidity: bigint; uidNext: number | undefined }

/**
 * An authenticated connection, which is never reused once it is lost. The library may leave a command pending when the
 * connection closes, so each command also ends with the connection or at a deadline.
 */
export class ImapConnection implements AsyncDisposable {
  readonly #client: ImapFlow
  readonly #answerMs: number
  readonly #ended: Promise<never>
  #hasNewMail = false

  private constructor(client: ImapFlow, answerMs: number) {
    this.#client = client
    this.#answerMs = answerMs
    const { promise, reject } = Promise.withResolvers<never>()
    promise.catch(() => undefined)
    this.#ended = promise
    // Without a listener, an error of an idle connection would crash the process.
    client.on('error', (error: Error) => reject(new ImapError(error.message, { cause: error })))
    client.on('close', () => reject(new ImapError('The connection was closed')))
    client.on('exists', () => {
      this.#hasNewMail = true
    })
  }

  /** Connects, starts TLS when configured, and signs in. Throws ImapError. */
  static async open(settings: ImapSettings): Promise<ImapConnection> {
    const timeouts = { ...defaultTimeouts, ...settings.timeouts }
    const client = new ImapFlow({
      ...(await resolveServer(settings)),
      port: settings.port,
      secure: settings.tls === 'implicit',
      ...(settings.tls !== 'implicit' && { doSTARTTLS: settings.tls === 'starttls' }),
      tls: { minVersion: 'TLSv1.2' },
      auth: {
        user: settings.user,
        ...(settings.accessToken ? { accessToken: settings.accessToken } : { pass: settings.password }),
      },
      logger: false,
      disableAutoIdle: true,
      disableCompression: true,
      connectionTimeout: timeouts.connectMs,
      greetingTimeout: timeouts.greetingMs,
      maxLineLength: MAX_RESPONSE_BYTES,
      maxLiteralSize: MAX_MAIL_BYTES + 1,
      maxResponseSize: MAX_RESPONSE_BYTES,
    })
    const connection = new ImapConnection(client, timeouts.answerMs)
    settings.signal?.addEventListener('abort', () => client.close(), { once: true })
    try {
      settings.signal?.throwIfAborted()
      const openTimeoutMs = timeouts.connectMs + timeouts.greetingMs + timeouts.answerMs
      await connection.#withDeadline(client.connect(), openTimeoutMs)
      return connection
    } catch (error) {
      client.close()
      throw toOpenError(error as Error, settings)
    }
  }

  /** Lists relevant folders by their special use (RFC 6154), which the library also infers from common names. */
  async listFolders(): Promise<MailFolder[]> {
    const roles: Record<string, MailFolder['role']> = {
      '\\Inbox': 'inbox',
      '\\Junk': 'junk',
      '\\Archive': 'archive',
      '\\Trash': 'trash',
      '\\Sent': 'sent',
      '\\All': 'all',
    }
    const found = new Map<MailFolder['role'], MailFolder>()
    for (const { path, flags, specialUse = '' } of await this.#withDeadline(this.#client.list())) {
      const role = roles[specialUse]
      if (role && !found.has(role) && !flags.has('\\Noselect')) found.set(role, { path, role })
    }
    if (!found.has('inbox')) found.set('inbox', { path: 'INBOX', role: 'inbox' })
    return [...found.values()]
  }

  /** Returns true for Gmail, where `all` lists each email outside junk and trash once, with its folders as labels. */
  get hasLabels(): boolean {
    return this.#client.capabilities.has('X-GM-EXT-1')
  }

  /** Opens a folder read-only, so that no email is marked as seen. */
  async openFolder(path: string): Promise<FolderState> {
    this.#hasNewMail = false
    const { uidValidity, uidNext } = await this.#withDeadline(
      this.#client.mailboxOpen(path, { readOnly: true }),
    )
    return { uidValidity, uidNext }
  }

  /** Lists the UIDs in the open folder that are greater than `uid`, ascending. */
  async listUidsAfter(uid: number): Promise<number[]> {
    this.#hasNewMail = false
    // n:* includes the last message even when its UID is less than n (RFC 9051 section 9, seq-range).
    return (await this.#search({ uid: `${uid + 1}:*` })).filter(found => found > uid)
  }

  /** Lists the UIDs of mail since `day`, ascending. Starts a day early, because servers use their own time zones. */
  listUidsSince(day: Date): Promise<number[]> {
    return this.#search({ since: new Date(day.getTime() - 24 * 60 * 60_000) })
  }

  /** Reports whether the open folder contains an email with this header. */
  async hasHeader(name: string, value: string): Promise<boolean> {
    return (await this.#search({ header: { [name]: value } })).length > 0
  }

  /** Stores an email in a folder, marked as seen, and closes the open folder. */
  async append(path: string, raw: Buffer): Promise<void> {
    // While a folder is open read-only, the library drops flags.
    await this.#withDeadline(this.#client.mailboxClose())
    const timeoutMs = this.#answerMs + raw.length / MIN_UPLOAD_BYTES_PER_MS
    const appended = await this.#withDeadline(this.#client.append(path, raw, ['\\Seen']), timeoutMs)
    if (!appended) throw new ImapError(`The server did not store an email in the folder ${path}`)
  }

  /** Fetches a raw email, truncated to `maxBytes`; undefined when it no longer exists. */
  async fetch(uid: number, maxBytes = MAX_MAIL_BYTES): Promise<FetchedMail | undefined> {
    const query = { source: { maxLength: maxBytes }, internalDate: true, flags: true, labels: true }
    // The response may include other emails, or only flags of this one (RFC 9051 section 7.5.2).
    const fetched = await this.#withDeadline(this.#client.fetchAll(String(uid), query, { uid: true }))
    const mail = fetched.find(each => each.uid === uid && each.source?.length)
    if (!mail?.source) {
      if ((await this.#search({ uid: String(uid) })).length === 0) return undefined
      throw new ImapError('The server did not return an email that is still in the folder')
    }
    const arrivedAt = new Date(mail.internalDate ?? Number.NaN)
    return {
      raw: mail.source,
      arrivedAt: Number.isNaN(arrivedAt.getTime()) ? new Date() : arrivedAt,
      isDraft: [mail.flags, mail.labels].some(marks => marks?.has('\\Draft')),
      isInSent: mail.labels?.has('\\Sent') ?? false,
      isInInbox: mail.labels?.has('\\Inbox') ?? false,
    }
  }

  /** Resolves when the server announces new mail in the open folder, on timeout, or when the signal aborts. */
  async waitForNewMail(timeoutMs: number, signal: AbortSignal): Promise<void> {
    if (this.#hasNewMail || signal.aborted) return
    const timer = new AbortController()
    const anySignal = AbortSignal.any([timer.signal, signal])
    const idling = this.#client.idle().catch(() => undefined)
    try {
      const newMail = once(this.#client, 'exists', { signal: anySignal }).catch(() => undefined)
      const timeout = sleep(timeoutMs, undefined, { signal: anySignal }).catch(() => undefined)
      await Promise.race([newMail, timeout, this.#ended])
    } finally {
      timer.abort()
    }
    // Ends IDLE and checks that the server still responds.
    await this.#withDeadline(this.#client.noop())
    await this.#withDeadline(idling)
  }

  /** Logs out and closes the connection within five seconds. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#withDeadline(this.#client.logout(), LOGOUT_TIMEOUT_MS).catch(() => undefined)
    this.#client.close()
  }

  async #search(query: Parameters<ImapFlow['search']>[0]): Promise<number[]> {
    const found = await this.#withDeadline(this.#client.search(query, { uid: true }))
    if (!Array.isArray(found)) throw new ImapError('The server could not search the folder')
    return found.sort((a, b) => a - b)
  }

  async #withDeadline<T>(command: Promise<T>, timeoutMs = this.#answerMs): Promise<T> {
    const timer = new AbortController()
    const deadline = sleep(timeoutMs, undefined, { signal: timer.signal }).then(
      () => {
        this.#client.close()
        throw new ImapError('The server did not respond in time')
      },
      () => undefined as never,
    )
    try {
      // `#ended` comes first: after the connection closes, the library reports a fetched email as missing.
      return await Promise.race([this.#ended, command, deadline])
    } catch (error) {
      command.catch(() => undefined)
      throw error instanceof ImapError
        ? error
        : new ImapError(getServerMessage(error as ImapFlowError), { cause: error })
    } finally {
      timer.abort()
    }
  }
}

type ImapFlowError = Error & {
  code?: string
  authenticationFailed?: boolean
  responseText?: string
  response?: unknown
  serverResponseCode?: string
}

/** Response codes (RFC 5530) of servers that temporarily reject sign-ins, even with the right credentials. */
const temporaryCodes = ['UNAVAILABLE', 'INUSE', 'LIMIT', 'SERVERBUG', 'CONTACTADMIN']

/**
 * Reports whether the server rejected the credentials. The library reports every NO to a sign-in as an authentication
 * failure, even when the server has too many connections.
 */
const isRefusal = ({ authenticationFailed, serverResponseCode = '', response }: ImapFlowError): boolean =>
  authenticationFailed === true &&
  !temporaryCodes.includes(serverResponseCode.toUpperCase()) &&
  !/too many (?:simultaneous )?connections|try again later/i.test(String(response ?? ''))

/** Resolves the host name once. The connection uses the address, and uses the name only for TLS. */
async function resolveServer({
  host,
  allowPrivateHosts,
}: ImapSettings): Promise<{ host: string; servername?: string }> {
  try {
    const { address } = await resolveOutboundHost(host, { allowPrivate: allowPrivateHosts ?? false })
    const name = normalizeHost(host)
    // RFC 6066 section 3: an IP address is not a server name.
    return { host: address, ...(!isIP(name) && { servername: name }) }
  } catch (error) {
    if (error instanceof AppError)
      throw new ImapError(error.details?.[0]?.message ?? error.message, { cause: error })
    throw error
  }
}

function toOpenError(error: Error, { host, port, accessToken }: ImapSettings): ImapError {
  const cause = (error instanceof ImapError ? (error.cause ?? error) : error) as ImapFlowError
  const toError = (problem: string) =>
    new ImapError(`${host}:${port} ${problem}: ${getServerMessage(cause)}`, { cause: error })
  const credentials = accessToken
    ? 'access token, or does not offer IMAP for this mailbox'
    : 'user name or password'
  if (isRefusal(cause))
    return Object.assign(toError(`rejected the ${credentials}`), { isSignInRefused: true })
  if (cause.authenticationFailed) return toError('is temporarily rejecting sign-ins')
  return toError(isTlsError(cause) ? 'failed to establish TLS' : 'cannot be reached')
}

const isTlsError = ({ code = '' }: ImapFlowError): boolean => /CERT|SSL|TLS|VERIFY/.test(code)

function getServerMessage({ responseText, message }: ImapFlowError): string {
  const text = (responseText || message).slice(0, 500)
  // Exchange Online accepts the sign-in and returns this text when a folder is opened.
  return /authenticated but not connected/i.test(text)
    ? `${text} (IMAP is turned off for this mailbox, it has no license, or the account that signed in has no access to it; an administrator can run: Set-CASMailbox -Identity <address> -ImapEnabled $true, and for a shared mailbox: Add-MailboxPermission <address> -User <user> -AccessRights FullAccess)`
    : text
}
