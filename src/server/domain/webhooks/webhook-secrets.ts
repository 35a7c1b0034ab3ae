import { randomBytes } from 'node:crypto'
import { decrypt, encrypt, type Keys } from '../../kernel/crypto.ts'

export const WEBHOOK_SECRET_PREFIX = 'whsec_'

type WebhookRef = { accountId: string; webhookId: string }

const toSecretContext = ({ accountId, webhookId }: WebhookRef): string =>
  `${accountId} webhook ${webhookId} secret`

export const createWebhookSecret = (): string => WEBHOOK_SECRET_PREFIX + randomBytes(32).toString('base64')

export const encryptWebhookSecret = (keys: Keys, secret: string, webhook: WebhookRef): Buffer =>
  encrypt(keys, secret, toSecretContext(webhook))

export const decryptWebhookSecret = (keys: Keys, bytes: Uint8Array, webhook: WebhookRef): string =>
  decrypt(keys, bytes, toSecretContext(webhook))
