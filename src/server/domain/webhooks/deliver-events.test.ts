import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import {
  deliverDueEvents,
  isSigned,
  WebhookReceiver,
} from '../../../../test/support/http/webhook-receiver.ts'
import { claimWebhooks } from './claim-webhooks.ts'
import { deleteOldDeliveries } from './deliveries.ts'
import { serveWebhook } from './serve-webhook.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

let app: TestApp
let receiver: WebhookReceiver
let admin: Caller
let now: number
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
})
beforeEach(async () => {
  await receiver?.[Symbol.asyncDispose]()
  receiver = await WebhookReceiver.open()
  await app.owner`delete from webhooks`
  admin = await makeCaller(app, 'admin')
  now = Date.now()
  app.setNow(new Date(now))
})
afterAll(async () => {
  await receiver[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

const makeWebhook = (url = receiver.url()) => admin.call('createWebhook', { url, eventTypes: ['opt_out.*'] })
let entryCount = 0
const addEvents = async (count = 1) => {
  const identifiers = Array.from({ length: count }, () => ({ identifier: `n${entryCount++}@navy.example` }))
  await admin.call('addOptOuts', { identifiers })
}
const listDeliveries = async (webhookId: string) =>
  (await admin.call('listWebhookDeliveries', { webhookId, limit: 100 })).data
const passTime = async (ms: number) => {
  now += ms
  app.setNow(new Date(now))
  await deliverDueEvents(app)
}
const listAuditActions = async () => (await admin.call('listAuditLog', {})).data.map(({ action }) => action)

describe('an event', () => {
  it('is posted once, with a signature that an independent library verifies', async () => {
    const { id: webhookId, secret } = await makeWebhook()
    await addEvents()
    await deliverDueEvents(app)
    await passTime(DAY_MS)
    expect(receiver.posted).toHaveLength(1)
    const [posted] = receiver.posted
    expect(isSigned(posted!, secret)).toBe(true)
    expect(isSigned({ ...posted!, body: `${posted!.body} ` }, secret)).toBe(false)
    expect(isSigned(posted!, `whsec_${Buffer.alloc(32).toString('base64')}`)).toBe(false)
    expect(posted!.headers['content-type']).toBe('application/json')
    expect(posted!.event).toEqual({
      type: 'opt_out.added',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: expect.objectContaining({ objectType: 'communication_opt_out', identifierType: 'email' }),
    })
    expect(await listDeliveries(webhookId)).toMatchObject([
      { eventId: posted!.id, status: 'delivered', attempts: 1, responseStatus: 200 },
    ])
    expect((await admin.call('getWebhook', { webhookId })).lastDeliveredAt).toBeDefined()
  })

  it('is signed with both secrets for a day after a rotation, then only with the new one', async () => {
    const { id: webhookId, secret: former } = await makeWebhook()
    const { secret } = await admin.call('rotateWebhookSecret', { webhookId })
    await addEvents()
    await deliverDueEvents(app)
    expect([former, secret].map(each => isSigned(receiver.posted[0]!, each))).toEqual([true, true])
    // The library rejects timestamps in the future, so this moves the end of the previous secret instead.
    await app.owner`update webhooks set previous_secret_ends_at = ${new Date(now)} where id = ${webhookId}`
    await addEvents()
    await deliverDueEvents(app)
    expect([former, secret].map(each => isSigned(receiver.posted[1]!, each))).toEqual([false, true])
  })

  it('is posted ten times with the same ID over about 76 hours if it fails, and is then abandoned', async () => {
    const { id: webhookId, secret } = await makeWebhook()
    receiver.answer = (_posted, response) => response.writeHead(500).end('out of order')
    await addEvents()
    await deliverDueEvents(app)
    expect(isSigned(receiver.posted[0]!, secret)).toBe(true)
    const began = now
    const waits: number[] = []
    for (;;) {
      const [delivery] = await listDeliveries(webhookId)
      if (delivery!.status === 'failed') break
      expect(delivery).toMatchObject({ status: 'pending', responseStatus: 500, response: 'out of order' })
      const waitMs = Date.parse(delivery!.nextAttemptAt!) - now
      waits.push(waitMs)
      await passTime(waitMs - 1)
      expect(receiver.posted).toHaveLength(waits.length)
      await passTime(1)
    }
    expect(receiver.posted).toHaveLength(10)
    expect(new Set(receiver.posted.map(({ id, body }) => `${id} ${body}`)).size).toBe(1)
    for (const [index, seconds] of [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400].entries()) {
      expect(waits[index]! / seconds / 1000).toBeGreaterThanOrEqual(0.9)
      expect(waits[index]! / seconds / 1000).toBeLessThanOrEqual(1.1)
    }
    expect(now - began).toBeGreaterThan(60 * HOUR_MS)
    await passTime(30 * DAY_MS)
    expect(receiver.posted).toHaveLength(10)
  })

  it('is not retried before Retry-After', async () => {
    const { id: webhookId } = await makeWebhook()
    receiver.answer = (_posted, response) => response.writeHead(429, { 'retry-after': '600' }).end()
    await addEvents()
    await deliverDueEvents(app)
    expect((await listDeliveries(webhookId))[0]).toMatchObject({
      nextAttemptAt: new Date(now + 600_000).toISOString(),
      error: 'The receiver responded with 429',
    })
  })

  it('is delivered if the status says so, even when the body is cut off', async () => {
    const { id: webhookId } = await makeWebhook()
    receiver.answer = (_posted, response, request) => {
      response.writeHead(200, { 'content-length': 1000 })
      response.write('half\0 of \u{d83d} it')
      setImmediate(() => request.socket.resetAndDestroy())
    }
    await addEvents()
    await deliverDueEvents(app)
    expect((await listDeliveries(webhookId))[0]).toMatchObject({ status: 'delivered', responseStatus: 200 })
  })

  it('is not delayed by an endless response body, and only the start of the body is stored', async () => {
    const { id: webhookId } = await makeWebhook()
    receiver.answer = (_posted, response) => {
      const endless = Readable.from(
        Iterator.from({ next: () => ({ value: 'x'.repeat(65_536), done: false }) }),
      )
      pipeline(endless, response).catch(() => {})
    }
    await addEvents()
    await deliverDueEvents(app)
    const [delivery] = await listDeliveries(webhookId)
    expect(delivery).toMatchObject({ status: 'delivered', response: 'x'.repeat(1000) })
  })

  it('fails when the server switches protocols, and is retried', async () => {
    const { id: webhookId } = await makeWebhook()
    receiver.answer = (_posted, response) =>
      response.writeHead(101, { connection: 'upgrade', upgrade: 'x' }).end()
    await addEvents()
    await deliverDueEvents(app)
    expect((await listDeliveries(webhookId))[0]).toMatchObject({
      status: 'pending',
      error: expect.stringContaining('another protocol'),
    })
    receiver.answer = (_posted, response) => response.end()
    await passTime(60_000)
    expect((await listDeliveries(webhookId))[0]).toMatchObject({ status: 'delivered' })
  })

  it('is not posted to the target of a redirect', async () => {
    const { id: webhookId } = await makeWebhook()
    await using otherReceiver = await WebhookReceiver.open()
    receiver.answer = (_posted, response) => response.writeHead(307, { location: otherReceiver.url() }).end()
    await addEvents()
    await deliverDueEvents(app)
    expect(otherReceiver.posted).toHaveLength(0)
    expect((await listDeliveries(webhookId))[0]).toMatchObject({
      status: 'pending',
      error: 'The receiver responded with 307',
    })
  })

  it('includes a link instead of an object larger than 20 kB', async () => {
    const { id: webhookId } = await admin.call('createWebhook', {
      url: receiver.url(),
      eventTypes: ['campaign.created'],
    })
    const { id } = await admin.call('createCampaign', {
      name: 'Long',
      description: 'ö'.repeat(1000),
      repIds: [],
    })
    await app.owner`update campaigns set description = ${'ö'.repeat(10_000)} where id = ${id}`
    await deliverDueEvents(app)
    expect(receiver.posted[0]!.event.data).toEqual({
      id,
      objectType: 'campaign',
      url: expect.stringMatching(new RegExp(`^http://.*/v1/campaigns/${id}$`)),
    })
    expect(await listDeliveries(webhookId)).toHaveLength(1)
  })
})

describe('a webhook', () => {
  it('is disabled when it responds with 410, which the audit log records', async () => {
    const { id: webhookId } = await makeWebhook()
    receiver.answer = (_posted, response) => response.writeHead(410).end()
    await addEvents()
    await deliverDueEvents(app)
    expect(await admin.call('getWebhook', { webhookId })).toMatchObject({
      isEnabled: false,
      disabledReason: 'gone',
      lastError: 'The receiver responded with 410',
    })
    expect(await listAuditActions()).toContain('disable_gone')
    await addEvents()
    await passTime(DAY_MS)
    expect(receiver.posted).toHaveLength(1)
  })

  it('is disabled after it has failed for five days, and delivers again when it is enabled', async () => {
    const { id: webhookId } = await makeWebhook()
    receiver.answer = (_posted, response) => response.writeHead(503).end()
    await addEvents()
    await deliverDueEvents(app)
    await addEvents()
    await passTime(5 * DAY_MS - 1)
    expect(await admin.call('getWebhook', { webhookId })).toMatchObject({ isEnabled: true })
    await passTime(HOUR_MS)
    expect(await admin.call('getWebhook', { webhookId })).toMatchObject({
      isEnabled: false,
      disabledReason: 'failing',
    })
    expect(await listAuditActions()).toContain('disable_failing')
    receiver.posted.length = 0
    receiver.answer = (_posted, response) => response.end()
    await passTime(DAY_MS)
    expect(receiver.posted).toHaveLength(0)
    expect(await admin.call('updateWebhook', { webhookId, isEnabled: true })).toMatchObject({ failures: 0 })
    await passTime(1)
    expect(receiver.posted).toHaveLength(2)
    expect((await listDeliveries(webhookId)).map(({ status }) => status)).toEqual(['delivered', 'delivered'])
  })

  it('stores no events while it is disabled', async () => {
    const { id: webhookId } = await makeWebhook()
    await admin.call('updateWebhook', { webhookId, isEnabled: false })
    await addEvents()
    expect(await listDeliveries(webhookId)).toEqual([])
    await expect(admin.call('testWebhook', { webhookId })).rejects.toThrow(/is disabled/)
  })

  it('reports what to do when its secret can’t be decrypted, and delivers again after a rotation', async () => {
    const { id: webhookId } = await makeWebhook()
    await app.owner`update webhooks set secret = '\\x01' where id = ${webhookId}`
    await addEvents()
    await deliverDueEvents(app)
    expect(receiver.posted).toHaveLength(0)
    expect(await admin.call('getWebhook', { webhookId })).toMatchObject({
      failures: 1,
      failingSince: new Date(now).toISOString(),
      lastError: expect.stringContaining('Rotate the secret'),
    })
    expect((await listDeliveries(webhookId))[0]).toMatchObject({
      attempts: 1,
      error: expect.stringContaining('Rotate the secret'),
    })
    const { secret } = await admin.call('rotateWebhookSecret', { webhookId })
    await passTime(60_000)
    expect(receiver.posted.map(posted => isSigned(posted, secret))).toEqual([true])
    expect((await admin.call('getWebhook', { webhookId })).lastError).toBeUndefined()
  })

  it('does not delay other webhooks when it hangs', async () => {
    await using hanging = await WebhookReceiver.open()
    hanging.answer = () => {}
    await makeWebhook(hanging.url())
    await makeWebhook()
    await addEvents(30)
    const delivering = deliverDueEvents(app)
    await expect.poll(() => receiver.posted.length, { timeout: 14_000 }).toBe(30)
    expect(hanging.posted.length).toBeLessThanOrEqual(10)
    await hanging[Symbol.asyncDispose]()
    await delivering
  })

  it('is served serially while it fails', async () => {
    await makeWebhook()
    const tenAreOpen = Promise.withResolvers<void>()
    let openCount = 0
    let maxOpen = 0
    receiver.answer = async (_posted, response) => {
      openCount += 1
      maxOpen = Math.max(maxOpen, openCount)
      if (openCount === 10) tenAreOpen.resolve()
      await tenAreOpen.promise
      await sleep(5)
      openCount -= 1
      response.writeHead(500).end()
    }
    await addEvents(20)
    await deliverDueEvents(app)
    expect(maxOpen).toBe(10)
    maxOpen = 0
    await passTime(6_000)
    expect(maxOpen).toBe(1)
  })

  it('is served by one process at a time, and by another when the first stops responding', async () => {
    const { id: webhookId } = await makeWebhook()
    await addEvents()
    const claim = () => claimWebhooks(app.db.engine, { now: app.now(), limit: 100, leaseMs: 30_000 })
    const [lost] = await claim()
    expect(lost).toMatchObject({ webhookId })
    expect(await claim()).toEqual([])
    app.setNow(new Date(now + 30_000))
    const [next] = await claim()
    await serveWebhook(app, lost!, new AbortController().signal)
    expect(receiver.posted).toHaveLength(0)
    await serveWebhook(app, next!, new AbortController().signal)
    expect(receiver.posted).toHaveLength(1)
  })

  it('keeps no deliveries older than 30 days, except pending ones while it is enabled', async () => {
    const { id: webhookId } = await makeWebhook()
    await addEvents(2)
    await deliverDueEvents(app)
    await app.owner`update webhook_deliveries set created_at = created_at - interval '31 days'`
    const [pending] = await listDeliveries(webhookId)
    await admin.call('replayWebhook', { webhookId, deliveryId: pending!.id })
    await addEvents()
    const [recent] = await listDeliveries(webhookId)
    const listIds = async () => (await listDeliveries(webhookId)).map(({ id }) => id)
    await deleteOldDeliveries(app.db.engine, app.now())
    expect(await listIds()).toEqual([recent!.id, pending!.id])
    await admin.call('updateWebhook', { webhookId, isEnabled: false })
    await deleteOldDeliveries(app.db.engine, app.now())
    expect(await listIds()).toEqual([recent!.id])
  })
})

describe('a replay', () => {
  it('posts one delivery, all failed ones or all since a given time again, with the same IDs', async () => {
    const { id: webhookId } = await makeWebhook()
    await addEvents(3)
    await deliverDueEvents(app)
    const ids = receiver.posted.map(({ id }) => id).sort()
    const replay = async (selector: object) => {
      receiver.posted.length = 0
      const response = await admin.call('replayWebhook', { webhookId, ...selector })
      await deliverDueEvents(app)
      expect(response.replayed).toBe(receiver.posted.length)
      return receiver.posted.map(({ id }) => id).sort()
    }
    const [last, , first] = await listDeliveries(webhookId)
    expect(await replay({ deliveryId: first!.id })).toEqual([first!.eventId])
    expect(await replay({ since: first!.createdAt })).toEqual(ids)
    expect(await replay({ since: new Date(Date.parse(last!.createdAt) + 1).toISOString() })).toEqual([])
    expect(await replay({ failed: true })).toEqual([])
    await app.owner`update webhook_deliveries set status = 'failed' where id = ${first!.id}`
    expect(await replay({ failed: true })).toEqual([first!.eventId])
  })

  it('requires exactly one selector', async () => {
    const { id: webhookId } = await makeWebhook()
    await expect(admin.call('replayWebhook', { webhookId })).rejects.toThrow(/exactly one of/)
    await expect(
      admin.call('replayWebhook', { webhookId, failed: true, since: new Date(now).toISOString() }),
    ).rejects.toThrow(/exactly one of/)
  })
})

it('testWebhook posts an event that includes the webhook itself', async () => {
  const { id: webhookId } = await makeWebhook()
  const delivery = await admin.call('testWebhook', { webhookId })
  await deliverDueEvents(app)
  expect(receiver.posted[0]).toMatchObject({
    id: delivery.eventId,
    event: { type: 'webhook.test', data: { id: webhookId, url: receiver.url() } },
  })
})
