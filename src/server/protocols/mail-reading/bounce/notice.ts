import { findAddresses } from './find-addresses.ts'

/** A recipient in the text of a notice, with the text about it. */
export type NoticeRecipient = { address: string; text: string }

const maxLines = 2_000
/** The longest line that mail may contain (RFC 5322 section 2.1.1), rounded up. */
const maxLineLength = 1_000
const maxRecipients = 100

/** Text that may precede a recipient's address in the line about this recipient. */
const recipientPrefix =
  /^[\s>*•|"'([<-]*(?:(?:(?:final|original|failed|intended)[ -])?(?:recipients?|address(?:es)?|addressee|to|user|e-?mail|mailbox|rcpt to|宛先)\s{0,3}[:=]\s{0,3})?(?:>>> rcpt to:|<<< [45]\d\d[\d\s.-]{0,8}|[45]\d\d[\d\s.-]{0,8}|<<< |\[?smtp:|rfc822;|mailto:)?[\s"'([<]*$/i

/** The heading of Sendmail's transcript, in which the lines above a verdict explain the verdict. */
const transcriptBegins = /^[\s>-]*transcript of session follows/i
const verdict = /^[\s>]*[45]\d\d .{0,300}?\.\.\. /

/** Text before the address of someone other than a recipient: the sender, a contact or the reporting program. */
const notRecipient =
  /\b(?:from|sender|by|contact|ask|at|reply-to|return-path|administrator|mail from:?)[\s:=<"'([]{1,4}$/i

/**
 * Parses the recipients in a notice with the text about each: a line that begins with an address and the lines below
 * it, up to the next address.
 */
export function parseNoticeRecipients(
  notice: string,
  { ignored, returnedTo }: { ignored: ReadonlySet<string>; returnedTo: readonly string[] },
): NoticeRecipient[] {
  const leading = new Map<string, string[]>()
  const mentioned = new Map<string, string[]>()
  let current: string[] | undefined
  const transcript: string[] = []
  for (const fullLine of notice.split('\n', maxLines)) {
    const line = fullLine.slice(0, maxLineLength)
    if (transcriptBegins.test(line)) current = undefined
    transcript.push(line)
    for (const address of findAddresses(line)) {
      if (ignored.has(address) || mentioned.size >= maxRecipients) continue
      const before = line.slice(0, line.toLowerCase().indexOf(address))
      if (notRecipient.test(before)) continue
      const lines = mentioned.get(address) ?? []
      mentioned.set(address, lines)
      if (!recipientPrefix.test(before)) continue
      leading.set(address, lines)
      if (verdict.test(line)) lines.push(...transcript.splice(0))
      current = verdict.test(line) ? undefined : lines
    }
    current?.push(line)
  }
  const found = leading.size > 0 ? leading : preferReturnedTo(mentioned, returnedTo)
  return [...found].map(([address, lines]) => ({ address, text: lines.join('\n') }))
}

/** Prefers recipients of the returned email; other addresses may be unrelated. */
function preferReturnedTo(found: Map<string, string[]>, returnedTo: readonly string[]): [string, string[]][] {
  const written = [...found].filter(([address]) => returnedTo.includes(address))
  return written.length > 0 ? written : [...found]
}
