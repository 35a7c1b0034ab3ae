import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A server received the final dot of an email. `isAccepted`: it accepted the mail, whatever it replied. */
export type Dot = {
  kind: 'dot'
  at: number
  to: string
  messageId: string
  isAccepted: boolean
  /** The raw mail in base64. */
  wire: string
}
/** A server received RCPT for this recipient. */
export type Attempt = { kind: 'attempt'; at: number; to: string }
/** The API acknowledged an operation. */
export type Acknowledgement = { kind: 'ack'; at: number; operation: string; key: string; answer: unknown }

/**
 * An append-only record of what the outside world saw, written before the system can react. One process writes it, so
 * all times come from one clock.
 */
export class Journal implements Disposable {
  readonly dots: Dot[] = []
  readonly attempts: Attempt[] = []
  readonly acknowledgements: Acknowledgement[] = []
  readonly #dir = mkdtempSync(join(tmpdir(), 'overture-journal-'))
  readonly file = join(this.#dir, 'journal.jsonl')
  readonly #fd = openSync(this.file, 'a')

  dot(dot: Omit<Dot, 'kind' | 'at'>): void {
    const entry: Dot = { kind: 'dot', at: performance.now(), ...dot }
    this.#write(entry)
    this.dots.push({ ...entry, wire: '' })
  }

  attempt(to: string): void {
    const entry: Attempt = { kind: 'attempt', at: performance.now(), to }
    this.#write(entry)
    this.attempts.push(entry)
  }

  acknowledge(operation: string, key: string, answer: unknown): void {
    const entry: Acknowledgement = { kind: 'ack', at: performance.now(), operation, key, answer }
    this.#write(entry)
    this.acknowledgements.push(entry)
  }

  /** Waits for the answer and records it. A failure is not recorded, and is rethrown. */
  async recordAnswer<T>(operation: string, key: string, pending: Promise<T>): Promise<T> {
    const answer = await pending
    this.acknowledge(operation, key, answer)
    return answer
  }

  #write(entry: object): void {
    writeSync(this.#fd, `${JSON.stringify(entry)}\n`)
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd)
    rmSync(this.#dir, { recursive: true, force: true })
  }
}
