import { afterAll, beforeAll, expect, it } from 'vitest'
import { openEngine } from '../../src/server/engine/loop.ts'
import { registerQueueMetrics } from '../../src/server/engine/queue-metrics.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'
import { makeMailCampaign } from '../support/mail/mail-campaign.ts'
import { ScriptedSmtp } from '../support/mail/scripted-smtp.ts'

let server: TestServer
let mail: ScriptedSmtp
let engine: AsyncDisposable
beforeAll(async () => {
  server = await openTestServer({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  mail = await ScriptedSmtp.open()
  registerQueueMetrics(server.app)
  engine = openEngine(server.app)
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
  await mail[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

/** Returns the value of a metric; undefined when it is absent. */
async function read(metric: string): Promise<number | undefined> {
  const { text } = await server.request('GET', '/metrics')
  const line = text.split('\n').find(each => each.startsWith(`${metric} `))
  return line === undefined ? undefined : Number(line.slice(metric.length + 1))
}

it('metrics report sent emails, the duration of each stage, and an empty queue', async () => {
  await makeMailCampaign(server.app, [mail], 3)
  await expect.poll(() => read('overture_sends_total{outcome="sent"}')).toBe(3)
  for (const stage of ['plan', 'read', 'compose', 'smtp', 'gate', 'record']) {
    expect(await read(`overture_send_stage_seconds_count{stage="${stage}"}`)).toBe(3)
  }
  expect(await read('overture_queue_messages{state="queued"}')).toBeUndefined()
  expect(await read('overture_queue_lag_seconds')).toBe(0)
})

it('metrics report deferred and queued emails', async () => {
  mail.script = step => (step === 'RCPT' ? '451 4.3.0 later' : undefined)
  await makeMailCampaign(server.app, [mail], 2)
  await expect.poll(() => read('overture_sends_total{outcome="deferred"}')).toBe(2)
  await expect.poll(() => read('overture_queue_messages{state="queued"}')).toBe(2)
})

it('metrics report received mail, including mail that is not stored', async () => {
  const { owner, mailboxIds } = await makeMailCampaign(server.app, [mail], 1)
  const { inboundUrl } = await owner.call('getMailbox', { mailboxId: mailboxIds[0]! })
  const response = await fetch(server.url + new URL(inboundUrl!).pathname, {
    method: 'POST',
    headers: { 'content-type': 'message/rfc822' },
    body: 'From: a@stranger.example\r\nSubject: Hello\r\n\r\nHi\r\n',
  })
  expect(response.status).toBe(200)
  expect(await read('overture_received_mails_total{kind="reply",outcome="ignored"}')).toBe(1)
})
