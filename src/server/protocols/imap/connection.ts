import { once } from 'node:events'
import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ImapFlow } from 'imapflow'
import { AppError } from '../../kernel/errors.ts'
import { type AllowPrivate, normalizeHost, resolveOutboundHost } from '../../kernel/net/outbound-host.ts'

export type ImapSettings = {
  host: string
  port: number
  /** `implicit`: TLS from the first byte; `starttls`: TLS or nothing; `none`: plain text. */
  tls: 'none' | 'starttls' | 'implicit'
  user: string
  password: string
  /** For an operator's own server on a private network. */
  allowPrivateHosts?: AllowPrivate | undefined
  timeouts?: Partial<ImapTimeouts> | undefined
  /** Ends the connection at once, whatever it is doing. */
  signal?: AbortSignal | undefined
}

/** `answerMs`: how long the server may take over one command. */
export type ImapTimeouts = { connectMs: number; greetingMs: number; answerMs: number }

const defaultTimeouts: ImapTimeouts = { connectMs: 15_000, greetingMs: 15_000, answerMs: 60_000 }
/** What a mail holds beyond this is not read: what its sender wrote stands before the attachments. */
const maxMailBytes = 10 * 1024 * 1024
const maxResponseBytes = 2 * maxMailBytes
const logoutMs = 5_000

/** What went wrong, as a sentence for the person who set the mailbox up. */
export class ImapError extends Error {
  override name = 'ImapError'
  /** User name or password are wrong: trying again soon only gets the account locked. */
  isSignInRefused = false
}

/** `all` is where some providers show every mail once more. */
export type MailFolder = { path: string; role: 'inbox' | 'junk' | 'archive' | 'trash' | 'sent' | 'all' }
/** `isInSent`: Gmail has it in the folder of sent mails, wherever it is shown. */
type FetchedMail = { raw: Buffer; arrivedAt: Date; isDraft: boolean; isInSent: boolean }
/** UIDs are good for one uidValidity alone; mail to come gets `uidNext` or more, where the server tells. */
export type FolderState = { uidValidity: bigint; uidNext: number | undefined }

/**
 * One signed-in connection, for one life: a client that lost its connection is never used again. The library may
 * leave a command unanswered when the connection ends beneath it, so each is raced against that end and the clock.
 */
export class ImapConnection implements AsyncDisposable {
  readonly #client: ImapFlow
  readonly #answerMs: number
  readonly #ended: Promise<never>
  #hasNews = false

  private constructor(client: ImapFlow, answerMs: number) {
    this.#client = client
    this.#answerMs = answerMs
    const { promise, reject } = Promise.withResolvers<never>()
    promise.catch(() => undefined)
    this.#ended = promise
    // Without a listener an error of an idle connection would end the process.
    client.on('error', (error: Error) => reject(new ImapError(error.message, { cause: error })))
    client.on('close', () => reject(new ImapError('The connection was closed')))
    client.on('exists', () => {
      this.#hasNews = true
    })
  }

  /** Connected, under TLS where asked for, and signed in. Throws ImapError. */
  static async open(settings: ImapSettings): Promise<ImapConnection> {
    const timeouts = { ...defaultTimeouts, ...settings.timeouts }
    const client = new ImapFlow({
      ...(await addressOf(settings)),
      port: settings.port,
      secure: settings.tls === 'implicit',
      ...(settings.tls !== 'implicit' && { doSTARTTLS: settings.tls === 'starttls' }),
      tls: { minVersion: 'TLSv1.2' },
      auth: { user: settings.user, pass: settings.password },
      logger: false,
      disableAutoIdle: true,
      disableCompression: true,
      connectionTimeout: timeouts.connectMs,
      greetingTimeout: timeouts.greetingMs,
      maxLineLength: maxResponseBytes,
      maxLiteralSize: maxMailBytes + 1,
      maxResponseSize: maxResponseBytes,
    })
    const connection = new ImapConnection(client, timeouts.answerMs)
    settings.signal?.addEventListener('abort', () => client.close(), { once: true })
    try {
      settings.signal?.throwIfAborted()
      const openingMs = timeouts.connectMs + timeouts.greetingMs + timeouts.answerMs
      await connection.#answered(client.connect(), openingMs)
      return connection
    } catch (fault) {
      client.close()
      throw openingFault(fault as Error, settings)
    }
  }

