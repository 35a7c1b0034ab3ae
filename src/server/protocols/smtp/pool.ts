import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import { failpoint } from '../../kernel/failpoints.ts'
import { awaitCallback, openConnection, quitConnection, type SmtpSettings } from './connection.ts'
import { type GatedMessage, sendThroughGate } from './gate.ts'
import { isServerDown, type SendResult, SmtpError } from './result.ts'

export type SmtpPoolSettings = SmtpSettings & {
  maxConnections?: number
  /** Senders that may wait for a connection; more are turned away at once. */
  maxWaiting?: number
  maxMessagesPerConnection?: number
  /** Servers drop idle clients after a minute or more; leaving first spares a failed attempt. */
  idleTimeoutMs?: number
}

type Session = { connection: SMTPConnection; messages: number; idleTimer?: NodeJS.Timeout }

/** Opens nothing yet: the first message does. */
export function openSmtpPool(settings: SmtpPoolSettings): SmtpPool {
  return new SmtpPool(settings)
}

/** Signs in and leaves; `reason` is a sentence for the person who set the mailbox up. */
export async function verifySmtp(
  settings: SmtpSettings,
): Promise<{ ok: true } | { ok: false; reason: string; isServerDown: boolean }> {
  try {
    await quitConnection(await openConnection(settings))
    return { ok: true }
  } catch (fault) {
    if (fault instanceof SmtpError)
      return { ok: false, reason: fault.message, isServerDown: isServerDown(fault.result) }
    throw fault
  }
}

/**
 * Connections to one mail server, reused while they hold. nodemailer's own pool can't be gated: it
 * reads a message into a buffer of its own before the server has said that it wants it.
 */
export class SmtpPool implements AsyncDisposable {
  readonly #settings: SmtpPoolSettings
  readonly #idle: Session[] = []
  readonly #waiting: ((hasPlace: boolean) => void)[] = []
  readonly #leaving = new Set<Promise<void>>()
  #busy = 0
  #isClosed = false
  #onDrained: (() => void) | undefined

  constructor(settings: SmtpPoolSettings) {
    this.#settings = settings
  }

  /** Answers for everything that a server or network does; throws only what the gate throws. */
  async send(message: GatedMessage): Promise<SendResult> {
    if (!(await this.#enter())) {
      const reason = this.#isClosed
        ? 'The connections to the mail server are being closed'
        : 'Too many messages wait for the mail server'
      return { outcome: 'postponed', reason }
    }
    try {
      await failpoint('smtp.admitted', this.#where)
      return await this.#sendOverSome(message)
    } catch (fault) {
      if (fault instanceof SmtpError) return fault.result
      throw fault
    } finally {
      this.#leave()
    }
  }

  /** Waits for the messages under way, bounded by their timeouts and gates, then says goodbye. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    for (const wake of this.#waiting.splice(0)) wake(false)
    if (this.#busy > 0) await new Promise<void>(resolve => (this.#onDrained = resolve))
    for (const session of this.#idle.splice(0)) this.#quit(session)
    await Promise.all(this.#leaving)
  }

  /** Waits for a place among the connections; false when there is none to be had. */
  async #enter(): Promise<boolean> {
    const { maxConnections = 2, maxWaiting = 100 } = this.#settings
    if (this.#isClosed) return false
    if (this.#busy < maxConnections) {
      this.#busy += 1
      return true
    }
    if (this.#waiting.length >= maxWaiting) return false
    return new Promise(resolve => this.#waiting.push(resolve))
  }

  #leave(): void {
    const next = this.#waiting.shift()
    if (next) next(true)
    else this.#busy -= 1
    if (this.#busy === 0) this.#onDrained?.()
  }

  async #sendOverSome(message: GatedMessage): Promise<SendResult> {
    for (;;) {
      const reused = this.#idle.pop()
      const session = reused ?? (await this.#open())
      clearTimeout(session.idleTimer)
      let isKept = false
      try {
        if (!reused) await failpoint('smtp.connected', this.#where)
        await failpoint('smtp.envelope', this.#where)
        const ending = await sendThroughGate(session.connection, message, this.#where)
        session.messages += 1
        // The server may have left an idle connection; the gate was not asked yet, so take another
        const isStale = reused && ending.outcome === 'server_failed' && ending.phase === 'envelope'
        if (isStale) continue
        isKept = await this.#keep(session, ending)
        return ending
      } finally {
        if (!isKept) this.#quit(session)
      }
    }
  }

  get #where(): string {
    return `${this.#settings.host}:${this.#settings.port}`
  }

  async #open(): Promise<Session> {
    await failpoint('smtp.connecting', this.#where)
    const session: Session = { connection: await openConnection(this.#settings), messages: 0 }
    session.connection.once('end', () => this.#forget(session))
    return session
  }

  /** Puts a connection that works aside for the next message. */
  async #keep(session: Session, ending: SendResult): Promise<boolean> {
    const { maxMessagesPerConnection = 100, idleTimeoutMs = 30_000 } = this.#settings
    const { connection } = session
    const wasRefused = ending.outcome === 'rejected' || ending.outcome === 'deferred'
    if (!(wasRefused || ending.outcome === 'sent') || session.messages >= maxMessagesPerConnection)
      return false
    if (wasRefused && !(await isReset(connection))) return false
    if (connection.destroyed || this.#isClosed) return false
    session.idleTimer = setTimeout(() => {
      this.#forget(session)
      this.#quit(session)
    }, idleTimeoutMs)
    this.#idle.push(session)
    return true
  }

  #forget(session: Session): void {
    clearTimeout(session.idleTimer)
    const index = this.#idle.indexOf(session)
    if (index >= 0) this.#idle.splice(index, 1)
  }

  #quit({ connection, idleTimer }: Session): void {
    clearTimeout(idleTimer)
    const leaving = quitConnection(connection).finally(() => this.#leaving.delete(leaving))
    this.#leaving.add(leaving)
  }
}

async function isReset(connection: SMTPConnection): Promise<boolean> {
  return awaitCallback(connection, done => connection.reset(done)).then(
    () => true,
    () => false,
  )
}
