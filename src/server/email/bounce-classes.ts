import { type ReasonWords, tellingWords, weakWords } from './bounce-words.ts'

/**
 * - `hard`: the address is dead.
 * - `soft`: not now; a full mailbox, a slow network, a busy server.
 * - `policy`: the fault of the sender, of its domain or its server.
 * - `unknown`: failed, and no proof that the address is dead.
 */
export type BounceClass = 'hard' | 'soft' | 'policy' | 'unknown'

export type Diagnosis = { class: BounceClass; reason: string; status?: string }

/** Enhanced status codes (RFC 3463 and its registry) that say enough where words don't; the first digit is apart. */
const statusReasons: [codes: RegExp, BounceClass, reason: string][] = [
  [/^[45]\.1\.[78]$/, 'policy', 'sender refused'],
  [/^5\.1\.(?:0|1|3|4|6|10)$/, 'hard', 'unknown user'],
  [/^5\.1\.2$/, 'hard', 'unknown host'],
  [/^[45]\.2\.2$/, 'soft', 'mailbox full'],
  [/^[45]\.2\.3$/, 'soft', 'message too large'],
  [/^5\.2\.[01]$/, 'unknown', 'mailbox refuses mail'],
  [/^[45]\.3\.[1]$/, 'soft', 'server full'],
  [/^5\.3\.2$/, 'hard', 'domain takes no mail'],
  [/^[45]\.3\.4$/, 'soft', 'message too large'],
  [/^5\.4\.4$/, 'hard', 'unknown host'],
  [/^5\.4\.\d+$/, 'soft', 'network'],
  [/^5\.6\.\d+$/, 'unknown', 'content refused'],
  [/^[45]\.7\.\d+$/, 'policy', 'policy'],
  [/^4\.\d+\.\d+$/, 'soft', 'not now'],
]

const maxText = 8_000
/** IronPort's own guess in front of what the other server really said: 5.1.0 - Unknown address error 550-'5.7.1 … */
const gatewayPrefix = /\b\d\.\d\.\d{1,3} - [\w ]{5,40} (?=\d{3}-')/g

/**
 * Of what was said about one recipient, the most exact text first, and of the status that a report gives with it.
 * A later text is only asked when the earlier ones and the status say too little.
 */
export function diagnose([first = '', ...later]: readonly string[], reportedStatus = ''): Diagnosis {
  const texts = [first, ...later]
  const status = texts.reduceRight((found, text) => bestStatus(text, found), reportedStatus)
  const [words = '', ...laterWords] = texts.map(plainWords)
  const found =
    firstMatch(tellingWords, words) ??
    byStatus(status) ??
    firstOf(laterWords, text => firstMatch(tellingWords, text)) ??
    firstOf([words, ...laterWords], text => firstMatch(weakWords, text)) ??
    byReplyCode(texts.join('\n'))
  return { ...doubted(found, status, texts.join('\n')), ...(status && { status }) }
}

function firstOf<T>(texts: readonly string[], find: (text: string) => T | undefined): T | undefined {
  for (const text of texts) {
    const found = find(text)
    if (found !== undefined) return found
  }
  return undefined
}

/** A server that knew the address until it saw the message, or gives another code, does not call it dead. */
function doubted(found: Diagnosis, status: string, text: string): Diagnosis {
  if (found.reason === 'unknown host' && (status.startsWith('4.') || /try again/i.test(text)))
    return { ...found, class: 'soft' }
  if (found.reason !== 'unknown user') return found
  const isAfterData = /(?:after|in reply to) (?:the )?(?:end of )?data\b/i.test(text.replace(/\s+/g, ' '))
  const isOtherCode = status === '5.2.0' || /\b5\d\d[ -]5\.7\.\d/.test(text)
  return isAfterData || isOtherCode ? { class: 'unknown', reason: 'refused, perhaps unknown' } : found
}

function byStatus(status: string): Diagnosis | undefined {
  const found = statusReasons.find(([codes]) => codes.test(status))
  return found && { class: found[1], reason: found[2] }
}

function firstMatch(groups: readonly ReasonWords[], words: string): Diagnosis | undefined {
  const found = groups.find(({ phrases }) => phrases.some(phrase => phrase.test(words)))
  return found && { class: found.class, reason: found.reason }
}

function byReplyCode(text: string): Diagnosis {
  const code = /(?:^|[\s:;<(])([45])\d\d[\s-]/.exec(text)?.[1]
  return code === '4'
    ? { class: 'soft', reason: 'not now' }
    : { class: 'unknown', reason: 'no reason that is known' }
}

/** The server's own code inside its reply is more exact than the field of the report, which is often just 5.0.0. */
function bestStatus(text: string, reported: string): string {
  const inText =
    /(?:^|[\s:;(#<['-])([45]\.\d{1,3}\.\d{1,3})(?=[\s;:,)\]<>]|$)/.exec(
      text.replace(gatewayPrefix, ''),
    )?.[1] ?? ''
  const isVague = (status: string) => status === '' || /^[45]\.0\.0$/.test(status)
  return isVague(inText) && !isVague(reported) ? reported : inText || reported
}

function plainWords(text: string): string {
  return text
    .slice(0, maxText)
    .replace(gatewayPrefix, '')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(
      /https?:\/\/\S{1,500}/g,
      url => ` url ${/p=\w{1,40}|answer=\d{1,9}|groups\.google/.exec(url)?.[0] ?? ''} `,
    )
    .replace(/[^\s<>@:;,()[\]"']{1,128}@[a-z0-9.-]{1,250}/g, '@')
    .replace(/\b\d{1,3}(?:\.\d{1,3}){3}\b/g, 'ip')
}
