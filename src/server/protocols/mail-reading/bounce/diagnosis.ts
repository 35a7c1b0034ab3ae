import { fallbackPhrases, type ReasonPhrases, specificPhrases } from './phrases.ts'
import { findRefusalStage, type RefusalStage } from './refusal-stage.ts'
import type { ServerFamily } from './server-families.ts'

/**
 * The class of a bounce:
 * - `hard`: the address does not exist.
 * - `soft`: a temporary failure, such as a full mailbox, a slow network or a busy server.
 * - `policy`: caused by the sender, its domain or its server.
 * - `unknown`: failed without proof that the address does not exist.
 */
export type BounceClass = 'hard' | 'soft' | 'policy' | 'unknown'

export type Diagnosis = { class: BounceClass; reason: string; status?: string }

const unknownUserCodes = /^(?:[45]\.1\.(?:0|1|3|6|10)|5\.1\.(?:2|351))$/

/** Enhanced status codes (RFC 3463 and its registry) that suffice when the text is inconclusive. */
const statusReasons: [codes: RegExp, BounceClass, reason: string][] = [
  [/^[45]\.1\.[78]$/, 'policy', 'sender refused'],
  [/^5\.1\.(?:0|1|3|6|10|351)$/, 'hard', 'unknown user'],
  [/^5\.1\.2$/, 'hard', 'unknown host'],
  [/^[45]\.2\.2$/, 'soft', 'mailbox full'],
  [/^[45]\.2\.3$/, 'soft', 'message too large'],
  [/^(?:[45]\.2\.[014]|5\.1\.4|[45]\.7\.13)$/, 'unknown', 'mailbox refuses mail'],
  [/^[45]\.3\.1$/, 'soft', 'server full'],
  [/^5\.3\.2$/, 'hard', 'domain accepts no mail'],
  [/^[45]\.3\.4$/, 'soft', 'message too large'],
  [/^5\.4\.4$/, 'hard', 'unknown host'],
  [/^5\.4\.\d+$/, 'soft', 'network'],
  [/^5\.(?:1\.9|3\.[035]|5\.[345])$/, 'soft', 'server busy or broken'],
  [/^[45]\.6\.\d+$/, 'unknown', 'content refused'],
  [/^5\.7\.1[78]$/, 'hard', 'moved'],
  [/^[45]\.7\.\d+$/, 'policy', 'policy'],
  [/^4\.\d+\.\d+$/, 'soft', 'temporary failure'],
]

export const unknownReason = 'no known reason'
const maxText = 8_000
/**
 * IronPort's guess, which it puts before the other server's actual reply: 5.1.0 - Unknown address error 550-'5.7.1 …
 */
