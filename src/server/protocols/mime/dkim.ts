import type { KeyObject } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import Dkim from 'nodemailer/lib/dkim'
import { sentIdHeader } from '../identity/message-id.ts'

/** With what a domain signs its mails (RFC 6376); the public half stands in its DNS under the selector. */
export type SigningKey = { domain: string; selector: string; privateKey: KeyObject }

export const signatureHeader = 'DKIM-Signature'

/**
 * Every header that a mail of ours may have: what is not signed could be changed on the way. RFC 8058 asks for both of
 * List-Unsubscribe.
 */
const signedHeaders = [
  ...['From', 'To', 'Cc', 'Reply-To', 'Subject', 'Date', 'Message-ID', 'In-Reply-To', 'References'],
  ...['MIME-Version', 'Content-Type', 'Content-Transfer-Encoding', 'Auto-Submitted', 'Feedback-ID'],
  ...['List-Unsubscribe', 'List-Unsubscribe-Post', sentIdHeader],
].join(':')

/** The same bytes with a signature on top. */
export const signMessage = (bytes: Buffer, { domain, selector, privateKey }: SigningKey): Promise<Buffer> =>
  buffer(
    new Dkim({
      domainName: domain,
      keySelector: selector,
      privateKey,
      headerFieldNames: signedHeaders,
    }).sign(bytes),
  )
