import type { Classified } from '../mail-reading/classify.ts'
import { getParserThreads, ParserThreads } from './parser-threads.ts'

export type ParsedAddress = { name: string; address: string }

/** A mail as it arrived, bounded and free of what a database or a page can't hold. */
export type ParsedEmail = {
  /** With its angle brackets, as all ids here. */
  messageId?: string | undefined
  inReplyTo?: string | undefined
  references: string[]
  from?: ParsedAddress | undefined
  sender?: ParsedAddress | undefined
  replyTo: ParsedAddress[]
  to: ParsedAddress[]
  cc: ParsedAddress[]
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

const beginningOfHangingMail = 32_000

let sharedParser: EmailParser | undefined

/**
 * What passes a limit is cut and named in `cuts`. Throws when not even the mail's header can be read, and ParserError
 * when that is not the mail's fault. The accounts whose mail it is take turns.
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

export const parseEmail = async (raw: Buffer, limits?: Partial<ParseLimits>): Promise<ParsedEmail> =>
  (await parseAndClassify(raw, limits)).email

/** Reads mails in threads; what one can't read in time is read again by its beginning, then by its header alone. */
export class EmailParser implements AsyncDisposable {
  readonly #threads: ParserThreads

  constructor(threads = new ParserThreads()) {
    this.#threads = threads
  }

  async classify(
    raw: Buffer,
    given: Partial<ParseLimits> = {},
    arrivedAt = new Date(),
    accountId = '',
  ): Promise<ClassifiedEmail> {
    const limits = { ...defaultLimits, ...given }
    // Handed over to the thread, so each try has a copy of its own.
    const read = (part: Buffer) =>
      this.#threads.run(accountId, () => ({ raw: new Uint8Array(part), limits, arrivedAt }), limits.timeMs)
    const whole = await read(raw.subarray(0, limits.bytes + 1))
    if (whole) return whole
    for (const part of [raw.subarray(0, beginningOfHangingMail), headerOf(raw)]) {
      const begun = await read(part)
      if (!begun) continue
      const cuts: ParseCut[] = [...new Set<ParseCut>([...begun.email.cuts, 'time'])]
      return { ...begun, email: { ...begun.email, isTruncated: true, cuts } }
    }
    throw new Error('Neither the mail nor its header alone could be read')
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#threads[Symbol.asyncDispose]()
  }
}

function headerOf(raw: Buffer): Buffer {
  const end = /\r?\n\r?\n/.exec(raw.subarray(0, beginningOfHangingMail).toString('latin1'))?.index
  return raw.subarray(0, end ?? beginningOfHangingMail)
}
