import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp, testSecret } from '../../test/support/app.ts'
import { deliverDueEvents, isSigned, WebhookReceiver } from '../../test/support/http/webhook-receiver.ts'
import { databaseSettings, runCli } from '../../test/support/processes/command-line.ts'

let app: TestApp
let dir: string
let receiver: WebhookReceiver
let owner: Caller
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  dir = await mkdtemp(join(tmpdir(), 'overture-cli-'))
  receiver = await WebhookReceiver.open()
  owner = await makeCaller(app)
})
afterAll(async () => {
  await receiver[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
  await rm(dir, { recursive: true, force: true })
})

const cli = (...args: string[]) => {
  const settings = {
    ...databaseSettings(app.connection),
    OVERTURE_DATA: dir,
    // The server in this process must be able to decrypt what the command encrypts.
    OVERTURE_SECRET: testSecret,
    ALLOW_PRIVATE_HOSTS: '127.0.0.1',
  }
  return runCli(['webhook', ...args, '--account', owner.accountId], settings)
}
const json = async (...args: string[]) => {
  const { code, stdout, stderr } = await cli(...args, '--json')
  expect(code, stderr).toBe(0)
  return JSON.parse(stdout)
}

it('webhook commands create, test, list and delete webhooks, replay deliveries and rotate secrets', async () => {
  const url = receiver.url()
  const webhook = await json('create', url, '--events', 'opt_out.*', 'email.sent', '--description', 'CRM')
  expect(webhook).toMatchObject({ url, eventTypes: ['opt_out.*', 'email.sent'], description: 'CRM' })

  expect((await cli('test', url)).stdout).toBe(`Queued a test event for ${url}.\n`)
  await deliverDueEvents(app)
  expect(receiver.posted.map(({ event }) => event.type)).toEqual(['webhook.test'])
  expect(isSigned(receiver.posted[0]!, webhook.secret)).toBe(true)
  const [delivery] = await json('deliveries', webhook.id, '--status', 'delivered')
  expect(delivery).toMatchObject({ eventType: 'webhook.test', status: 'delivered', attempts: 1 })
  expect((await cli('deliveries', url)).stdout).toMatch(
    new RegExp(`^id .*\n${delivery.id} +webhook\\.test .* delivered +1 +200`),
  )

  expect((await cli('replay', url, '--delivery', delivery.id)).stdout).toBe('Queued 1 delivery.\n')
  await deliverDueEvents(app)
  expect(receiver.posted.map(({ id }) => id)).toEqual([delivery.eventId, delivery.eventId])
  expect(await json('replay', url, '--since', '2000-01-01')).toEqual({ replayed: 1 })

  const { stdout: secret } = await cli('rotate-secret', url)
  expect(secret).toMatch(/^whsec_[\w+/=]+\n$/)
  await deliverDueEvents(app)
  expect(isSigned(receiver.posted.at(-1)!, secret.trim())).toBe(true)

  expect((await cli('list')).stdout).toMatch(
    new RegExp(`\n${webhook.id} +${url} +opt_out\\.\\* email\\.sent +enabled`),
  )
  expect((await cli('delete', url)).stdout).toBe(`Deleted webhook ${url} (${webhook.id}).\n`)
  expect((await cli('list')).stdout).toBe('No webhooks found.\n')
})

it('webhook commands exit with 2 when the webhook is unknown or ambiguous or the replay has no scope', async () => {
  const ids = []
  for (let n = 0; n < 2; n++)
    ids.push((await owner.call('createWebhook', { url: receiver.url('/twice'), eventTypes: ['email.*'] })).id)
  const twice = receiver.url('/twice')
  expect(await cli('delete', 'https://nowhere.example')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('`overture webhook list`'),
  })
  expect(await cli('delete', twice)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Use the ID'),
  })
  expect(await cli('replay', ids[0]!)).toMatchObject({ code: 2, stderr: expect.stringMatching(/--failed/) })
  expect(await cli('replay', ids[0]!, '--failed', '--since', '2026-01-01')).toMatchObject({ code: 2 })
  expect(await cli('replay', ids[0]!, '--since', 'yesterday')).toMatchObject({ code: 2 })
  expect(await cli('create', 'http://10.0.0.1/', '--events', 'email.*')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('https://'),
  })
  expect(await cli('create', 'https://crm.example/', '--events', 'everything')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('eventTypes'),
  })
  expect((await owner.call('listWebhooks', {})).data).toHaveLength(2)
})