  /** The folders that matter: by their special use (RFC 6154), else by the names they usually have. */
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
    for (const { path, flags, specialUse = '' } of await this.#answered(this.#client.list())) {
      const role = roles[specialUse]
      if (role && !found.has(role) && !flags.has('\\Noselect')) found.set(role, { path, role })
    }
    if (!found.has('inbox')) found.set('inbox', { path: 'INBOX', role: 'inbox' })
    return [...found.values()]
  }

  /** Opened to read alone: nothing is marked as seen. */
  async openFolder(path: string): Promise<FolderState> {
    this.#hasNews = false
    const { uidValidity, uidNext } = await this.#answered(this.#client.mailboxOpen(path, { readOnly: true }))
    return { uidValidity, uidNext }
  }

  /** Ascending, those of the open folder that are greater. */
  async listUidsAfter(uid: number): Promise<number[]> {
    this.#hasNews = false
    // n:* names the last message even when its UID is less than n (RFC 9051 section 9, seq-range).
    return (await this.#search({ uid: `${uid + 1}:*` })).filter(found => found > uid)
  }

  /** Ascending, what the open folder got since that day; a day earlier too, as servers have time zones of their own. */
  listUidsSince(day: Date): Promise<number[]> {
    return this.#search({ since: new Date(day.getTime() - 24 * 60 * 60_000) })
  }

  /** Whether the open folder holds a mail with this header. */
  async hasHeader(name: string, value: string): Promise<boolean> {
    return (await this.#search({ header: { [name]: value } })).length > 0
  }

  /** The raw mail, cut where it gets too long; undefined when it is gone. */
  async fetch(uid: number, maxBytes = maxMailBytes): Promise<FetchedMail | undefined> {
    const query = { source: { maxLength: maxBytes }, internalDate: true, flags: true, labels: true }
    // The answer may tell of other mails too, and of this one's flags alone (RFC 9051 section 7.5.2).
    const told = await this.#answered(this.#client.fetchAll(String(uid), query, { uid: true }))
    const mail = told.find(each => each.uid === uid && each.source?.length)
    if (!mail?.source) {
      if ((await this.#search({ uid: String(uid) })).length === 0) return undefined
      throw new ImapError('The server did not give out a mail that it has')
    }
    const arrivedAt = new Date(mail.internalDate ?? Number.NaN)
    return {
      raw: mail.source,
      arrivedAt: Number.isNaN(arrivedAt.getTime()) ? new Date() : arrivedAt,
      isDraft: mail.flags?.has('\\Draft') ?? false,
      isInSent: mail.labels?.has('\\Sent') ?? false,
    }
  }

  /** Until the server tells of new mail in the open folder, the time is over or the signal comes. */
  async waitForNewMail(longestMs: number, signal: AbortSignal): Promise<void> {
    if (this.#hasNews || signal.aborted) return
    const over = new AbortController()
    const whichever = AbortSignal.any([over.signal, signal])
    const idling = this.#client.idle().catch(() => undefined)
    try {
      const news = once(this.#client, 'exists', { signal: whichever }).catch(() => undefined)
      const time = sleep(longestMs, undefined, { signal: whichever }).catch(() => undefined)
      await Promise.race([news, time, this.#ended])
    } finally {
      over.abort()
    }
    // Its answer shows that the server is still there; it ends the idling too.
    await this.#answered(this.#client.noop())
    await this.#answered(idling)
  }

  /** Says goodbye; a server that does not answer is left after a moment. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#answered(this.#client.logout(), logoutMs).catch(() => undefined)
    this.#client.close()
  }

  async #search(query: Parameters<ImapFlow['search']>[0]): Promise<number[]> {
    const found = await this.#answered(this.#client.search(query, { uid: true }))
    if (!Array.isArray(found)) throw new ImapError('The server could not search the folder')
    return found.sort((a, b) => a - b)
  }

  async #answered<T>(command: Promise<T>, longestMs = this.#answerMs): Promise<T> {
    const over = new AbortController()
    const deadline = sleep(longestMs, undefined, { signal: over.signal }).then(
      () => {
        this.#client.close()
        throw new ImapError('The server did not answer in time')
      },
      () => undefined as never,
    )
    try {
      // The end comes first: once closed, the library answers to a fetch as if the mail were gone.
      return await Promise.race([this.#ended, command, deadline])
    } catch (fault) {
      command.catch(() => undefined)
      throw fault instanceof ImapError
        ? fault
        : new ImapError(saidBy(fault as ImapFlowError), { cause: fault })
    } finally {
      over.abort()
    }
  }
}

/** Signs in and leaves. */
export async function verifyImap(
  settings: ImapSettings,
): Promise<{ ok: true } | { ok: false; reason: string }> {
  try {
    await using connection = await ImapConnection.open(settings)
    await connection.openFolder('INBOX')
    return { ok: true }
  } catch (fault) {
    if (fault instanceof ImapError) return { ok: false, reason: fault.message }
    throw fault
  }
}

type ImapFlowError = Error & { code?: string; authenticationFailed?: boolean; responseText?: string }

/** The address is looked up once; the name stays for TLS alone. */
async function addressOf({
  host,
  allowPrivateHosts,
}: ImapSettings): Promise<{ host: string; servername?: string }> {
  try {
    const { address } = await resolveOutboundHost(host, { allowPrivate: allowPrivateHosts ?? false })
    const name = normalizeHost(host)
    // RFC 6066 section 3: an address is no server name.
    return { host: address, ...(!isIP(name) && { servername: name }) }
  } catch (fault) {
    if (fault instanceof AppError)
      throw new ImapError(fault.details?.[0]?.message ?? fault.message, { cause: fault })
    throw fault
  }
}

function openingFault(fault: Error, { host, port }: ImapSettings): ImapError {
  const cause = (fault instanceof ImapError ? (fault.cause ?? fault) : fault) as ImapFlowError
  const told = (what: string) => new ImapError(`${host}:${port} ${what}: ${saidBy(cause)}`, { cause: fault })
  if (cause.authenticationFailed)
    return Object.assign(told('did not accept user name and password'), { isSignInRefused: true })
  return told(isTlsFault(cause) ? 'offers no TLS that can be trusted' : 'cannot be reached')
}

const isTlsFault = ({ code = '' }: ImapFlowError): boolean => /CERT|SSL|TLS|VERIFY/.test(code)

const saidBy = ({ responseText, message }: ImapFlowError): string => (responseText || message).slice(0, 500)
