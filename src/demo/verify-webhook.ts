import { createHmac, timingSafeEqual } from 'node:crypto'

const TOLERANCE_SECONDS = 300

/** As docs/webhooks.md has a receiver do it, with nothing of the sender's own code. Tells why it is not believed. */
export function findFault(
  body: Buffer,
  headers: Record<string, string | string[] | undefined>,
  secret: string,
): string | undefined {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
    name => headers[name],
  )
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string')
    return 'It has no signature.'
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < TOLERANCE_SECONDS)) return 'Its time is not now.'
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const hash = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')
  const expected = Buffer.from(`v1,${hash}`)
  const isSame = (given: string) => {
    const bytes = Buffer.from(given)
    return bytes.length === expected.length && timingSafeEqual(bytes, expected)
  }
  return signatures.split(' ').some(isSame) ? undefined : 'Its signature is not of this body and our secret.'
}
