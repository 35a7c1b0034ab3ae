import { AppError } from '../../kernel/errors.ts'

const MAX_MESSAGE_BYTES = 20 * 1024 * 1024
const PREFERRED_LINE_LENGTH = 78
const MAX_LINE_LENGTH = 998
const lineTooLong = `a line is longer than ${MAX_LINE_LENGTH} characters`
const [TAB, LF, CR] = [0x09, 0x0a, 0x0d]

/** Headers that must occur exactly once. The optional ones may occur at most once. */
const requiredHeaders = ['date', 'from', 'message-id', 'mime-version', 'content-type']
const optionalHeaders = [
  'subject',
  'to',
  'cc',
  'reply-to',
  'in-reply-to',
  'references',
  'content-transfer-encoding',
]

/** The expected Message-ID, its domain, and the headers expected in addition to the usual ones. */
export type ExpectedHeaders = { messageId: string; domain: string; headers: readonly string[] }

/**
 * Checks a composed message before it is sent. A long line, a stray line break or an unexpected header is a bug in our
 * code or in a library, and must not reach a server. `size` includes parts that `bytes` omits. Throws an
 * error that names the problem.
 */
export function lintMessage(bytes: Buffer, expected: ExpectedHeaders, size = bytes.length): void {
  const problem = findProblem(bytes, size) ?? findHeaderProblem(bytes, expected)
  if (!problem) return
  const message = `The email was not sent because it was composed incorrectly: ${problem}. Please report this.`
  throw new AppError('InternalServerError', message)
}

function findProblem(bytes: Buffer, size: number): string | undefined {
  if (size > MAX_MESSAGE_BYTES) return `it has more than ${MAX_MESSAGE_BYTES} bytes`
  let lineStart = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === CR && bytes[at + 1] === LF) {
      if (at - lineStart > MAX_LINE_LENGTH) return lineTooLong
      at++
      lineStart = at + 1
    } else if (byte === CR || byte === LF) return 'it contains a bare CR or LF'
    else if ((byte < 0x20 && byte !== TAB) || byte > 0x7e)
      return 'it contains a byte that is not printable ASCII'
  }
  if (bytes.length - lineStart > MAX_LINE_LENGTH) return lineTooLong
  return bytes.includes('\r\n\r\n') ? undefined : 'its header section does not end'
}

function findHeaderProblem(
  bytes: Buffer,
  { messageId, domain, headers }: ExpectedHeaders,
): string | undefined {
  const fields = bytes.toString('latin1', 0, bytes.indexOf('\r\n\r\n')).split(/\r\n(?![\t ])/)
  const required = [...requiredHeaders, ...headers.map(name => name.toLowerCase())]
  const known = new Set([...required, ...optionalHeaders])
  const seen = new Map<string, string>()
  for (const field of fields) {
    const [, name, value = ''] = /^([!-9;-~]{1,76}):([\s\S]*)$/.exec(field) ?? []
    if (name === undefined) return 'a line of its header section is not a field'
    const key = name.toLowerCase()
    if (!known.has(key)) return `it has an unexpected header ${name}`
    if (seen.has(key)) return `it has the header ${name} twice`
    if (value.split('\r\n').some((line, index) => isFoldable(line, index === 0 ? name.length + 1 : 0)))
      return `its header ${name} is not folded`
    seen.set(key, value.trim())
  }
  const missing = required.find(name => !seen.get(name))
  if (missing) return `it lacks the header ${missing}`
  if (seen.get('message-id') !== messageId) return 'its Message-ID is not the expected one'
  return messageId.endsWith(`@${domain}>`) ? undefined : "its Message-ID does not use the sender's domain"
}

/** Reports whether a line exceeds the preferred length and has a space to fold at. */
const isFoldable = (line: string, offset: number): boolean =>
  offset + line.length > PREFERRED_LINE_LENGTH &&
  /\S[\t ]+\S/.test(line.slice(0, PREFERRED_LINE_LENGTH - offset))
