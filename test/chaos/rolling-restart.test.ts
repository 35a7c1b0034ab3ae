import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { openTestApp, type TestApp, testSecret } from '../support/app.ts'
import { makeMailCampaign } from '../support/mail/mail-campaign.ts'
import { databaseSettings, type Running, startCli } from '../support/processes/command-line.ts'
import { Journal } from './journal.ts'
import { openJournaledSmtp } from './journaled-smtp.ts'
import { tallyDeliveries } from './tally-deliveries.ts'

const ENGINES = 3
const PEOPLE = 400
const STOP_MS = 30_000

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
})
afterAll(() => app[Symbol.asyncDispose]())

/** Starts an engine as an operator does, and waits until it runs. */
async function startEngine(args: string[] = []): Promise<Running & { output: string }> {
  const engine = startCli(['serve', '--role', 'engine', '--json', '--log-level', 'silent', ...args], {
    ...databaseSettings(app.connection),
    OVERTURE_DATA: join(app.dataDir, 'engine'),
    OVERTURE_SECRET: testSecret,
    ALLOW_PRIVATE_HOSTS: '127.0.0.1',
  })
  const output = await new Promise<string>((resolve, reject) => {
    engine.child.stdout.once('data', data => resolve(String(data)))
    engine.child.once('exit', async () => reject(new Error(await engine.stderr)))
  })
  return { ...engine, output }
}

/** Sends SIGTERM and expects a clean exit within the promised time. */
async function stop({ child, ended }: Running): Promise<void> {
  const over = ended()
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
  expect((await over).code, 'exits cleanly within 30 seconds').toBe(0)
  clearTimeout(late)
}

it('three engines restarted one after the other while sending lose nothing and send nothing twice', async () => {
  using journal = new Journal()
  await using peer = await openJournaledSmtp(journal)
  const { owner } = await makeMailCampaign(app, Array(4).fill(peer), PEOPLE)
  let engines = await Promise.all(Array.from({ length: ENGINES }, () => startEngine()))
  for (let restart = 0; restart < 2 * ENGINES; restart += 1) {
    const before = journal.dots.length
    await vi.waitUntil(() => journal.dots.length > Math.min(before + 20, PEOPLE - 1), {
      timeout: 180_000,
      interval: 20,
    })
    const [oldest, ...others] = engines
    const [next] = await Promise.all([startEngine(), stop(oldest!)])
    engines = [...others, next]
  }
  await vi.waitUntil(() => journal.dots.length >= PEOPLE, { timeout: 120_000, interval: 50 })
  await Promise.all(engines.map(stop))
  expect(await tallyDeliveries(app.owner, journal, owner.accountId)).toMatchObject({
    prospects: PEOPLE,
    sent: PEOPLE,
    unconfirmed: 0,
    duplicated: 0,
    lost: 0,
    misreported: 0,
  })
})

it('an engine stops within 30 seconds although its SMTP server hangs, and another engine sends the rest', async () => {
  using journal = new Journal()
  let isHanging = true
  await using peer = await openJournaledSmtp(journal, step =>
    isHanging && step === 'RCPT' ? { reaction: 'silent' } : undefined,
  )
  const { owner } = await makeMailCampaign(app, [peer], 2)
  const stuck = await startEngine(['--health-port', '0'])
  const { healthUrl } = JSON.parse(stuck.output) as { healthUrl: string }
  expect((await fetch(`${healthUrl}/readyz`)).status).toBe(200)
  expect(await (await fetch(`${healthUrl}/metrics`)).text()).toContain('overture_')
  expect((await fetch(`${healthUrl}/v1/campaigns`)).status).toBe(404)
  await vi.waitUntil(() => journal.attempts.length > 0, { timeout: 180_000, interval: 20 })
  await stop(stuck)
  isHanging = false
  const next = await startEngine()
  await vi.waitUntil(() => journal.dots.length >= 2, { timeout: 120_000, interval: 50 })
  await stop(next)
  expect(await tallyDeliveries(app.owner, journal, owner.accountId)).toMatchObject({
    sent: 2,
    duplicated: 0,
    lost: 0,
  })
})
