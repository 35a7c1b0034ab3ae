import { createHmac, timingSafeEqual } from 'node:crypto'

/** How far the sender's clock may be away, and how long a call that was overheard can be repeated. */
const TOLERANCE_MS = 5 * 60_000

type Headers = Record<string, string | string[] | undefined>

/** Standard Webhooks 1.0: whether one of the signatures is of this body, made with the secret, of these minutes. */
export function isSigned(headers: Headers, body: Buffer, secret: string, now: Date): boolean {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map(name => headers[`webhook-${name}`])
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') return false
  if (!/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(Number(timestamp) * 1000 - now.getTime()) > TOLERANCE_MS) return false
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const wanted = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')
  return signatures.split(' ').some(signature => isSame(signature, `v1,${wanted}`))
}

/** Unipile signs nothing: it sends the header that it was told to when its webhook was made. */
export const hasSecret = (headers: Headers, secret: string): boolean =>
  typeof headers['overture-secret'] === 'string' && isSame(headers['overture-secret'], secret)

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}
