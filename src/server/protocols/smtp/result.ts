/**
 * How far a message got. `envelope` is MAIL, RCPT and DATA, which go out in one piece to most servers;
 * in `end` the last chunk and the final dot were released.
 */
export type SmtpPhase = 'connect' | 'tls' | 'auth' | 'envelope' | 'body' | 'gate' | 'end'

export type SmtpReply = { code: number; enhancedCode?: string; text: string }

export type SentResult = {
  outcome: 'sent'
  reply: SmtpReply
  /** The server's name for the message in its log. */
  queueId?: string
  /** Given by servers that replace our Message-ID. */
  serverMessageId?: string
  /** Recipients the server refused while it took the message for the others. */
  refused: { address: string; reply?: SmtpReply }[]
}

/**
 * - `rejected`: the server will never take this message; others may pass.
 * - `deferred`: the server does not take this message now; a later attempt is safe.
 * - `mailbox_failed`: sign-in, quota or policy; no message of this mailbox passes.
 * - `server_failed`: no sound connection; nothing was delivered, a later attempt is safe.
 * - `unknown`: lost after the final dot was released; delivered or not, never to be repeated blindly.
 */
export type FailedResult = {
  outcome: 'rejected' | 'deferred' | 'mailbox_failed' | 'server_failed' | 'unknown'
  phase: SmtpPhase
  /** For a person to read. */
  reason: string
  reply?: SmtpReply
}

/**
 * `withheld`: the gate refused, and the server was left with an unfinished message. `postponed`: not even tried, for
 * there was no place among the connections.
 */
export type SendResult =
  | SentResult
  | { outcome: 'withheld' }
  | { outcome: 'postponed'; reason: string }
  | FailedResult

/** Whether the fault is the server's as a whole, whatever the message: nobody gets in, or it says that it shuts down. */
export const isServerDown = ({ outcome, phase, reply }: FailedResult): boolean =>
  outcome === 'server_failed' && (['connect', 'tls', 'auth'].includes(phase) || reply?.code === 421)

/** What the SMTP library and sockets put on their errors. */
export type NodemailerError = Error & {
  code?: string
  originalCode?: string
  timeoutType?: string
  /** What the server answered to. */
  command?: string
  /** OpenSSL's words without its file names. */
  reason?: string
  response?: string | false
}

/** A connection that could not be opened. */
export class SmtpError extends Error {
  override name = 'SmtpError'
  readonly result: FailedResult

  constructor(result: FailedResult, cause: unknown) {
    super(result.reason, { cause })
    this.result = result
  }
}

// Sender policy and reputation (x.7.x), the sender's own quota and address at Gmail and Microsoft 365
const mailboxFault = /^(?:[45]\.7\.\d+|5\.4\.5|5\.1\.90|5\.1\.7|5\.1\.8|5\.2\.252)$/
// Microsoft 365 has taken the whole mail when its store says so, under codes that say nothing
const senderRefused = /SendAsDenied/
const quotaUsedUp = /SubmissionQuotaExceeded/
// MAIL FROM also tells the mail's size and letters: too large, or not to be passed on so
const aboutThisMail = /^5\.(?:3\.4|6\.\d+)$/
// Postgrey, Exim, rspamd, Exchange: this message is wanted again later, the mailbox is as good as before
const comeBack = /gr[ae]y-?list|(?:try|retry) (?:again|later)|come back|temporarily (?:deferred|rejected)/i
const signInNeeded = [530, 534, 535, 538]

const maxReplyLength = 500

export function parseReply(response: string): SmtpReply | undefined {
  const [, code, enhancedCode] =
    /^([2-5]\d\d)(?:[ -](\d\.\d{1,3}\.\d{1,3})(?!\S))?(?![^\s-])/.exec(response) ?? []
  if (!code) return undefined
  const text = response
    .replace(/^\d{3}[ -]?(?:\d\.\d{1,3}\.\d{1,3}(?!\S) ?)?/gm, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, maxReplyLength)
  return { code: Number(code), ...(enhancedCode && { enhancedCode }), text }
}

/** The id in answers such as `Ok: queued as 4XyZ`, `OK id=1abc-2`, `2.0.0 OK 1732 a1-20 - gsmtp`. */
export function parseQueueId(response: string): string | undefined {
  const known = /\bqueued as ([\w.-]+)|\bid=([\w.-]+)|\bqueued \(([\w.-]+)\)|\bOK +(\d+ [\w.-]+) - gsmtp/i
  return known
    .exec(response)
    ?.slice(1)
    .find(id => id !== undefined)
}

export function toFailedResult(error: NodemailerError, phase: SmtpPhase, where: string): FailedResult {
  const reply = error.response ? parseReply(error.response) : undefined
  const actual = phase === 'connect' && isTlsFault(error) ? 'tls' : phase
  const outcome = outcomeOf(error, actual, reply)
  return { outcome, phase: actual, reason: reasonOf(error, actual, reply, where), ...(reply && { reply }) }
}

