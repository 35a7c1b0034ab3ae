import type { ParsedEmail } from '../../mime/parse.ts'
import { type Fields, parseFieldBlocks } from './field-blocks.ts'
import { findAddress } from './find-addresses.ts'

/** What a server says of one recipient (RFC 3464 section 2.3). */
export type RecipientStatus = {
  address: string
  /** failed, delayed, delivered, relayed or expanded; servers have further words of their own. */
  action: string
  /** RFC 3463, empty when it is none. */
  status: string
  diagnostic: string
}

const dsnType = /^message\/(?:global-)?delivery-status$/
/** Each is held against all words that we know: a hostile report must not cost seconds. */
const maxRecipients = 100
const dsnInText = /^(?:final|original)-recipient[ \t]{0,9}:/im

/** The fields for each recipient, from the part made for them or, in reports that lost their form, from the text. */
export function parseRecipientStatuses(mail: ParsedEmail): RecipientStatus[] {
  const parts = mail.reports.filter(({ type }) => dsnType.test(type)).map(({ text }) => text)
  if (parts.length === 0 && dsnInText.test(mail.bodyText)) parts.push(mail.bodyText)
  if (parts.length === 0) parts.push(...reportsInside(mail))
  return parts.flatMap(parseFieldBlocks).flatMap(toStatus).slice(0, maxRecipients)
}

/** Gateways wrap the report of the server behind them into one of their own that says nothing. */
const reportsInside = (mail: ParsedEmail): string[] =>
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
  const said = [...(fields.get('diagnostic-code') ?? []), first('x-powermta-bouncecategory')]
  return [
    {
      address,
      action: /[a-z]+/.exec(first('action').toLowerCase())?.[0] ?? '',
      status: /\b[245]\.\d{1,3}\.\d{1,3}\b/.exec(first('status'))?.[0] ?? '',
      // what stands behind the code is only its name, but some say no more
      diagnostic: said.join('\n').trim() || first('status'),
    },
  ]
}
