import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Classified } from './classify.ts'
import type { ParseAnswer, ParseOrder } from './parse-worker.ts'

export type EmailAddress = { name: string; address: string }

/** A mail as it arrived, bounded and free of what a database or a page can't hold. */
export type ParsedEmail = {
  /** With its angle brackets, as all ids here. */
  messageId?: string | undefined
  inReplyTo?: string | undefined
  references: string[]
  from?: EmailAddress | undefined
  sender?: EmailAddress | undefined
  replyTo: EmailAddress[]
  to: EmailAddress[]
  cc: EmailAddress[]
  subject: string
  /** Missing when the header is, or speaks of a time that can't be. */
  date?: Date | undefined
  /** By lower-case name, each with all its values in their order, unfolded but not decoded. */
  headers: ReadonlyMap<string, readonly string[]>
  text?: string | undefined
  html?: string | undefined
  /** The text, or what the HTML says in words. */
  bodyText: string
  /** Of that what the sender wrote anew, without the mail that was answered. */
  newText: string
  attachments: { name: string; type: string; size: number }[]
  /** Parts that a report is made of: delivery status, feedback, and the returned message or its headers. */
  reports: ReportPart[]
  isTruncated: boolean
  /** Which limits cut it. */
  cuts: ParseCut[]
}

export type ClassifiedEmail = { email: ParsedEmail; classified: Classified }

export type ReportPart = { type: string; text: string }

export type ParseCut =
  | 'size'
  | 'lines'
  | 'parts'
  | 'structure'
  | 'headers'
  | 'text'
  | 'attachments'
  | 'reports'
  | 'time'

export type ParseLimits = {
  bytes: number
  lines: number
  parts: number
  depth: number
  headers: number
  headerBytes: number
  /** Characters of the text, and of the HTML. */
  textLength: number
  attachments: number
  reports: number
  /** Characters of each part of a report. */
  reportLength: number
  /** For one try in the worker; what takes longer is read again by its beginning, then by its header alone. */
  timeMs: number
}

export const maxEmailBytes = 25_000_000

export const defaultLimits: ParseLimits = {
  bytes: maxEmailBytes,
  lines: 400_000,
  parts: 500,
  depth: 20,
  headers: 500,
  headerBytes: 256_000,
  textLength: 500_000,
  attachments: 100,
  reports: 20,
  reportLength: 100_000,
  timeMs: 10_000,
}

const maxWaiting = 1_000
const beginningOfHangingMail = 32_000

/** No mail can be read just now: the thread that reads them does not start. */
export class ParserFault extends Error {
  override name = 'ParserFault'
}

let sharedParser: EmailParser | undefined

/**
 * What passes a limit is cut and named in `cuts`. Throws when not even the mail's header can be read, and ParserFault
 * when that is not the mail's fault. The worker behind it starts with the first mail and keeps no process alive.
 */
export function parseAndClassify(
  raw: Buffer,
  limits?: Partial<ParseLimits>,
  arrivedAt?: Date,
): Promise<ClassifiedEmail> {
  sharedParser ??= new EmailParser()
  return sharedParser.classify(raw, limits, arrivedAt)
}

export const parseEmail = async (raw: Buffer, limits?: Partial<ParseLimits>): Promise<ParsedEmail> =>
  (await parseAndClassify(raw, limits)).email

/** One worker that reads one mail after another, and is replaced when one hangs it or eats its memory. */
export class EmailParser implements AsyncDisposable {
  #worker: Worker | undefined
  #latest: Promise<unknown> = Promise.resolve()
  #waiting = 0

  async classify(
    raw: Buffer,
    limits: Partial<ParseLimits> = {},
    arrivedAt = new Date(),
  ): Promise<ClassifiedEmail> {
    if (this.#waiting >= maxWaiting)
      throw new Error('Too many mails wait to be parsed: hand in fewer at once.')
    this.#waiting += 1
    const parsed = this.#latest.then(() => this.#classifyNow(raw, { ...defaultLimits, ...limits }, arrivedAt))
    this.#latest = parsed.catch(() => undefined)
    return parsed.finally(() => {
      this.#waiting -= 1
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#latest
    await this.#endWorker()
  }

  async #classifyNow(raw: Buffer, limits: ParseLimits, arrivedAt: Date): Promise<ClassifiedEmail> {
    const whole = await this.#tryToClassify(raw, limits, arrivedAt)
    if (whole) return whole
    for (const part of [raw.subarray(0, beginningOfHangingMail), headerOf(raw)]) {
      const read = await this.#tryToClassify(part, limits, arrivedAt)
      if (!read) continue
      const cuts: ParseCut[] = [...new Set<ParseCut>([...read.email.cuts, 'time'])]
      return { ...read, email: { ...read.email, isTruncated: true, cuts } }
    }
    throw new Error('Neither the mail nor its header alone could be read')
  }

  /** Nothing when the worker hung, ran out of memory or died. */
  async #tryToClassify(
    raw: Buffer,
    limits: ParseLimits,
    arrivedAt: Date,
  ): Promise<ClassifiedEmail | undefined> {
    const worker = await this.#startedWorker()
    worker.ref()
    const bytes = new Uint8Array(raw.subarray(0, limits.bytes + 1))
    const order: ParseOrder = { raw: bytes, limits, arrivedAt }
    worker.postMessage(order, [bytes.buffer])
    const answer = await answerOf(worker, limits.timeMs)
    if (answer) worker.unref()
    else await this.#endWorker()
    return answer
  }

  async #startedWorker(): Promise<Worker> {
    if (!this.#worker) {
      const worker = new Worker(new URL('./parse-worker.ts', import.meta.url), {
        resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
      })
      await once(worker, 'message').catch(cause => {
        throw new ParserFault('The thread that reads mails does not start', { cause })
      })
      // out of memory, or a fault that is our own: its exit follows, and the next mail gets a new one
      worker.on('error', () => undefined)
      worker.once('exit', () => {
        if (this.#worker === worker) this.#worker = undefined
      })
      this.#worker = worker
    }
    return this.#worker
  }

  async #endWorker(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    await worker?.terminate()
  }
}

/** Its next message; nothing when it dies or takes longer. */
function answerOf(worker: Worker, timeMs: number): Promise<ParseAnswer | undefined> {
  const { promise, resolve } = Promise.withResolvers<ParseAnswer | undefined>()
  const fail = () => resolve(undefined)
  // An answer that came while the process stood still is heard first.
  const timer = setTimeout(() => setImmediate(fail), timeMs)
  worker.once('message', resolve).once('exit', fail)
  return promise.finally(() => {
    clearTimeout(timer)
    worker.off('message', resolve).off('exit', fail)
  })
}

function headerOf(raw: Buffer): Buffer {
  const end = /\r?\n\r?\n/.exec(raw.subarray(0, beginningOfHangingMail).toString('latin1'))?.index
  return raw.subarray(0, end ?? beginningOfHangingMail)
}
