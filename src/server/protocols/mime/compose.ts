import { hash } from 'node:crypto'
import { domainToASCII } from 'node:url'
import { foldLines } from 'nodemailer/lib/mime-funcs'
import MimeNode, { type MimeNodeHeaderValue } from 'nodemailer/lib/mime-node'
import { encode, wrap } from 'nodemailer/lib/qp'
import { invalid } from '../../kernel/errors.ts'
import { type SigningKey, signatureHeader, signMessage } from './dkim.ts'
import { lintMessage } from './lint-message.ts'
import { parseMessageIds } from './reply.ts'

export type EmailAddress = { address: string; name?: string | undefined }

export type OutgoingEmail = {
  messageId: string
  from: EmailAddress
  to: EmailAddress[]
  cc?: EmailAddress[] | undefined
  /** Reached through the envelope alone: never in the bytes. */
  bcc?: EmailAddress[] | undefined
  replyTo?: EmailAddress | undefined
  subject: string
  text: string
  html?: string | undefined
  inReplyTo?: string | undefined
  references?: string[] | undefined
  /** `X-…`, `List-…`, `Auto-Submitted` and `Feedback-ID`; everything else is set here. */
  headers?: Record<string, string> | undefined
  date: Date
  /** Of the sender's domain, where it has one. */
  signingKey?: SigningKey | undefined
}

export type Envelope = { from: string; to: string[] }
export type ComposedEmail = { envelope: Envelope; bytes: Buffer }

const maxHeaderLength = 998
const maxWordLength = 900 // lines fold at spaces only, and end before 998 (RFC 5322 section 2.1.1)
const maxRecipients = 100
const ownHeader = /^(?:(?:X|List)-[A-Za-z0-9-]{1,60}|Auto-Submitted|Feedback-ID)$/i

/**
 * An RFC 5322 message in US-ASCII with CRLF lines, and who gets it. Pure: the same input gives the
 * same bytes. Throws `invalid` naming the field that can't be put into a header as it is.
 */
