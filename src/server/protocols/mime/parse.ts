import type { Classified } from '../mail-reading/classify.ts'
import { getParserThreads, ParserThreads } from './parser-threads.ts'
import type { ReadFile } from './read-email.ts'

export type ParsedAddress = { name: string; address: string }

/** A received email, bounded in size and free of characters that PostgreSQL can't store. */
export type ParsedEmail = {
  /** Includes the angle brackets, like all message IDs here. */
  messageId?: string | undefined
  inReplyTo?: string | undefined
  references: string[]
  from?: ParsedAddress | undefined
  sender?: ParsedAddress | undefined
  replyTo: ParsedAddress[]
  to: ParsedAddress[]
  cc: ParsedAddress[]
  subject: string
  /** Undefined when the header is missing or implausible. */
  date?: Date | undefined
  /** The values of each header in order, by its lower-case name. Values are unfolded but not decoded. */
  headers: ReadonlyMap<string, readonly string[]>
  text?: string | undefined
  html?: string | undefined
  /** The text part, else or if it is blank the HTML converted to text. */
  bodyText: string
  /** `bodyText` without quotes or signature. */
  newText: string
  attachments: { name: string; type: string; size: number }[]
  /** Parts of reports: delivery status, feedback, and the returned message or its headers. */
  reports: ReportPart[]
  /** The first calendar object, as text. */
  calendar?: string | undefined
  isTruncated: boolean
  /** The limits that truncated the email. */
  cuts: ParseCut[]
}

export type ClassifiedEmail = {
  email: ParsedEmail
  classified: Classified
  /** The content of each attachment; null when it is incomplete or too large. */
  files: (ReadFile | null)[]
}

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
  /** Maximum length of the text, and of the HTML. */
  textLength: number
  attachments: number
  reports: number
  /** Maximum length of each report part. */
  reportLength: number
  /** Time limit of each attempt. After a timeout, only the first bytes are parsed, then only the header. */
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

const SLOW_MAIL_PREFIX_BYTES = 32_000

let sharedParser: EmailParser | undefined

/**
 * Parses and classifies an email in a worker thread, which accounts share fairly. Truncates content beyond a
 * limit and names the limit in `cuts`. Throws an error when not even the header can be parsed, and a ParserError
 * when parsing fails for a reason other than the email.
 */
export function parseAndClassify(
  raw: Buffer,
  limits?: Partial<ParseLimits>,
  arrivedAt?: Date,
  accountId?: string,
): Promise<ClassifiedEmail> {
  sharedParser ??= new EmailParser(getParserThreads())
  return sharedParser.classify(raw, limits, arrivedAt, accountId)
}

/**
 * A parser that runs in worker threads. If an email times out, the parser tries only the email's first bytes, and then
 * only the header.
 */
export class EmailParser implements AsyncDisposable {
  readonly #threads: ParserThreads

  constructor(threads = new ParserThreads()) {
    this.#threads = threads
  }

  async classify(
    raw: Buffer,
    overrides: Partial<ParseLimits> = {},
    arrivedAt = new Date(),
    accountId = '',
  ): Promise<ClassifiedEmail> {
    const limits = { ...defaultLimits, ...overrides }
    // Each attempt transfers its own copy to the thread.
    const read = (bytes: Buffer) =>
      this.#threads.run(accountId, () => ({ raw: new Uint8Array(bytes), limits, arrivedAt }), limits.timeMs)
    const complete = await read(raw.subarray(0, limits.bytes + 1))
    if (complete) return complete
    for (const bytes of [raw.subarray(0, SLOW_MAIL_PREFIX_BYTES), getHeader(raw)]) {
      const partial = await read(bytes)
      if (!partial) continue
      const cuts: ParseCut[] = [...new Set<ParseCut>([...partial.email.cuts, 'time'])]
      const email = { ...partial.email, isTruncated: true, cuts }
      if (bytes.length === raw.length) return { ...partial, email }
      // The end of the last file is missing.
      const files = partial.files.map((file, index, { length }) => (index === length - 1 ? null : file))
      return { ...partial, email, files }
    }
    throw new Error('Neither the email nor its header could be parsed')
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#threads[Symbol.asyncDispose]()
  }
}

function getHeader(raw: Buffer): Buffer {
  const end = /\r?\n\r?\n/.exec(raw.subarray(0, SLOW_MAIL_PREFIX_BYTES).toString('latin1'))?.index
  return raw.subarray(0, end ?? SLOW_MAIL_PREFIX_BYTES)
}
