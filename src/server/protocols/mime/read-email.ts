import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime'
import { parseMessageIds } from '../identity/message-id.ts'
import { stripQuotes } from '../mail-reading/strip-quotes.ts'
import { MAX_FILE_BYTES } from './file-limits.ts'
import { detectFileType } from './file-type.ts'
import { htmlToText } from './html-to-text.ts'
import type { ParseCut, ParsedAddress, ParsedEmail, ParseLimits, ReportPart } from './parse.ts'

const maxAddresses = 500
const maxNameLength = 1_000
const maxReferences = 200

/** The content of an attachment, with the type detected from it. */
export type ReadFile = { type: string; content: Uint8Array }

export const readEmail = async (raw: Uint8Array, limits: ParseLimits): Promise<ParsedEmail> =>
  (await readEmailWithFiles(raw, limits)).email

/** Parses an email within limits. Call it in a worker thread: hostile emails can still be slow. */
export async function readEmailWithFiles(
  raw: Uint8Array,
  limits: ParseLimits,
): Promise<{ email: ParsedEmail; files: (ReadFile | null)[] }> {
  const cuts = new Set<ParseCut>()
  const email = await parseLeniently(applyLimits(raw, limits, cuts), limits, cuts)
  const truncateText = (text: string | undefined) => truncate(text, limits.textLength, () => cuts.add('text'))
  const text = truncateText(recoverGarbledText(email, limits) ?? recoverLostText(email, raw, limits))
  const html = truncateText(email.html)
  const bodyText = (text?.trim() ? text : truncateText(htmlToText(html ?? ''))) ?? ''
  const attachments = toAttachments(email, limits, cuts)
  const reports = toReports(email, limits, cuts)
  const headers = toHeaders(email, limits, cuts)
  const files = await readFiles(email.attachments.slice(0, limits.attachments), raw, cuts)
  const parsed: ParsedEmail = {
    messageId: parseMessageIds(email.messageId ?? '')[0],
    inReplyTo: parseMessageIds(email.inReplyTo ?? '')[0],
    references: parseMessageIds(email.references ?? '').slice(-maxReferences),
    from: toAddresses(email.from && [email.from])[0],
    sender: toAddresses(email.sender && [email.sender])[0],
    replyTo: toAddresses(email.replyTo),
    to: toAddresses(email.to),
    cc: toAddresses(email.cc),
    subject: clean(email.subject ?? '').slice(0, maxNameLength),
    date: parsePlausibleDate(email.date),
    headers,
    text,
    html,
    bodyText,
    newText: stripQuotes({ bodyText }),
    attachments,
    reports,
    calendar: readCalendar(email),
    isTruncated: cuts.size > 0,
    cuts: [...cuts],
  }
  return { email: parsed, files }
}

/** Reads the files of an email. A file is null if it is too large, or if it is the last one of a cut-off email. */
async function readFiles(
  attachments: readonly Attachment[],
  raw: Uint8Array,
  cuts: ReadonlySet<ParseCut>,
): Promise<(ReadFile | null)[]> {
  const isCutOff =
    cuts.has('size') || cuts.has('lines') || cuts.has('parts') || cuts.has('structure') || !hasEnd(raw)
  const files: (ReadFile | null)[] = []
  for (const [index, { filename, content }] of attachments.entries()) {
    const bytes = typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content)
    const isKept = bytes.length <= MAX_FILE_BYTES && !(isCutOff && index === attachments.length - 1)
    // A copy in its own buffer, which can be transferred to another thread.
    const own = isKept ? Uint8Array.from(bytes) : undefined
    files.push(own ? { type: await detectFileType(own, filename ?? ''), content: own } : null)
  }
  return files
}

/** Returns true when the email contains the end of its outermost boundary, or has no boundary. */
function hasEnd(raw: Uint8Array): boolean {
  const source = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  const header = source.toString('latin1', 0, Math.min(raw.length, 64 * 1024)).split(/\r?\n\r?\n/, 1)[0] ?? ''
  const boundary = /boundary\s{0,9}=\s{0,9}"?([^"\r\n;]{1,200})/i.exec(header)?.[1]?.trim()
  return boundary === undefined || source.includes(`--${boundary}--`)
}

/** Recovers text parts whose type lacks a semicolon, as in `text/plain charset=utf-8`. */
function recoverGarbledText({ text, attachments }: Email, limits: ParseLimits): string | undefined {
  const garbled = attachments
    .filter(part => /^text\/plain\s/.test(part.mimeType) && !part.filename && !part.disposition)
    .map(({ content }) => decode(content, limits))
  return garbled.length > 0 ? [...garbled, text ?? ''].join('\n') : text
}

/** Recovers the text of emails that declare parts but contain none: everything below the header. */
function recoverLostText(email: Email, raw: Uint8Array, { textLength }: ParseLimits): string | undefined {
  if (email.html !== undefined || email.attachments.length > 0) return undefined
  const source = Buffer.from(raw.subarray(0, 4 * textLength)).toString('utf8')
  const at = source.search(/\r?\n\r?\n/)
  return at === -1 ? undefined : source.slice(at).trim()
}