function outcomeOf(
  error: NodemailerError,
  phase: SmtpPhase,
  reply: SmtpReply | undefined,
): FailedResult['outcome'] {
  // 421 says that the server shuts down and may come at any time: no answer to what was sent
  const isAnswer = error.code === 'EMESSAGE' && reply && reply.code >= 400 && reply.code !== 421
  if (phase === 'end' && !isAnswer) return 'unknown'
  if (!reply) {
    if (error.code === 'EAUTH') return 'mailbox_failed'
    return error.code === 'EENVELOPE' || error.code === 'EMESSAGE' ? 'rejected' : 'server_failed'
  }
  const isOfMailbox = mailboxFault.test(reply.enhancedCode ?? '')
  // 4.7.0 is said of too many connections as well
  if (reply.code === 421 && isOfMailbox && reply.enhancedCode !== '4.7.0' && isSignedIn(phase))
    return 'mailbox_failed'
  if (reply.code === 421 || reply.code < 400) return 'server_failed'
  if (!isSignedIn(phase)) {
    return reply.code >= 500 ? 'mailbox_failed' : 'server_failed'
  }
  if (isGreylisting(reply)) return 'deferred'
  if (signInNeeded.includes(reply.code) || isOfMailbox || isOfSender(error, reply)) return 'mailbox_failed'
  return reply.code >= 500 ? 'rejected' : 'deferred'
}

const isSignedIn = (phase: SmtpPhase): boolean => !['connect', 'tls', 'auth'].includes(phase)

const isGreylisting = ({ code, enhancedCode = '', text }: SmtpReply): boolean =>
  (code === 450 || code === 451) && /^4\.7\.[01]$/.test(enhancedCode) && comeBack.test(text)

/** MAIL FROM names no recipient yet: who is refused for good there is the sender, whatever number that has. */
const isOfSender = ({ command }: NodemailerError, { code, enhancedCode = '', text }: SmtpReply): boolean =>
  senderRefused.test(text) ||
  quotaUsedUp.test(text) ||
  (command === 'MAIL FROM' && code >= 500 && code !== 552 && !aboutThisMail.test(enhancedCode))

function reasonOf(
  error: NodemailerError,
  phase: SmtpPhase,
  reply: SmtpReply | undefined,
  where: string,
): string {
  if (reply) {
    const answer = [reply.code, reply.enhancedCode, reply.text].filter(Boolean).join(' ')
    if (phase === 'auth') return `${where} refused the user name or the password: ${answer}`
    if (phase === 'tls') return `${where} refused STARTTLS: ${answer}`
    const advice = adviceFor(error, reply)
    return `${where} answered: ${answer}${advice && ` (${advice})`}`
  }
  if (phase === 'end') return `The connection to ${where} was lost before it said whether it took the message`
  const detail = (error.reason ?? error.message).replace(/[\s\p{Cc}]+/gu, ' ').slice(0, maxReplyLength)
  if (phase === 'tls') return `TLS with ${where} failed: ${detail}. Check the port and the TLS setting.`
  if (error.timeoutType === 'GREETING_TIMEOUT') {
    return `${where} took the connection but sent no SMTP greeting. Check the port and the TLS setting.`
  }
  const system = error.originalCode ?? error.code
  if (system === 'ECONNREFUSED') return `Nothing listens at ${where}`
  if (system === 'ETIMEDOUT' || error.name === 'AbortError') return `${where} did not answer in time`
  return `The connection to ${where} failed: ${detail}`
}

const wrongSender = 'the server does not accept this sender address'

/** What to do about the faults of a mailbox, for whom the number says nothing. */
function adviceFor(error: NodemailerError, reply: SmtpReply): string {
  const { code, enhancedCode = '', text } = reply
  if (/^5\.7\.(?:2[0-9]|30|509|515)$/.test(enhancedCode))
    return 'mail of this domain is not trusted: check its SPF, DKIM and DMARC records'
  if (enhancedCode === '5.4.5' || enhancedCode === '5.1.90' || quotaUsedUp.test(text))
    return 'the mailbox has used up what its provider lets it send'
  if (enhancedCode.startsWith('4.7.')) return 'the server wants less mail from this mailbox or domain for now'
  if (signInNeeded.includes(code)) return 'the server wants another sign-in: check user name and password'
  if (/^5\.(?:1\.[78]|2\.252)$/.test(enhancedCode)) return wrongSender
  // A policy may be about the network as well.
  if (!enhancedCode.startsWith('5.7.') && isOfSender(error, reply)) return wrongSender
  return ''
}

function isTlsFault(error: NodemailerError): boolean {
  return (
    error.code === 'ETLS' || /^ERR_(?:SSL|TLS)_|CERT|SIGNED|SIGNATURE|^EPROTO$/.test(error.originalCode ?? '')
  )
}