const gatewayPrefix = /\b\d\.\d\.\d{1,3} - [\w ]{5,40} (?=\d{3}-')/g

/**
 * Diagnoses a bounce from the texts about one recipient, the most specific first, and the reported status.
 * `surroundingText` may be about other recipients, so it is used only when everything else is inconclusive.
 */
export function diagnose(
  texts: readonly string[],
  reportedStatus = '',
  surroundingText = '',
  family?: ServerFamily,
): Diagnosis {
  const status = texts.reduceRight((found, text) => chooseStatus(text, found), reportedStatus)
  const [first = '', ...later] = [...texts, surroundingText].map(normalizeText)
  const familyDiagnosis = diagnoseByFamily(texts, family)
  if (familyDiagnosis) return { ...familyDiagnosis, ...(status && { status }) }
  const found =
    findFirstMatch(specificPhrases, first) ??
    preferSofter(diagnoseByStatus(status), first) ??
    findFirst(later, text => findFirstMatch([...(family?.reasons ?? []), ...specificPhrases], text)) ??
    findFirst([first, ...later], text => findFirstMatch(fallbackPhrases, text)) ??
    diagnoseByReplyCode([...texts, surroundingText].join('\n'))
  const all = texts.map(normalizeText).join(' ')
  const stage = findRefusalStage(first) ?? findRefusalStage(all)
  const verifiesRecipients = family?.verifiesRecipients ?? false
  return {
    ...weighEvidence(found, { status, stage, text: all, verifiesRecipients }),
    ...(status && { status }),
  }
}

/** Diagnoses texts only by the phrases of the mail server that wrote them. */
export const diagnoseByFamily = (
  texts: readonly string[],
  family: ServerFamily | undefined,
): Diagnosis | undefined =>
  findFirst(texts, text => findFirstMatch(family?.reasons ?? [], normalizeText(text)))

function findFirst<T>(texts: readonly string[], find: (text: string) => T | undefined): T | undefined {
  for (const text of texts) {
    const found = find(text)
    if (found !== undefined) return found
  }
  return undefined
}

type Evidence = { status: string; stage: RefusalStage | undefined; text: string; verifiesRecipients: boolean }

/**
 * Downgrades hard bounces without enough evidence. A hard bounce blocks the address permanently, and servers also use
 * the same words when they reject unwanted mail.
 */
function weighEvidence(found: Diagnosis, evidence: Evidence): Diagnosis {
  const { status, stage, text } = evidence
  const isTemporary = status.startsWith('4.') || (status === '' && /^\D{0,40}4\d\d[ -]/.test(text))
  if (found.class === 'hard' && /black ?list|block ?list|spamhaus|\bdnsbl|reputation/.test(text))
    return { class: 'policy', reason: 'blocked or bad reputation' }
  if (found.class === 'hard' && isMailboxFull(text)) return { class: 'soft', reason: 'mailbox full' }
  if (
    found.reason === 'unknown host' &&
    (isTemporary || /(?:not found|failure|later)[^.]{0,20} try again/.test(text))
  )
    return { ...found, class: 'soft' }
  if (found.reason === 'domain accepts no mail' && isTemporary) return { ...found, class: 'unknown' }
  if (found.class === 'hard' && stage === 'sender') return { class: 'policy', reason: 'sender refused' }
  if (found.reason === 'unknown user' && isTemporary && !unknownUserCodes.test(status))
    return { ...found, class: 'soft' }
  if (found.reason === 'unknown user' && !isUnknownUserProven(evidence))
    return { class: 'unknown', reason: 'refused, possibly unknown' }
  if (found.reason === unknownReason && (stage === 'sender' || stage === 'connection'))
    return { class: 'policy', reason: 'refused before the recipient was named' }
  return found
}

const isMailboxFull = (text: string): boolean =>
  findFirstMatch(specificPhrases, text)?.reason === 'mailbox full'

/** Phrases of programs that looked up the recipient themselves, without SMTP. */
const directoryPhrases =
  /not (?:listed|found) in|unknown in .{0,40}table|unknown user: "|\(user not found\)|(?:recipient name is|not) (?:not )?recogni[sz]ed|msexch|vdeliver|vpopmail|unknown local|no mail ?box here|directory|ディレクトリ|\blocal user\b|by that name at this server|nameserver query|final e?mail delivery point/
/** Phrases that Google, Microsoft, PowerMTA, Orange, La Poste, Yandex, Mail.ru and X.400 use only for unknown users. */
const certainPhrases =
  /p=nosuchuser|answer=6596|resolver\.adr|bad-mailbox|5\.4\.1 (?:@:? |all )?recipient address(?:es)? rejected ?: access denied|\b(?:ofr|lpn\d{0,6})_41[68]\b|no such user!|invalid mailbox\. local mailbox|address couldn't be found\. check for typos|unrecogni[sz]ed.?o\/?r.?name/

/** Returns true when the status code, the refused command or the reporting program proves an unknown user. */
function isUnknownUserProven({ status, stage, text, verifiesRecipients }: Evidence): boolean {
  if (unknownUserCodes.test(status) || certainPhrases.test(text)) return true
  if (/\b5\d\d[ -]5\.7\.\d/.test(text)) return false
  return stage === 'recipient' || (stage === undefined && (verifiesRecipients || directoryPhrases.test(text)))
}

function diagnoseByStatus(status: string): Diagnosis | undefined {
  const found = statusReasons.find(([codes]) => codes.test(status))
  return found && { class: found[1], reason: found[2] }
}

/**
 * Prefers text about a policy or a failing server to a hard status: Sendmail and others report 5.1.1 for any rejection
 * of `RCPT TO`.
 */
function preferSofter(found: Diagnosis | undefined, text: string): Diagnosis | undefined {
  if (found?.class !== 'hard') return found
  const other = findFirstMatch(fallbackPhrases, text)
  return other?.reason === 'policy' || other?.reason === 'server busy or broken' ? other : found
}

function findFirstMatch(groups: readonly ReasonPhrases[], text: string): Diagnosis | undefined {
  const found = groups.find(({ phrases }) => phrases.some(phrase => phrase.test(text)))
  return found && { class: found.class, reason: found.reason }
}

function diagnoseByReplyCode(text: string): Diagnosis {
  const code = /(?:^|[\s:;<(])([45])\d\d[\s-]/.exec(text)?.[1]
  return code === '4'
    ? { class: 'soft', reason: 'temporary failure' }
    : { class: 'unknown', reason: unknownReason }
}

/** Prefers the code in the server's reply to the field of the report, which is often just 5.0.0. */
function chooseStatus(text: string, reported: string): string {
  const inText =
    /(?:^|[\s:;(#<['-])([45]\.\d{1,3}\.\d{1,3})(?=[\s;:,)\]<>]|$)/.exec(
      text.replace(gatewayPrefix, ''),
    )?.[1] ?? ''
  const isVague = (status: string) => status === '' || /^[45]\.0\.0$/.test(status)
  return isVague(inText) && !isVague(reported) ? reported : inText || reported
}

/** Parts of URLs that indicate the reason for a bounce. */
const urlHints =
  /p=\w{1,40}|answer=\d{1,9}|groups\.google|spamhaus|spamcop|\bsorbs|barracuda|dnsbl|\brbl\b|\bspf\b|dmarc/

function normalizeText(text: string): string {
  return text
    .slice(0, maxText)
    .replace(gatewayPrefix, '')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/https?:\/\/\S{1,500}/g, url => ` url ${urlHints.exec(url)?.[0] ?? ''} `)
    .replace(/[^\s<>@:;,()[\]"']{1,128}@[a-z0-9.-]{1,250}/g, '@')
    .replace(/\b\d{1,3}(?:\.\d{1,3}){3}\b/g, 'ip')
}