/** Truncates an email to the limits of bytes, lines and parts. */
function applyLimits(raw: Uint8Array, limits: ParseLimits, cuts: Set<ParseCut>): Uint8Array {
  if (raw.length > limits.bytes) cuts.add('size')
  const bytes = truncateLines(raw.subarray(getMboxLineLength(raw), limits.bytes), limits, cuts)
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  const boundaries = new Set(
    [...source.matchAll(/boundary\s{0,9}=\s{0,9}"?([^"\r\n;]{1,200})/gi)].map(([, value = '']) =>
      value.trim(),
    ),
  )
  let parts = 0
  for (const { 1: line = '', index } of source.matchAll(/^--([^\r\n]{1,200})/gm)) {
    if (boundaries.has(line.trimEnd())) parts += 1
    if (parts > limits.parts) {
      cuts.add('parts')
      return bytes.subarray(0, index)
    }
  }
  return bytes
}

function truncateLines(bytes: Uint8Array, limits: ParseLimits, cuts: Set<ParseCut>): Uint8Array {
  let at = -1
  for (let lines = 0; lines < limits.lines; lines += 1) {
    at = bytes.indexOf(10, at + 1)
    if (at === -1) return bytes
  }
  cuts.add('lines')
  return bytes.subarray(0, at)
}

/** Returns the length of the separator line that mbox files put before each email. */
function getMboxLineLength(raw: Uint8Array): number {
  const start = Buffer.from(raw.subarray(0, 1_000)).toString('latin1')
  return /^From [^\n:]*[^\n]*\n/.exec(start)?.[0].length ?? 0
}

/** Retries with a shorter prefix when the library rejects an email for its nesting or header size. */
async function parseLeniently(raw: Uint8Array, limits: ParseLimits, cuts: Set<ParseCut>): Promise<Email> {
  for (let length = raw.length; length > 0; length = Math.floor(length / 2)) {
    try {
      return await PostalMime.parse(raw.subarray(0, length), {
        maxNestingDepth: limits.depth,
        maxHeadersSize: limits.headerBytes,
        // An embedded message is part of a report or an attachment, never this email's own text.
        forceRfc822Attachments: true,
      })
    } catch {
      cuts.add('structure')
    }
  }
  return { headers: [], headerLines: [], attachments: [] }
}

function toHeaders(email: Email, limits: ParseLimits, cuts: Set<ParseCut>): ParsedEmail['headers'] {
  if (email.headers.length > limits.headers) cuts.add('headers')
  const headers = new Map<string, string[]>()
  for (const { key, value } of email.headers.slice(0, limits.headers)) {
    const values = headers.get(key)
    if (values) values.push(clean(value))
    else headers.set(key, [clean(value)])
  }
  return headers
}

function toAttachments(email: Email, limits: ParseLimits, cuts: Set<ParseCut>): ParsedEmail['attachments'] {
  if (email.attachments.length > limits.attachments) cuts.add('attachments')
  return email.attachments.slice(0, limits.attachments).map(({ filename, mimeType, content }) => ({
    name: clean(filename ?? '').slice(0, maxNameLength),
    type: clean(mimeType).slice(0, maxNameLength),
    size: typeof content === 'string' ? content.length : content.byteLength,
  }))
}

const reportType = /^(?:message\/.*|text\/rfc822-headers?|text\/plain)$/

function toReports(email: Email, limits: ParseLimits, cuts: Set<ParseCut>): ReportPart[] {
  const parts = email.attachments.filter(({ mimeType }) => reportType.test(mimeType))
  if (parts.length > limits.reports) cuts.add('reports')
  return parts.slice(0, limits.reports).map(({ mimeType, content }) => ({
    type: mimeType,
    text: truncate(decode(content, limits), limits.reportLength, () => cuts.add('reports')) ?? '',
  }))
}

const MAX_CALENDAR_BYTES = 100_000

function readCalendar({ attachments }: Email): string | undefined {
  const content = attachments.find(({ mimeType }) =>
    /^(?:text\/calendar|application\/ics)\b/.test(mimeType),
  )?.content
  if (content === undefined) return undefined
  if (typeof content === 'string') return clean(content.slice(0, MAX_CALENDAR_BYTES))
  return content.byteLength > MAX_CALENDAR_BYTES
    ? undefined
    : clean(Buffer.from(new Uint8Array(content)).toString('utf8'))
}

function decode(content: Attachment['content'], { reportLength }: ParseLimits): string {
  if (typeof content === 'string') return content
  // A character has at most four bytes.
  return Buffer.from(new Uint8Array(content).subarray(0, reportLength * 4)).toString('utf8')
}

function toAddresses(addresses: readonly Address[] | undefined): ParsedAddress[] {
  return (addresses ?? [])
    .slice(0, maxAddresses)
    .flatMap(entry => entry.group?.slice(0, maxAddresses) ?? [entry])
    .slice(0, maxAddresses)
    .map(({ name, address = '' }) => ({
      name: clean(name).slice(0, maxNameLength),
      address: clean(address).trim(),
    }))
    .filter(({ address }) => address.length <= 320 && address.includes('@'))
}

const earliest = Date.UTC(1990, 0)
const dayMs = 86_400_000

function parsePlausibleDate(header: string | undefined): Date | undefined {
  const at = Date.parse(header ?? '')
  return at >= earliest && at <= Date.now() + 2 * dayMs ? new Date(at) : undefined
}

function truncate(text: string | undefined, length: number, onTruncate: () => void): string | undefined {
  if (text === undefined) return undefined
  if (text.length > length) onTruncate()
  return clean(text.slice(0, length))
}

/** Removes NUL and lone surrogates, which PostgreSQL can't store. */
const clean = (text: string): string => text.replaceAll('\0', '').toWellFormed()
