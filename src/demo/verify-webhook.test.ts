import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import { makeWebhookSecret } from '../server/domain/webhooks/webhook-secrets.ts'
import { findFault } from './verify-webhook.ts'

const secret = makeWebhookSecret()
const body = '{"type":"email.sent","data":{"subject":"Zoë"}}'
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)

/** As the independent library signs it. */
function signed(at = new Date(), by = secret) {
  const signature = new Webhook(by).sign('evt_1', at, body)
  const timestamp = String(Math.floor(at.getTime() / 1000))
  return { 'webhook-id': 'evt_1', 'webhook-timestamp': timestamp, 'webhook-signature': signature }
}

it('the catcher believes what the library of Standard Webhooks has signed, also beside a second signature', () => {
  expect(findFault(Buffer.from(body), signed(), secret)).toBeUndefined()
  const both = { ...signed(), 'webhook-signature': `v1,AAAA ${signed()['webhook-signature']}` }
  expect(findFault(Buffer.from(body), both, secret)).toBeUndefined()
})

it.each([
  ['in another body', body.replace('sent', 'open'), signed(), 'signature is not'],
  ['by another secret', body, signed(new Date(), makeWebhookSecret()), 'signature is not'],
  ['under another id', body, { ...signed(), 'webhook-id': 'evt_2' }, 'signature is not'],
  ['long ago', body, signed(minutesAgo(6)), 'time is not now'],
  ['ahead of its time', body, signed(minutesAgo(-6)), 'time is not now'],
  ['at no time', body, { ...signed(), 'webhook-timestamp': 'now' }, 'time is not now'],
  ['by nobody', body, {}, 'no signature'],
] as const)('the catcher tells why it does not believe what was signed %s', (_how, text, headers, fault) => {
  expect(findFault(Buffer.from(text), headers, secret)).toContain(fault)
})
