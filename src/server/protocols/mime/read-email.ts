import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime'
import { stripQuotes } from '../mail-reading/strip-quotes.ts'
import { htmlToText } from './html-to-text.ts'
import type { ParseCut, ParsedAddress, ParsedEmail, ParseLimits, ReportPart } from './parse.ts'
import { parseMessageIds } from './reply.ts'

const maxAddresses = 500
const maxNameLength = 1_000
const maxReferences = 200

/** A mail under its limits. Meant for a worker: hostile mails can still take long. */
export async function readEmail(raw: Uint8Array, limits: ParseLimits): Promise<ParsedEmail> {
  const cuts = new Set<ParseCut>()
  const email = await parseWhatCanBeParsed(withoutExcess(raw, limits, cuts), limits, cuts)
  const cutText = (text: string | undefined) => cut(text, limits.textLength, () => cuts.add('text'))
  const text = cutText(withGarbledText(email, limits) ?? lostText(email, raw, limits))
  const html = cutText(email.html)
  const bodyText = text ?? cutText(htmlToText(html ?? '')) ?? ''
  const attachments = attachmentsOf(email, limits, cuts)
  const reports = reportsOf(email, limits, cuts)
  const headers = headersOf(email, limits, cuts)
  return {
    messageId: parseMessageIds(email.messageId ?? '')[0],
    inReplyTo: parseMessageIds(email.inReplyTo ?? '')[0],
    references: parseMessageIds(email.references ?? '').slice(-maxReferences),
    from: addressesOf(email.from && [email.from])[0],
    sender: addressesOf(email.sender && [email.sender])[0],
    replyTo: addressesOf(email.replyTo),
    to: addressesOf(email.to),
    cc: addressesOf(email.cc),
    subject: clean(email.subject ?? '').slice(0, maxNameLength),
    date: saneDate(email.date),
    headers,
    text,
    html,
    bodyText,
    newText: stripQuotes({ bodyText }),
    attachments,
    reports,
    isTruncated: cuts.size > 0,
    cuts: [...cuts],
  }
}

/** Parts whose type lost a semicolon, as in `text/plain charset=utf-8`, are text all the same. */
function withGarbledText({ text, attachments }: Email, limits: ParseLimits): string | undefined {
  const garbled = attachments
    .filter(part => /^text\/plain\s/.test(part.mimeType) && !part.filename && !part.disposition)
    .map(({ content }) => decode(content, limits))
  return garbled.length > 0 ? [...garbled, text ?? ''].join('\n') : text
}

/** Some servers announce parts and send none: then what stands below the header is the text. */
function lostText(email: Email, raw: Uint8Array, { textLength }: ParseLimits): string | undefined {
  if (email.html !== undefined || email.attachments.length > 0) return undefined
  const source = Buffer.from(raw.subarray(0, 4 * textLength)).toString('utf8')
  const at = source.search(/\r?\n\r?\n/)
  return at === -1 ? undefined : source.slice(at).trim()
}

/** At most so many bytes, lines, and lines that begin a part. */
function withoutExcess(raw: Uint8Array, limits: ParseLimits, cuts: Set<ParseCut>): Uint8Array {
  if (raw.length > limits.bytes) cuts.add('size')
  const bytes = firstLines(raw.subarray(mboxLineLength(raw), limits.bytes), limits, cuts)
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

function firstLines(bytes: Uint8Array, limits: ParseLimits, cuts: Set<ParseCut>): Uint8Array {
  let at = -1
  for (let lines = 0; lines < limits.lines; lines += 1) {
    at = bytes.indexOf(10, at + 1)
    if (at === -1) return bytes
  }
  cuts.add('lines')
  return bytes.subarray(0, at)
}

/** The line that an mbox file puts before each mail. */
function mboxLineLength(raw: Uint8Array): number {
  const start = Buffer.from(raw.subarray(0, 1_000)).toString('latin1')
  return /^From [^\n:]*[^\n]*\n/.exec(start)?.[0].length ?? 0
}

/** The library refuses a mail that is nested too deep or has too much header: then a shorter piece of it is read. */
async function parseWhatCanBeParsed(
  raw: Uint8Array,
  limits: ParseLimits,
  cuts: Set<ParseCut>,
): Promise<Email> {
  for (let length = raw.length; length > 0; length = Math.floor(length / 2)) {
    try {
      return await PostalMime.parse(raw.subarray(0, length), {
        maxNestingDepth: limits.depth,
        maxHeadersSize: limits.headerBytes,
        // a message inside is evidence or an attachment, never this mail's own words
        forceRfc822Attachments: true,
      })
    } catch {
      cuts.add('structure')
    }
  }
  return { headers: [], headerLines: [], attachments: [] }
}

function headersOf(email: Email, limits: ParseLimits, cuts: Set<ParseCut>): ParsedEmail['headers'] {
  if (email.headers.length > limits.headers) cuts.add('headers')
  const headers = new Map<string, string[]>()
  for (const { key, value } of email.headers.slice(0, limits.headers)) {
    const values = headers.get(key)
    if (values) values.push(clean(value))
    else headers.set(key, [clean(value)])
  }
  return headers
}

function attachmentsOf(email: Email, limits: ParseLimits, cuts: Set<ParseCut>): ParsedEmail['attachments'] {
  if (email.attachments.length > limits.attachments) cuts.add('attachments')
  return email.attachments.slice(0, limits.attachments).map(({ filename, mimeType, content }) => ({
    name: clean(filename ?? '').slice(0, maxNameLength),
    type: clean(mimeType).slice(0, maxNameLength),
    size: typeof content === 'string' ? content.length : content.byteLength,
  }))
}

const reportType = /^(?:message\/.*|text\/rfc822-headers?|text\/plain)$/

function reportsOf(email: Email, limits: ParseLimits, cuts: Set<ParseCut>): ReportPart[] {
  const parts = email.attachments.filter(({ mimeType }) => reportType.test(mimeType))
  if (parts.length > limits.reports) cuts.add('reports')
  return parts.slice(0, limits.reports).map(({ mimeType, content }) => ({
    type: mimeType,
    text: cut(decode(content, limits), limits.reportLength, () => cuts.add('reports')) ?? '',
  }))
}

function decode(content: Attachment['content'], { reportLength }: ParseLimits): string {
  if (typeof content === 'string') return content
  // four bytes a character at most
  return Buffer.from(new Uint8Array(content).subarray(0, reportLength * 4)).toString('utf8')
}

function addressesOf(given: readonly Address[] | undefined): ParsedAddress[] {
  return (given ?? [])
    .slice(0, maxAddresses)
    .flatMap(one => one.group?.slice(0, maxAddresses) ?? [one])
    .slice(0, maxAddresses)
    .map(({ name, address = '' }) => ({
      name: clean(name).slice(0, maxNameLength),
      address: clean(address).trim(),
    }))
    .filter(({ address }) => address.length <= 320 && address.includes('@'))
}

const earliest = Date.UTC(1990, 0)
const dayMs = 86_400_000

function saneDate(header: string | undefined): Date | undefined {
  const at = Date.parse(header ?? '')
  return at >= earliest && at <= Date.now() + 2 * dayMs ? new Date(at) : undefined
}

function cut(text: string | undefined, length: number, onCut: () => void): string | undefined {
  if (text === undefined) return undefined
  if (text.length > length) onCut()
  return clean(text.slice(0, length))
}

/** Neither a NUL nor half a character: PostgreSQL takes none of them. */
const clean = (text: string): string => text.replaceAll('\0', '').toWellFormed()
