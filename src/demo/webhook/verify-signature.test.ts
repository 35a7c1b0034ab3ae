import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import { createWebhookSecret } from '../../server/domain/webhooks/webhook-secrets.ts'
import { findSignatureError } from './verify-signature.ts'

const secret = createWebhookSecret()
const body = '{"type":"email.sent","data":{"subject":"Zoë"}}'
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)

/** Returns headers signed by the independent standardwebhooks library. */
function sign(at = new Date(), by = secret) {
  const signature = new Webhook(by).sign('evt_1', at, body)
  const timestamp = String(Math.floor(at.getTime() / 1000))
  return { 'webhook-id': 'evt_1', 'webhook-timestamp': timestamp, 'webhook-signature': signature }
}

it('the demo webhook accepts signatures from the standardwebhooks library, even alongside another signature', () => {
  expect(findSignatureError(Buffer.from(body), sign(), secret)).toBeUndefined()
  const both = { ...sign(), 'webhook-signature': `v1,AAAA ${sign()['webhook-signature']}` }
  expect(findSignatureError(Buffer.from(body), both, secret)).toBeUndefined()
})

it.each([
  ['a different body', body.replace('sent', 'open'), sign(), 'signature does not match'],
  ['a different secret', body, sign(new Date(), createWebhookSecret()), 'signature does not match'],
  ['a different ID', body, { ...sign(), 'webhook-id': 'evt_2' }, 'signature does not match'],
  ['an old timestamp', body, sign(minutesAgo(6)), 'timestamp is too far'],
  ['a future timestamp', body, sign(minutesAgo(-6)), 'timestamp is too far'],
  ['an invalid timestamp', body, { ...sign(), 'webhook-timestamp': 'now' }, 'timestamp is too far'],
  ['no signature', body, {}, 'no signature'],
] as const)('the demo webhook rejects a request with %s', (_case, text, headers, error) => {
  expect(findSignatureError(Buffer.from(text), headers, secret)).toContain(error)
})
