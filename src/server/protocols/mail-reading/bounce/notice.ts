import { findAddresses } from './find-addresses.ts'

/** What the words of a report say of one recipient. */
export type NoticeRecipient = { address: string; text: string }

const maxLines = 2_000
/** Mail has no longer ones (RFC 5322 section 2.1.1). */
const maxLineLength = 1_000
const maxRecipients = 100

/** What may stand between the beginning of a line and the recipient that it is about. */
const lead =
  /^[\s>*•|"'([<-]*(?:(?:(?:final|original|failed|intended)[ -])?(?:recipients?|address(?:es)?|addressee|to|user|e-?mail|mailbox|rcpt to|宛先)\s{0,3}[:=]\s{0,3})?(?:>>> rcpt to:|<<< [45]\d\d[\d\s.-]{0,8}|[45]\d\d[\d\s.-]{0,8}|<<< |\[?smtp:|rfc822;|mailto:)?[\s"'([<]*$/i

/** Sendmail's talk with other servers: what stands above a verdict led to it. */
const transcriptBegins = /^[\s>-]*transcript of session follows/i
const verdict = /^[\s>]*[45]\d\d .{0,300}?\.\.\. /

/** Before an address of somebody else: the sender, a person to ask, the program that speaks. */
const notRecipient =
  /\b(?:from|sender|by|contact|ask|at|reply-to|return-path|administrator|mail from:?)[\s:=<"'([]{1,4}$/i

/**
 * The recipients that the words of a report name, each with what is said of it: a line that begins with an address
 * is about that address, and so is all below it up to the next one.
 */
export function parseNoticeRecipients(
  notice: string,
  { ignored, returnedTo }: { ignored: ReadonlySet<string>; returnedTo: readonly string[] },
): NoticeRecipient[] {
  const leading = new Map<string, string[]>()
  const mentioned = new Map<string, string[]>()
  let current: string[] | undefined
  const talk: string[] = []
  for (const wholeLine of notice.split('\n', maxLines)) {
    const line = wholeLine.slice(0, maxLineLength)
    if (transcriptBegins.test(line)) current = undefined
    talk.push(line)
    for (const address of findAddresses(line)) {
      if (ignored.has(address) || mentioned.size >= maxRecipients) continue
      const before = line.slice(0, line.toLowerCase().indexOf(address))
      if (notRecipient.test(before)) continue
      const lines = mentioned.get(address) ?? []
      mentioned.set(address, lines)
      if (!lead.test(before)) continue
      leading.set(address, lines)
      if (verdict.test(line)) lines.push(...talk.splice(0))
      current = verdict.test(line) ? undefined : lines
    }
    current?.push(line)
  }
  const found = leading.size > 0 ? leading : chosen(mentioned, returnedTo)
  return [...found].map(([address, lines]) => ({ address, text: lines.join('\n') }))
}

/** Whom the returned mail was written to is surely meant; the others may be bystanders. */
function chosen(found: Map<string, string[]>, returnedTo: readonly string[]): [string, string[]][] {
  const written = [...found].filter(([address]) => returnedTo.includes(address))
  return written.length > 0 ? written : [...found]
}
