import { createHmac, randomBytes } from 'node:crypto'
import { decrypt, encrypt, type Keys } from '../../kernel/crypto.ts'

const PREFIX = 'whsec_'

type WebhookPlace = { accountId: string; webhookId: string }

const placeOf = ({ accountId, webhookId }: WebhookPlace): string => `${accountId} webhook ${webhookId} secret`

export const makeWebhookSecret = (): string => PREFIX + randomBytes(32).toString('base64')

export const encryptWebhookSecret = (keys: Keys, secret: string, place: WebhookPlace): Buffer =>
  encrypt(keys, secret, placeOf(place))

export const decryptWebhookSecret = (keys: Keys, bytes: Uint8Array, place: WebhookPlace): string =>
  decrypt(keys, bytes, placeOf(place))

/** The headers of Standard Webhooks 1.0, with a signature for each secret that is live. */
export function signedHeaders(
  { id, at, body }: { id: string; at: Date; body: string },
  secrets: readonly string[],
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signatures = secrets.map(secret => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
