import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The final dot of an email at a server. `isAccepted`: the server accepted the email, regardless of its reply. */
export type Dot = {
  kind: 'dot'
  at: number
  to: string
  messageId: string
  isAccepted: boolean
  /** The raw email in base64. */
  wire: string
}
/** A RCPT command for this recipient at a server. */
export type Attempt = { kind: 'attempt'; at: number; to: string }
/** An operation that the API acknowledged. */
export type Acknowledgement = { kind: 'ack'; at: number; operation: string; key: string; result: unknown }

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

  acknowledge(operation: string, key: string, result: unknown): void {
    const entry: Acknowledgement = { kind: 'ack', at: performance.now(), operation, key, result }
    this.#write(entry)
    this.acknowledgements.push(entry)
  }

  /** Waits for the result and records it. Errors are not recorded but rethrown. */
  async recordResult<T>(operation: string, key: string, pending: Promise<T>): Promise<T> {
    const result = await pending
    this.acknowledge(operation, key, result)
    return result
  }

  #write(entry: object): void {
    writeSync(this.#fd, `${JSON.stringify(entry)}\n`)
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd)
    rmSync(this.#dir, { recursive: true, force: true })
  }
}
