import type { ParsedEmail } from '../../mime/parse.ts'
import { type Fields, parseFieldBlocks } from './field-blocks.ts'
import { findAddress } from './find-addresses.ts'

/** The status of one recipient (RFC 3464 section 2.3). */
export type RecipientStatus = {
  address: string
  /** failed, delayed, delivered, relayed or expanded; some servers use other values. */
  action: string
  /** An RFC 3463 code, else empty. */
  status: string
  diagnostic: string
}

const dsnType = /^message\/(?:global-)?delivery-status$/
/** Bounds the cost of a hostile report, since the text about each recipient is matched against all phrases. */
const maxRecipients = 100
const dsnInText = /^(?:final|original)-recipient[ \t]{0,9}:/im

/** Parses the status of each recipient from the report part, else from the text of a malformed report. */
export function parseRecipientStatuses(mail: ParsedEmail): RecipientStatus[] {
  const parts = mail.reports.filter(({ type }) => dsnType.test(type)).map(({ text }) => text)
  if (parts.length === 0 && dsnInText.test(mail.bodyText)) parts.push(mail.bodyText)
  if (parts.length === 0) parts.push(...findNestedReports(mail))
  return parts.flatMap(parseFieldBlocks).flatMap(toStatus).slice(0, maxRecipients)
}

/** Finds reports inside other parts, because some gateways wrap the original report in an uninformative one. */
const findNestedReports = (mail: ParsedEmail): string[] =>
  mail.reports
    .map(({ text }) => text)
    .filter(text => /^content-type:[ \t]{0,9}message\/delivery-status/im.test(text) && dsnInText.test(text))

function toStatus(fields: Fields): RecipientStatus[] {
  const first = (name: string) => fields.get(name)?.[0] ?? ''
  const address =
    ['original-recipient', 'final-recipient', 'x-actual-recipient']
      .map(name => findAddress(first(name)))
      .find(found => found !== undefined) ?? ''
  const isAboutRecipient = fields.has('final-recipient') || fields.has('original-recipient')
  if (!isAboutRecipient) return []
  const diagnostics = [...(fields.get('diagnostic-code') ?? []), first('x-powermta-bouncecategory')]
  return [
    {
      address,
      action: /[a-z]+/.exec(first('action').toLowerCase())?.[0] ?? '',
      status: /\b[245]\.\d{1,3}\.\d{1,3}\b/.exec(first('status'))?.[0] ?? '',
      // The text after the status code is usually just its name, but some servers report no other diagnostic text.
      diagnostic: diagnostics.join('\n').trim() || first('status'),
    },
  ]
}