export async function composeEmail(email: OutgoingEmail): Promise<ComposedEmail> {
  const from = checkAddress('from', email.from)
  const [to, cc, bcc] = [email.to, email.cc ?? [], email.bcc ?? []].map((list, index) =>
    list.map((each, at) => checkAddress(`${['to', 'cc', 'bcc'][index]}.${at}`, each)),
  ) as [EmailAddress[], EmailAddress[], EmailAddress[]]
  const recipients = [...new Set([...to, ...cc, ...bcc].map(({ address }) => address))]
  if (recipients.length === 0) throw invalid('to', 'needs at least one address')
  if (recipients.length > maxRecipients) throw invalid('to', `has more than ${maxRecipients} addresses`)

  const fields: [string, MimeNodeHeaderValue][] = [
    ...checkOwnHeaders(email.headers ?? {}),
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
  const unsigned = Buffer.from(fields.map(writeField).join('') + writeContent(email))
  const bytes = email.signingKey ? await signMessage(unsigned, email.signingKey) : unsigned
  lintMessage(bytes, {
    messageId: email.messageId,
    domain: from.address.slice(from.address.indexOf('@') + 1),
    headers: [...Object.keys(email.headers ?? {}), ...(email.signingKey ? [signatureHeader] : [])],
  })
  return { envelope: { from: from.address, to: recipients }, bytes }
}

/** Its `build` goes through six streams for each mail, which costs more than all the rest; so it only encodes. */
const library = new MimeNode()

/** Nothing for a header without a value. */
function writeField([name, value]: [string, MimeNodeHeaderValue]): string {
  const encoded = value ? (isPlain(value) ? value : library.encodeHeaderValue(name, value)).trim() : ''
  return encoded && `${foldLines(`${name}: ${encoded}`, 76)}\r\n`
}

/** What the library would bring back as it is, after many looks. */
const isPlain = (value: MimeNodeHeaderValue): value is string =>
  typeof value === 'string' && /^[ !#-~]*$/.test(value) && !value.includes('=?')

function writeContent({ messageId, text, html }: OutgoingEmail): string {
  if (!html) return `${writePart('plain', text)}\r\n`
  // `=_` never occurs in quoted-printable (RFC 2045 section 6.7), so no body can hold the boundary
  const boundary = `=_${digest(messageId)}`
  return [
    `Content-Type: multipart/alternative;\r\n boundary="${boundary}"\r\n`,
    writePart('plain', text),
    writePart('html', html),
  ]
    .join(`\r\n--${boundary}\r\n`)
    .concat(`\r\n--${boundary}--\r\n`)
}

/** Not format=flowed nor 7bit: quoted-printable brings every text through unchanged, lines kept short. */
function writePart(type: 'plain' | 'html', body: string): string {
  const lines = cleanBody(body).split('\n').map(encodeLine).join('\r\n')
  return `Content-Type: text/${type}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${lines}`
}

/** Most lines are short and plain ASCII, which is their own encoding. */
const encodeLine = (line: string): string =>
  /^(?:[ -<>-~]{0,75}[!-<>-~])?$/.test(line) ? line : wrap(encode(line))

/**
 * The Message-ID of what these parts name, such as account, step and prospect: a second attempt at
 * the same mail carries the same id. `domain` is the sender's.
 */
export function createMessageId(parts: readonly string[], domain: string): string {
  const ascii = domainToASCII(domain)
  if (!ascii) throw invalid('domain', 'is not a domain')
  return `<${digest(...parts)}@${ascii}>`
}

function digest(...parts: string[]): string {
  return hash('sha256', JSON.stringify(parts)).slice(0, 32)
}

/** A name in any script, an address that fits a header and an SMTP command without quoting. */
function checkAddress(path: string, { address, name }: EmailAddress): EmailAddress {
  const [, local, domain] = /^([!#-'*+\-./-9=?A-Z^-~]{1,64})@([^@]{1,255})$/.exec(address) ?? []
  const ascii = domain && /^[\p{L}\p{M}\p{N}.-]+$/u.test(domain) ? domainToASCII(domain) : ''
  if (!local || !ascii) {
    throw invalid(`${path}.address`, 'must be an email address with plain ASCII letters before the @')
  }
  const checked = { address: `${local}@${ascii}` }
  // Some servers, OpenSMTPD among them, know no escapes in a quoted name and take what follows for an address.
  const plainName = name?.replaceAll('"', "'").replaceAll('\\', '').trim()
  return plainName ? { ...checked, name: checkHeader(`${path}.name`, plainName, 256) } : checked
}

function checkOwnHeaders(headers: Record<string, string>): [string, string][] {
  return Object.entries(headers).map(([key, value]) => {
    if (!ownHeader.test(key))
      throw invalid('headers', `${JSON.stringify(key)} is not a header that may be set`)
    return [key, checkHeader(`headers.${key}`, value, maxHeaderLength)]
  })
}

function checkMessageId(path: string, id: string): string {
  if (parseMessageIds(id)[0] !== id) throw invalid(path, 'must be one message id in angle brackets')
  return id
}

/** The library encodes; a line break in a value means that somebody tries to add a header. */
function checkHeader(path: string, value: string, maxLength: number): string {
  if (/\p{Cc}/u.test(value)) throw invalid(path, 'must not contain line breaks or control characters')
  if (value.length > maxLength) throw invalid(path, `must not be longer than ${maxLength} characters`)
  if (value.split(' ').some(word => word.length > maxWordLength)) {
    throw invalid(path, `must not hold a word longer than ${maxWordLength} characters`)
  }
  return value.toWellFormed()
}

/** One kind of line end, and no character that a mail must not hold (RFC 5322 section 2.3). */
function cleanBody(body: string): string {
  return (
    body
      .replace(/\r\n?/g, '\n')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to drop
      .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g, '')
      .toWellFormed()
  )
}
