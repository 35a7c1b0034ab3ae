import { createHmac, timingSafeEqual } from 'node:crypto'

/** Maximum clock difference, and how long an intercepted request can be replayed. */
const TOLERANCE_MS = 5 * 60_000

type Headers = Record<string, string | string[] | undefined>

/** Verifies a Standard Webhooks 1.0 signature: true when one of the signatures matches and the timestamp is recent. */
export function hasValidSignature(headers: Headers, body: Buffer, secret: string, now: Date): boolean {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map(name => headers[`webhook-${name}`])
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') return false
  if (!/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(Number(timestamp) * 1000 - now.getTime()) > TOLERANCE_MS) return false
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')
  return signatures.split(' ').some(signature => isSame(signature, `v1,${expected}`))
}

/** Checks the header configured when the webhook was created, because Unipile does not sign requests. */
export const hasSecret = (headers: Headers, secret: string): boolean =>
  typeof headers['overture-secret'] === 'string' && isSame(headers['overture-secret'], secret)

function isSame(actual: string, expected: string): boolean {
  const [a, b] = [Buffer.from(actual), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
