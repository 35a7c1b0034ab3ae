import { AppError } from '../../kernel/errors.ts'

const MAX_MESSAGE_BYTES = 20 * 1024 * 1024
const WISHED_LINE_LENGTH = 78
const MAX_LINE_LENGTH = 998
const tooLong = `a line is longer than ${MAX_LINE_LENGTH} characters`
const [TAB, LF, CR] = [0x09, 0x0a, 0x0d]

/** Those that a message of ours always has, and those that it may have; each once at most. */
const always = ['date', 'from', 'message-id', 'mime-version', 'content-type']
const sometimes = [
  'subject',
  'to',
  'cc',
  'reply-to',
  'in-reply-to',
  'references',
  'content-transfer-encoding',
]

/** What the message is meant to carry: its id, of its sender's domain, and headers beyond the usual ones. */
export type ExpectedHeaders = { messageId: string; domain: string; headers: readonly string[] }

/**
 * The last look at what is about to leave, however it was made: a line too long, a stray line break or a header that
 * nobody meant is a bug of ours or of a library, and no server shall see it. Throws what the matter is.
 */
export function lintMessage(bytes: Buffer, meant: ExpectedHeaders): void {
  const fault = findFault(bytes) ?? findHeaderFault(bytes, meant)
  if (!fault) return
  const message = `The mail was not sent, because it was put together wrongly: ${fault}. Please report this.`
  throw new AppError('InternalServerError', message)
}

function findFault(bytes: Buffer): string | undefined {
  if (bytes.length > MAX_MESSAGE_BYTES) return `it has more than ${MAX_MESSAGE_BYTES} bytes`
  let lineStart = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === CR && bytes[at + 1] === LF) {
      if (at - lineStart > MAX_LINE_LENGTH) return tooLong
      at++
      lineStart = at + 1
    } else if (byte === CR || byte === LF) return 'it holds half of a line break'
    else if ((byte < 0x20 && byte !== TAB) || byte > 0x7e) return 'it holds a byte that is no printable ASCII'
  }
  if (bytes.length - lineStart > MAX_LINE_LENGTH) return tooLong
  return bytes.includes('\r\n\r\n') ? undefined : 'its header has no end'
}

function findHeaderFault(bytes: Buffer, { messageId, domain, headers }: ExpectedHeaders): string | undefined {
  const fields = bytes.toString('latin1', 0, bytes.indexOf('\r\n\r\n')).split(/\r\n(?![\t ])/)
  const needed = [...always, ...headers.map(name => name.toLowerCase())]
  const known = new Set([...needed, ...sometimes])
  const seen = new Map<string, string>()
  for (const field of fields) {
    const [, name, value = ''] = /^([!-9;-~]{1,76}):([\s\S]*)$/.exec(field) ?? []
    if (name === undefined) return 'a line of its header is no field'
    const key = name.toLowerCase()
    if (!known.has(key)) return `it has a header ${name} that nobody set`
    if (seen.has(key)) return `it has two headers ${name}`
    if (value.split('\r\n').some((line, index) => isFoldable(line, index === 0 ? name.length + 1 : 0)))
      return `its header ${name} is not folded`
    seen.set(key, value.trim())
  }
  const missing = needed.find(name => !seen.get(name))
  if (missing) return `it has no header ${missing}`
  if (seen.get('message-id') !== messageId) return 'its Message-ID is not the one that was given'
  return messageId.endsWith(`@${domain}>`) ? undefined : "its Message-ID is not of the sender's domain"
}

/** Longer than it should be, though it has a space at which it could have been broken before that. */
const isFoldable = (line: string, before: number): boolean =>
  before + line.length > WISHED_LINE_LENGTH && /\S[\t ]+\S/.test(line.slice(0, WISHED_LINE_LENGTH - before))
