import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createCaller, openTestApp, type TestApp } from '../../../test/support/app.ts'
import { readConfig } from '../../server/kernel/config.ts'
import { type Running, serve } from '../../server/main.ts'
import { type Demo, openDemo } from '../demo.ts'
import { createSeedContext, getAccountId, getUserId } from '../seed/seed-context.ts'
import { chooseReaction, type Reaction } from './behaviors.ts'
import { simulateRecipients } from './recipients.ts'

const PEOPLE = 320

let app: TestApp
let demo: Demo
let running: Running
beforeAll(async () => {
  app = await openTestApp()
  const config = readConfig({}, { OVERTURE_DATA: app.dataDir, PORT: '0', LOG_LEVEL: 'silent' })
  const installation = {
    app: { ...app, config },
    dataDir: app.dataDir,
    [Symbol.asyncDispose]: async () => {},
  }
  demo = await openDemo(installation)
  running = await serve(config, installation)
})
afterAll(async () => {
  await running?.[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

it('simulated recipients react to every email of a large campaign without using API quota', async () => {
  const accountId = getAccountId('acme')
  const { call } = createCaller(running.app, {
    ...{ accountId, userId: getUserId('owner@demo.example'), role: 'owner' },
    ...{ actor: 'session:1', isReadOnly: false },
  })
  // The demo's campaign sends one email at a time, which would take minutes.
  await call('pauseCampaign', { campaignId: demo.info.campaignId })
  const repIds = ['mia', 'tomas', 'amara'].map(key => createSeedContext('acme', app.now()).id('rep', key))
  const { id: campaignId } = await call('createCampaign', {
    ...{ name: 'Large', repIds },
    steps: [{ subject: 'Hello', body: 'Hi {{ firstName }}' }],
  })
  const emails = Array.from({ length: PEOPLE }, (_, n) => `p${n}@company${n}.example`)
  const rows = emails.map((email, n) => `P${n},${email}`)
  await call('importProspects', { campaignId, csv: `First Name,Email\n${rows.join('\n')}` })
  const sandboxDir = join(app.dataDir, 'sandbox')
  const delay = { minMs: 0, maxMs: 1_000 }
  await using _recipients = await simulateRecipients(running.app, { url: running.url!, sandboxDir }, delay)
  await call('launchCampaign', { campaignId })
  const count = (...reactions: Reaction[]) =>
    emails.filter(to => reactions.includes(chooseReaction({ to, references: '' }))).length
  await vi.waitFor(
    async () =>
      expect(await call('getCampaignStats', { campaignId })).toMatchObject({
        ...{
          sent: PEOPLE,
          replied: count('reply', 'unsubscribe_reply'),
          autoReplied: count('out_of_office'),
        },
        ...{ bouncedHard: count('bounce'), complaints: count('complaint') },
        optedOut: count('unsubscribe_reply', 'complaint', 'unsubscribe_link'),
      }),
    { timeout: 100_000, interval: 500 },
  )
  for (const user of ['manager@demo.example', 'rival@demo.example']) {
    const response = await fetch(`${running.url}/v1/account`, {
      headers: { authorization: `Bearer ${demo.info.tokens[user]}` },
    })
    await response.body?.cancel()
    expect(response.headers.get('ratelimit-remaining')).toBe('99')
  }
})
