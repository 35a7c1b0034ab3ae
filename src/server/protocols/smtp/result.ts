/**
 * The progress of a message. `envelope` covers MAIL, RCPT and DATA, which are pipelined to most servers. `end` begins
 * when the last chunk and the final dot are released.
 */
export type SmtpPhase = 'connect' | 'tls' | 'auth' | 'envelope' | 'body' | 'gate' | 'end'

export type SmtpReply = { code: number; enhancedCode?: string; text: string }

export type SentResult = {
  outcome: 'sent'
  reply: SmtpReply
  /** The server's ID for the message in its log. */
  queueId?: string
  /** Set when the server replaced our Message-ID. */
  serverMessageId?: string
  /** Recipients that the server refused while accepting the message for others. */
  refused: { address: string; reply?: SmtpReply }[]
}

/**
 * The result of a failed attempt, by outcome:
 * - `rejected`: the server will never accept this message, but may accept others.
 * - `deferred`: the server does not accept this message now; a later attempt is safe.
 * - `mailbox_failed`: the server accepts no message from this mailbox because of its credentials, quota or policy.
 * - `server_failed`: the connection failed; nothing was delivered, so a later attempt is safe.
 * - `unknown`: the connection was lost after the final dot; the message may have been delivered, so never resend it
 *   blindly.
 */
export type FailedResult = {
  outcome: 'rejected' | 'deferred' | 'mailbox_failed' | 'server_failed' | 'unknown'
  phase: SmtpPhase
  /** A sentence for people. */
  reason: string
  reply?: SmtpReply
}

/**
 * The result of sending a message. `withheld`: the gate refused, and the server discarded the unfinished message.
 * `postponed`: not attempted, because no connection was available.
 */
export type SendResult =
  | SentResult
  | { outcome: 'withheld' }
  | { outcome: 'postponed'; reason: string }
  | FailedResult

/** Reports whether the server fails for all messages: no connection succeeds, or the server is shutting down. */
export const isServerDown = ({ outcome, phase, reply }: FailedResult): boolean =>
  outcome === 'server_failed' && (['connect', 'tls', 'auth'].includes(phase) || reply?.code === 421)

/**
 * Reports whether a server temporarily refused the sign-in of one mailbox, for example because it has too many
 * connections.
 */
export const isSignInDeferred = ({ outcome, phase, reply }: FailedResult): boolean =>
  outcome === 'server_failed' && phase === 'auth' && reply !== undefined && reply.code !== 421

/**
 * Returns true when a server did not accept an access token, but may accept a new one. Returns false when Microsoft
 * reports that SMTP is turned off for the mailbox or its organization.
 */
export const isTokenRejected = (result: SendResult): boolean =>
  result.outcome === 'mailbox_failed' &&
  result.phase === 'auth' &&
  result.reply?.code === 535 &&
  findMicrosoftPolicy(result.reply) === undefined

/** Errors of nodemailer and sockets. */
export type NodemailerError = Error & {
  code?: string
  originalCode?: string
  timeoutType?: string
  /** The command that the server replied to. */
  command?: string
  /** OpenSSL's message without file names. */
  reason?: string
  response?: string | false
}

/** Error for a connection that could not be opened. */
export class SmtpError extends Error {
  override name = 'SmtpError'
  readonly result: FailedResult

  constructor(result: FailedResult, cause: unknown) {
    super(result.reason, { cause })
    this.result = result
  }
}

// Sender policy and reputation (x.7.x); the sender's quota, address and license in Gmail and Microsoft 365.
const mailboxErrorCodes = /^(?:[45]\.7\.\d+|5\.4\.5|5\.1\.90|5\.1\.7|5\.1\.8|5\.2\.25[1-5])$/
// Microsoft 365 reports these errors after it has received the whole message, with generic codes.
const senderRejected = /SendAsDenied/
const quotaExceeded = /SubmissionQuotaExceeded/
// MAIL FROM declares the size and encoding of the message. These codes mean that it is too large or can't be relayed.
const messageErrorCodes = /^5\.(?:3\.4|6\.\d+)$/
// Postgrey, Exim, rspamd, Exchange: retry this message later; the mailbox is not at fault.
const tryLater = /gr[ae]y-?list|(?:try|retry) (?:again|later)|come back|temporarily (?:deferred|rejected)/i
const authenticationRequired = [530, 534, 535, 538]

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

