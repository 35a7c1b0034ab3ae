import { hash } from 'node:crypto'
import { domainToASCII } from 'node:url'
import { buildHeaderValue, foldLines } from 'nodemailer/lib/mime-funcs'
import MimeNode, { type MimeNodeHeaderValue } from 'nodemailer/lib/mime-node'
import { encode, wrap } from 'nodemailer/lib/qp'
import { createYielder } from '../../kernel/async/yield-to-event-loop.ts'
import { invalid } from '../../kernel/errors.ts'
import { parseMessageIds } from '../identity/message-id.ts'
import { type SigningKey, signatureHeader, signMessage } from './dkim.ts'
import { lintMessage } from './lint-message.ts'

export type EmailAddress = { address: string; name?: string | undefined }

export type OutgoingEmail = {
  messageId: string
  from: EmailAddress
  to: EmailAddress[]
  cc?: EmailAddress[] | undefined
  /** Added to the envelope only, never to the message. */
  bcc?: EmailAddress[] | undefined
  replyTo?: EmailAddress | undefined
  subject: string
  text: string
  html?: string | undefined
  attachments?: readonly OutgoingFile[] | undefined
  inReplyTo?: string | undefined
  references?: string[] | undefined
  /** Custom headers: `X-…`, `List-…`, `Auto-Submitted` and `Feedback-ID`. */
  headers?: Record<string, string> | undefined
  date: Date
  /** The DKIM key of the sender's domain, if any. */
  signingKey?: SigningKey | undefined
}

export type OutgoingFile = { name: string; type: string; content: Buffer }

export type Envelope = { from: string; to: string[] }
export type ComposedEmail = { envelope: Envelope; bytes: Buffer }

const maxHeaderLength = 998
const maxWordLength = 900 // Lines fold only at spaces and must be shorter than 998 (RFC 5322 section 2.1.1).
const maxRecipients = 100
const allowedHeader = /^(?:(?:X|List)-[A-Za-z0-9-]{1,60}|Auto-Submitted|Feedback-ID)$/i

/**
 * Composes an RFC 5322 message in US-ASCII with CRLF line endings, and its envelope. Deterministic: the same input
 * gives the same bytes. Throws ValidationError, naming the field that can't become a header.
 */
export async function composeMessage(email: OutgoingEmail): Promise<ComposedEmail> {
  const from = checkAddress('from', email.from)
  const [to, cc, bcc] = [email.to, email.cc ?? [], email.bcc ?? []].map((list, index) =>
    list.map((each, at) => checkAddress(`${['to', 'cc', 'bcc'][index]}.${at}`, each)),
  ) as [EmailAddress[], EmailAddress[], EmailAddress[]]
  const recipients = [...new Set([...to, ...cc, ...bcc].map(({ address }) => address))]
  if (recipients.length === 0) throw invalid('to', 'must have at least one address')
  if (recipients.length > maxRecipients) throw invalid('to', `must have at most ${maxRecipients} addresses`)

  const fields: [string, MimeNodeHeaderValue][] = [
    ...checkCustomHeaders(email.headers ?? {}),
    ['From', from],
    ['To', to],
    ['Cc', cc],
    ['Reply-To', email.replyTo && checkAddress('replyTo', email.replyTo)],
    ['In-Reply-To', email.inReplyTo && checkMessageId('inReplyTo', email.inReplyTo)],
    ['References', email.references?.map((id, at) => checkMessageId(`references.${at}`, id)).join(' ')],
    ['Subject', checkHeader('subject', email.subject, maxHeaderLength)],
    ['Message-ID', checkMessageId('messageId', email.messageId)],
    ['Date', email.date],
    ['MIME-Version', '1.0'],
  ]
  const header = fields.map(formatField).join('')
  const parts = email.attachments?.length
    ? await formatMixed(header, email, email.attachments)
    : [{ bytes: Buffer.from(header + formatContent(email)) }]
  const unsigned = parts.length === 1 ? parts[0]!.bytes : Buffer.concat(parts.map(part => part.bytes))
  const bytes = email.signingKey ? await signMessage(unsigned, email.signingKey) : unsigned
  const signature = bytes.subarray(0, bytes.length - unsigned.length)
  const written = parts.filter(part => !part.isEncodedFile).map(part => part.bytes)
  const expected = {
    messageId: email.messageId,
    domain: from.address.slice(from.address.indexOf('@') + 1),
    headers: [...Object.keys(email.headers ?? {}), ...(email.signingKey ? [signatureHeader] : [])],
  }
  // The encoded files are excluded: they are large, and base64 needs no check.
  lintMessage(Buffer.concat([signature, ...written]), expected, bytes.length)
  return { envelope: { from: from.address, to: recipients }, bytes }
}

/** Only encodes headers: the method `build` would run six streams per email, which costs more than everything else. */
const mimeNode = new MimeNode()

/** Returns a header line; empty when the value is missing. */
function formatField([name, value]: [string, MimeNodeHeaderValue]): string {
  const encoded = value ? (isPlain(value) ? value : mimeNode.encodeHeaderValue(name, value)).trim() : ''
  return encoded && `${foldLines(`${name}: ${encoded}`, 76)}\r\n`
}

