import { addressesInText } from './bounce-address.ts'
import { fieldBlocks } from './field-blocks.ts'
import type { ParsedEmail } from './parse.ts'
import { returnedMessage } from './returned-message.ts'

export type Complaint = { addresses: string[]; why: string }

/** Somebody pressed "this is spam" (ARF, RFC 5965), or a mailbox provider reports so in a form of its own. */
export function readComplaint(mail: ParsedEmail): Complaint | undefined {
  const feedback = mail.reports.find(({ type }) => type === 'message/feedback-report')
  if (feedback) {
    const fields = fieldBlocks(feedback.text)
    const recipients = addressesInText(
      fields
        .flatMap(block => [
          ...(block.get('original-rcpt-to') ?? []),
          ...(block.get('removal-recipient') ?? []),
        ])
        .join('\n'),
    )
    const kind = fields.flatMap(block => block.get('feedback-type') ?? [])[0] ?? 'abuse'
    const isComplaint = !/^(?:not-spam|auth-failure|dmarc)/i.test(kind)
    return isComplaint
      ? about(mail, recipients, `a feedback report (RFC 5965): ${kind.slice(0, 40)}`)
      : undefined
  }
  const returned = mail.reports.some(({ type }) => type === 'message/rfc822')
  return returned && /^complaint about message from /i.test(mail.subject)
    ? about(mail, [], 'a provider forwards a complaint')
    : undefined
}

/** Providers hide who complained; then the returned mail may still say whom it was written to. */
function about(mail: ParsedEmail, recipients: string[], why: string): Complaint {
  const addresses = recipients.length > 0 ? recipients : returnedMessage(mail).to
  return { addresses: [...new Set(addresses)], why }
}