/** Finds the ID in replies such as `Ok: queued as 4XyZ`, `OK id=1abc-2`, `2.0.0 OK 1732 a1-20 - gsmtp`. */
export function parseQueueId(response: string): string | undefined {
  const known = /\bqueued as ([\w.-]+)|\bid=([\w.-]+)|\bqueued \(([\w.-]+)\)|\bOK +(\d+ [\w.-]+) - gsmtp/i
  return known
    .exec(response)
    ?.slice(1)
    .find(id => id !== undefined)
}

export function toFailedResult(error: NodemailerError, phase: SmtpPhase, server: string): FailedResult {
  const reply = error.response ? parseReply(error.response) : undefined
  const actualPhase = phase === 'connect' && isTlsError(error) ? 'tls' : phase
  const outcome = toOutcome(error, actualPhase, reply)
  return {
    outcome,
    phase: actualPhase,
    reason: toReason(error, actualPhase, reply, server),
    ...(reply && { reply }),
  }
}

function toOutcome(
  error: NodemailerError,
  phase: SmtpPhase,
  reply: SmtpReply | undefined,
): FailedResult['outcome'] {
  // 421 announces a shutdown at any time; it is not a reply to the message.
  const isReplyToMessage = error.code === 'EMESSAGE' && reply && reply.code >= 400 && reply.code !== 421
  if (phase === 'end' && !isReplyToMessage) return 'unknown'
  if (!reply) {
    if (error.code === 'EAUTH') return 'mailbox_failed'
    return error.code === 'EENVELOPE' || error.code === 'EMESSAGE' ? 'rejected' : 'server_failed'
  }
  const isMailboxError = mailboxErrorCodes.test(reply.enhancedCode ?? '')
  // 4.7.0 is also used for too many connections.
  if (reply.code === 421 && isMailboxError && reply.enhancedCode !== '4.7.0' && isSignedIn(phase))
    return 'mailbox_failed'
  if (reply.code === 421 || reply.code < 400) return 'server_failed'
  if (!isSignedIn(phase)) {
    return reply.code >= 500 ? 'mailbox_failed' : 'server_failed'
  }
  if (isGreylisting(reply)) return 'deferred'
  if (authenticationRequired.includes(reply.code) || isMailboxError || isSenderRejected(error, reply))
    return 'mailbox_failed'
  return reply.code >= 500 ? 'rejected' : 'deferred'
}

const isSignedIn = (phase: SmtpPhase): boolean => !['connect', 'tls', 'auth'].includes(phase)

const isGreylisting = ({ code, enhancedCode = '', text }: SmtpReply): boolean =>
  (code === 450 || code === 451) && /^4\.7\.[01]$/.test(enhancedCode) && tryLater.test(text)

/** Reports whether a reply concerns the sender. Most permanent rejections of MAIL FROM do, as it names no recipient. */
const isSenderRejected = (
  { command }: NodemailerError,
  { code, enhancedCode = '', text }: SmtpReply,
): boolean =>
  senderRejected.test(text) ||
  quotaExceeded.test(text) ||
  (command === 'MAIL FROM' && code >= 500 && code !== 552 && !messageErrorCodes.test(enhancedCode))

