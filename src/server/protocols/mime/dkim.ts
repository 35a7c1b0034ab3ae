import type { KeyObject } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import Dkim from 'nodemailer/lib/dkim'
import { createYielder } from '../../kernel/async/yield-to-event-loop.ts'
import { sentIdHeader } from '../identity/message-id.ts'

/** A domain's DKIM key (RFC 6376); its public half is published in DNS under the selector. */
export type SigningKey = { domain: string; selector: string; privateKey: KeyObject }

export const signatureHeader = 'DKIM-Signature'

/**
 * All headers that our emails may have: unsigned ones could be changed in transit. RFC 8058 requires both
 * List-Unsubscribe headers to be signed.
 */
const signedHeaders = [
  ...['From', 'To', 'Cc', 'Reply-To', 'Subject', 'Date', 'Message-ID', 'In-Reply-To', 'References'],
  ...['MIME-Version', 'Content-Type', 'Content-Transfer-Encoding', 'Auto-Submitted', 'Feedback-ID'],
  ...['List-Unsubscribe', 'List-Unsubscribe-Post', sentIdHeader],
].join(':')

/** Returns the message with its DKIM signature prepended. */
export const signMessage = (bytes: Buffer, { domain, selector, privateKey }: SigningKey): Promise<Buffer> =>
  buffer(
    new Dkim({
      domainName: domain,
      keySelector: selector,
      privateKey,
      headerFieldNames: signedHeaders,
    }).sign(bytes.length > PIECE_BYTES ? Readable.from(readInPieces(bytes)) : bytes),
  )

const PIECE_BYTES = 64 * 1024

/** Splits a large message, in order to yield to the event loop while it is hashed. */
async function* readInPieces(bytes: Buffer): AsyncGenerator<Buffer> {
  const yieldToEventLoop = createYielder()
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    yield bytes.subarray(at, at + PIECE_BYTES)
    await yieldToEventLoop()
  }
}