/** Returns true for values that the library would return unchanged, but slowly. */
const isPlain = (value: MimeNodeHeaderValue): value is string =>
  typeof value === 'string' && /^[ !#-~]*$/.test(value) && !value.includes('=?')

function formatContent({ messageId, text, html }: OutgoingEmail): string {
  if (!html) return `${formatPart('plain', text)}\r\n`
  // `=_` never occurs in quoted-printable (RFC 2045 section 6.7), so no body can contain the boundary.
  const boundary = `=_${digest(messageId)}`
  return [
    `Content-Type: multipart/alternative;\r\n boundary="${boundary}"\r\n`,
    formatPart('plain', text),
    formatPart('html', html),
  ]
    .join(`\r\n--${boundary}\r\n`)
    .concat(`\r\n--${boundary}--\r\n`)
}

type Part = { bytes: Buffer; isEncodedFile?: true }

/** Puts text and files into a multipart/mixed email. `=_` never occurs in base64, either. */
async function formatMixed(
  header: string,
  email: OutgoingEmail,
  files: readonly OutgoingFile[],
): Promise<Part[]> {
  const boundary = `=_mixed_${digest(email.messageId)}`
  const type = `Content-Type: multipart/mixed;\r\n boundary="${boundary}"\r\n\r\n`
  const parts: Part[] = [{ bytes: Buffer.from(`${header}${type}--${boundary}\r\n${formatContent(email)}`) }]
  for (const { name, type, content } of files) {
    parts.push({ bytes: Buffer.from(`--${boundary}\r\n${formatFileHeader(name, type)}\r\n`) })
    parts.push({ bytes: await toBase64Lines(content), isEncodedFile: true })
  }
  return [...parts, { bytes: Buffer.from(`--${boundary}--\r\n`) }]
}

const mediaType = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/i

function formatFileHeader(name: string, type: string): string {
  const filename = checkHeader('attachments.name', name, 256)
  const checkedType = mediaType.test(type) ? type : 'application/octet-stream'
  return [
    `Content-Type: ${buildHeaderValue({ value: checkedType, params: { name: filename } })}`,
    'Content-Transfer-Encoding: base64',
    `Content-Disposition: ${buildHeaderValue({ value: 'attachment', params: { filename } })}`,
  ]
    .map(line => `${foldLines(line, 76)}\r\n`)
    .join('')
}

/** A multiple of the 57 bytes that become a line of 76 characters. */
const BYTES_PER_STEP = 57 * 2048

/** Encodes in steps, because a large file would block the event loop. */
async function toBase64Lines(content: Buffer): Promise<Buffer> {
  const yieldToEventLoop = createYielder()
  const lines: Buffer[] = []
  for (let at = 0; at < content.length; at += BYTES_PER_STEP) {
    const text = content.toString('base64', at, at + BYTES_PER_STEP)
    lines.push(Buffer.from(text.replace(/.{1,76}/g, '$&\r\n'), 'latin1'))
    await yieldToEventLoop()
  }
  return Buffer.concat(lines)
}

/**
 * Formats a text part. Uses quoted-printable, which, unlike format=flowed or 7bit, preserves any text in short lines.
 */
function formatPart(type: 'plain' | 'html', body: string): string {
  const lines = cleanBody(body).split('\n').map(encodeLine).join('\r\n')
  return `Content-Type: text/${type}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${lines}`
}

/** Encodes a line. Most lines are short plain ASCII, which encodes to itself. */
const encodeLine = (line: string): string =>
  /^(?:[ -<>-~]{0,75}[!-<>-~])?$/.test(line) ? line : wrap(encode(line))

/**
 * Derives the Message-ID from parts such as account, step and prospect, so that a second attempt at the same email has
 * the same ID. `domain` is the sender's.
 */
export function createMessageId(parts: readonly string[], domain: string): string {
  const ascii = domainToASCII(domain)
  if (!ascii) throw invalid('domain', 'must be a valid domain')
  return `<${digest(...parts)}@${ascii}>`
}

function digest(...parts: string[]): string {
  return hash('sha256', JSON.stringify(parts)).slice(0, 32)
}

/** Accepts names in any script, and addresses that need no quoting in headers and SMTP commands. */
function checkAddress(path: string, { address, name }: EmailAddress): EmailAddress {
  const [, local, domain] = /^([!#-'*+\-./-9=?A-Z^-~]{1,64})@([^@]{1,255})$/.exec(address) ?? []
  const ascii = domain && /^[\p{L}\p{M}\p{N}.-]+$/u.test(domain) ? domainToASCII(domain) : ''
  if (!local || !ascii) {
    throw invalid(`${path}.address`, 'must be an email address with plain ASCII letters before the @')
  }
  const checked = { address: `${local}@${ascii}` }
  // Some servers, such as OpenSMTPD, ignore escapes in quoted names and read what follows as an address.
  const plainName = name?.replaceAll('"', "'").replaceAll('\\', '').trim()
  return plainName ? { ...checked, name: checkHeader(`${path}.name`, plainName, 256) } : checked
}

function checkCustomHeaders(headers: Record<string, string>): [string, string][] {
  return Object.entries(headers).map(([key, value]) => {
    if (!allowedHeader.test(key))
      throw invalid('headers', `${JSON.stringify(key)} must not be set as a custom header`)
    return [key, checkHeader(`headers.${key}`, value, maxHeaderLength)]
  })
}

function checkMessageId(path: string, id: string): string {
  if (parseMessageIds(id)[0] !== id) throw invalid(path, 'must be one message ID in angle brackets')
  return id
}

/** Rejects control characters: a line break in a value would inject a header. The library encodes the rest. */
function checkHeader(path: string, value: string, maxLength: number): string {
  if (/\p{Cc}/u.test(value)) throw invalid(path, 'must not contain line breaks or control characters')
  if (value.length > maxLength) throw invalid(path, `must not be longer than ${maxLength} characters`)
  if (value.split(' ').some(word => word.length > maxWordLength)) {
    throw invalid(path, `must not contain a word longer than ${maxWordLength} characters`)
  }
  return value.toWellFormed()
}

/** Normalizes line endings and removes characters that an email must not contain (RFC 5322 section 2.3). */
function cleanBody(body: string): string {
  return (
    body
      .replace(/\r\n?/g, '\n')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
      .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g, '')
      .toWellFormed()
  )
}