function toReason(
  error: NodemailerError,
  phase: SmtpPhase,
  reply: SmtpReply | undefined,
  server: string,
): string {
  if (reply) {
    const replyText = [reply.code, reply.enhancedCode, reply.text].filter(Boolean).join(' ')
    const policy = phase === 'auth' && findMicrosoftPolicy(reply)
    if (policy) return `${policy.problem}: ${replyText} (${policy.remedy})`
    if (phase === 'auth') return `${server} rejected the ${getCredentials(error)}: ${replyText}`
    if (phase === 'tls') return `${server} rejected STARTTLS: ${replyText}`
    const advice = findAdvice(error, reply)
    return `${server} replied: ${replyText}${advice && ` (${advice})`}`
  }
  if (phase === 'end') return `The connection to ${server} was lost before the server confirmed the message`
  const detail = (error.reason ?? error.message).replace(/[\s\p{Cc}]+/gu, ' ').slice(0, maxReplyLength)
  if (phase === 'tls') return `TLS with ${server} failed: ${detail}. Check the port and the TLS setting.`
  if (error.timeoutType === 'GREETING_TIMEOUT') {
    return `${server} accepted the connection but sent no SMTP greeting. Check the port and the TLS setting.`
  }
  const system = error.originalCode ?? error.code
  if (system === 'ECONNREFUSED') return `Nothing is listening at ${server}`
  if (system === 'ETIMEDOUT' || error.name === 'AbortError') return `${server} did not respond in time`
  return `The connection to ${server} failed: ${detail}`
}

/** With `XOAUTH2`, the library would use the first method that the server offers, and send the token as a password. */
export const TOKEN_METHOD = 'ACCESS-TOKEN'

const getCredentials = ({ command }: NodemailerError): string =>
  command === `AUTH ${TOKEN_METHOD}` ? 'access token' : 'user name or password'

/**
 * Finds the Microsoft policy that refuses a sign-in with the code 5.7.139, regardless of the password or token; returns
 * undefined when the credentials were wrong.
 */
function findMicrosoftPolicy({
  enhancedCode,
  text,
}: SmtpReply): { problem: string; remedy: string } | undefined {
  if (enhancedCode !== '5.7.139' || /credentials were incorrect/i.test(text)) return undefined
  if (/basic authentication is disabled/i.test(text))
    return {
      problem: 'Microsoft does not accept a password for this mailbox',
      remedy: 'connect the mailbox by signing in with Microsoft',
    }
  if (/SmtpClientAuthentication is disabled/i.test(text))
    return {
      problem: 'Microsoft has turned off SMTP for this mailbox or its organization',
      remedy:
        'an administrator can run: Set-CASMailbox -Identity <address> -SmtpClientAuthenticationDisabled $false',
    }
  return {
    problem: 'A policy of the Microsoft organization refuses this sign-in',
    remedy:
      'an administrator can find the policy in the sign-in logs of Microsoft Entra: security defaults, Conditional Access or an authentication policy',
  }
}

const SENDER_REJECTED = 'the server does not accept this sender address'

/** Returns advice for mailbox errors whose code alone says little; empty when there is none. */
function findAdvice(error: NodemailerError, reply: SmtpReply): string {
  const { code, enhancedCode = '', text } = reply
  if (/^5\.7\.(?:2[0-9]|30|509|515)$/.test(enhancedCode))
    return 'the domain failed authentication: check its SPF, DKIM and DMARC records'
  if (enhancedCode === '5.7.233')
    return 'the organization has reached its Microsoft limit, which grows with its licenses'
  if (enhancedCode === '5.2.252' || senderRejected.test(text))
    return `${SENDER_REJECTED}; in Microsoft 365, an administrator can run: Add-RecipientPermission <address> -Trustee <user> -AccessRights SendAs`
  if (/^5\.2\.25[1345]$/.test(enhancedCode))
    return 'Microsoft does not let this mailbox send: an administrator must check its license and its right to send as this address'
  if (enhancedCode === '5.4.5' || enhancedCode === '5.1.90' || quotaExceeded.test(text))
    return "the mailbox has reached its provider's sending limit"
  if (enhancedCode.startsWith('4.7.')) return 'the server is throttling this mailbox or domain'
  if (authenticationRequired.includes(code))
    return 'the server requires authentication: check the user name and password'
  if (/^5\.1\.[78]$/.test(enhancedCode)) return SENDER_REJECTED
  // A policy may also concern the network.
  if (!enhancedCode.startsWith('5.7.') && isSenderRejected(error, reply)) return SENDER_REJECTED
  return ''
}

function isTlsError(error: NodemailerError): boolean {
  return (
    error.code === 'ETLS' || /^ERR_(?:SSL|TLS)_|CERT|SIGNED|SIGNATURE|^EPROTO$/.test(error.originalCode ?? '')
  )
}
