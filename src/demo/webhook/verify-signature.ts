import { createHmac, timingSafeEqual } from 'node:crypto'

const TOLERANCE_SECONDS = 300

/**
 * Returns why a request is rejected; undefined when its signature is valid. Follows docs/webhooks.md and shares no code
 * with the sender.
 */
export function findSignatureError(
  body: Buffer,
  headers: Record<string, string | string[] | undefined>,
  secret: string,
): string | undefined {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
    name => headers[name],
  )
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string')
    return 'The request has no signature.'
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < TOLERANCE_SECONDS))
    return 'The timestamp is too far from the current time.'
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const hash = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')
  const expected = Buffer.from(`v1,${hash}`)
  const matches = (signature: string) => {
    const bytes = Buffer.from(signature)
    return bytes.length === expected.length && timingSafeEqual(bytes, expected)
  }
  return signatures.split(' ').some(matches) ? undefined : 'The signature does not match the body and secret.'
}
