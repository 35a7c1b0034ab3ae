import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The final dot of a mail reached a server, which took the mail or didn't, whatever it answered. */
export type Dot = {
  kind: 'dot'
  at: number
  to: string
  messageId: string
  isAccepted: boolean
  /** Every byte, in base64. */
  wire: string
}
/** A mail for that recipient was begun at a server. */
export type Attempt = { kind: 'attempt'; at: number; to: string }
/** The API acknowledged something. */
export type Acknowledgement = { kind: 'ack'; at: number; operation: string; key: string; answer: unknown }

/**
 * What the world outside saw, written before the system can react to it and only ever appended to. One process keeps
 * it, so all its times come from one clock.
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

  /** Waits for the answer and notes it; what fails is not acknowledged, and is thrown on. */
  async acknowledged<T>(operation: string, key: string, asked: Promise<T>): Promise<T> {
    const answer = await asked
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
