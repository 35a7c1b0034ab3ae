import type { ParsedEmail } from '../../mime/parse.ts'
import type { MailReport } from './delivery-report.ts'
import { parseFieldBlocks } from './field-blocks.ts'
import { findAddresses } from './find-addresses.ts'

const kinds = {
  'disposition-notification': 'a read receipt (RFC 8098)',
  'feedback-report': 'a feedback report other than a complaint (RFC 5965)',
}

/** Parses read receipts and other reports that are neither delivery reports nor complaints. */
export function parseOtherReport({ headers, reports }: ParsedEmail): MailReport | undefined {
  const type = headers.get('content-type')?.[0]?.toLowerCase() ?? ''
  if (!/^multipart\/report\b/.test(type)) return undefined
  const kind = Object.entries(kinds).find(([name]) => type.includes(name))?.[1]
  const named = reports
    .filter(part => part.type.endsWith('disposition-notification'))
    .flatMap(({ text }) => parseFieldBlocks(text))
    .flatMap(block => block.get('final-recipient') ?? [])
  return {
    kind: 'report',
    recipients: [...new Set(findAddresses(named.join('\n')))].map(address => ({
      address,
      class: 'unknown',
    })),
    reason: kind ?? 'an automatic report (RFC 6522)',
  }
}
