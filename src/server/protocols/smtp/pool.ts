import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import { failpoint } from '../../kernel/failpoints.ts'
import {
  awaitCallback,
  defaultTimeouts,
  openConnection,
  quitConnection,
  type SmtpSettings,
} from './connection.ts'
import { type GatedMessage, sendThroughGate } from './gate.ts'
import { type FailedResult, isServerDown, type SendResult, SmtpError } from './result.ts'

export type SmtpPoolSettings = SmtpSettings & {
  maxConnections?: number
  /** Maximum number of sends that wait for a connection; further ones are postponed. */
  maxWaiting?: number
  maxMessagesPerConnection?: number
  /** Time until an idle connection quits. Servers drop it after a minute or more, which would fail the next attempt. */
  idleTimeoutMs?: number
}

type Session = { connection: SMTPConnection; messages: number; idleTimer?: NodeJS.Timeout }

/** Creates a pool; connections are opened on demand. */
export function openSmtpPool(settings: SmtpPoolSettings): SmtpPool {
  return new SmtpPool(settings)
}

/** Signs in and quits; `reason` is a sentence for the person who configures the mailbox. */
export async function verifySmtp(
  settings: SmtpSettings,
): Promise<{ ok: true } | { ok: false; reason: string; isServerDown: boolean; result: FailedResult }> {
  try {
    await quitConnection(await openConnection(settings))
    return { ok: true }
  } catch (error) {
    if (error instanceof SmtpError)
      return {
        ok: false,
        reason: error.message,
        isServerDown: isServerDown(error.result),
        result: error.result,
      }
    throw error
  }
}

/**
 * A pool of connections to one mail server. nodemailer's own pool can't be gated: it buffers a message before the
 * server has accepted it.
 */
export class SmtpPool implements AsyncDisposable {
  readonly #settings: SmtpPoolSettings
  readonly #idle: Session[] = []
  readonly #waiting: ((isAdmitted: boolean) => void)[] = []
  readonly #quitting = new Set<Promise<void>>()
  #busy = 0
  #isClosed = false
  #onDrained: (() => void) | undefined

  constructor(settings: SmtpPoolSettings) {
    this.#settings = settings
  }

  /**
   * Sends a message. Resolves with a result for any failure of the server or the network; rejects only with the gate's
   * errors.
   */
  async send(message: GatedMessage): Promise<SendResult> {
    if (!(await this.#acquire())) {
      const reason = this.#isClosed
        ? 'The connections to the mail server are closing'
        : 'Too many messages are waiting for the mail server'
      return { outcome: 'postponed', reason }
    }
    try {
      await failpoint('smtp.admitted', this.#server)
      return await this.#sendOverConnection(message)
    } catch (error) {
      if (error instanceof SmtpError) return error.result
      throw error
    } finally {
      this.#release()
    }
  }

  /** Waits for messages in flight, bounded by their timeouts and gates, then quits. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    for (const wake of this.#waiting.splice(0)) wake(false)
    if (this.#busy > 0) await new Promise<void>(resolve => (this.#onDrained = resolve))
    for (const session of this.#idle.splice(0)) this.#quit(session)
    await Promise.all(this.#quitting)
  }

  /** Waits for a connection slot; returns false when the queue is full or the pool closes. */
  async #acquire(): Promise<boolean> {
    const { maxConnections = 2, maxWaiting = 100 } = this.#settings
    if (this.#isClosed) return false
    if (this.#busy < maxConnections) {
      this.#busy += 1
      return true
    }
    if (this.#waiting.length >= maxWaiting) return false
    return new Promise(resolve => this.#waiting.push(resolve))
  }

  #release(): void {
    const next = this.#waiting.shift()
    if (next) next(true)
    else this.#busy -= 1
    if (this.#busy === 0) this.#onDrained?.()
  }

  async #sendOverConnection(message: GatedMessage): Promise<SendResult> {
    for (;;) {
      const reused = this.#idle.pop()
      const session = reused ?? (await this.#open())
      clearTimeout(session.idleTimer)
      let isKept = false
      try {
        if (!reused) await failpoint('smtp.connected', this.#server)
        await failpoint('smtp.envelope', this.#server)
        const result = await sendThroughGate(session.connection, message, this.#server, {
          ...defaultTimeouts,
          ...this.#settings.timeouts,
        })
        session.messages += 1
        // The server may have dropped an idle connection. The gate has not been called yet, so try another connection.
        const isStale = reused && result.outcome === 'server_failed' && result.phase === 'envelope'
        if (isStale) continue
        isKept = await this.#keep(session, result)
        return result
      } finally {
        if (!isKept) this.#quit(session)
      }
    }
  }

  get #server(): string {
    return `${this.#settings.host}:${this.#settings.port}`
  }

  async #open(): Promise<Session> {
    await failpoint('smtp.connecting', this.#server)
    const session: Session = { connection: await openConnection(this.#settings), messages: 0 }
    session.connection.once('end', () => this.#removeIdle(session))
    return session
  }

  /** Puts a healthy connection back into the idle list; returns false when it can't be reused. */
  async #keep(session: Session, result: SendResult): Promise<boolean> {
    const { maxMessagesPerConnection = 100, idleTimeoutMs = 30_000 } = this.#settings
    const { connection } = session
    const wasRejected = result.outcome === 'rejected' || result.outcome === 'deferred'
    if (!(wasRejected || result.outcome === 'sent') || session.messages >= maxMessagesPerConnection)
      return false
    if (wasRejected && !(await tryReset(connection))) return false
    if (connection.destroyed || this.#isClosed) return false
    session.idleTimer = setTimeout(() => {
      this.#removeIdle(session)
      this.#quit(session)
    }, idleTimeoutMs)
    this.#idle.push(session)
    return true
  }

  #removeIdle(session: Session): void {
    clearTimeout(session.idleTimer)
    const index = this.#idle.indexOf(session)
    if (index >= 0) this.#idle.splice(index, 1)
  }

  #quit({ connection, idleTimer }: Session): void {
    clearTimeout(idleTimer)
    const quitting = quitConnection(connection).finally(() => this.#quitting.delete(quitting))
    this.#quitting.add(quitting)
  }
}

async function tryReset(connection: SMTPConnection): Promise<boolean> {
  return awaitCallback(connection, done => connection.reset(done)).then(
    () => true,
    () => false,
  )
}
