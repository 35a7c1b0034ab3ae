import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createUser } from '../../src/server/domain/accounts/users.ts'
import { storeGrant } from '../../src/server/domain/auth/grants.ts'
import { storeDmarcReport } from '../../src/server/domain/domains/store-dmarc-report.ts'
import { inAccount } from '../../src/server/kernel/context.ts'
import { type Caller, createCaller, inSession } from '../support/app.ts'
import {
  expectUsable,
  hasChromium,
  openBrowser,
  signIn,
  type TestBrowser,
} from '../support/browser/chromium.ts'
import { navigateInApp, publicPages, signedInPages } from '../support/browser/pages.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { type Desk, makeDesk, makeEmail, makeThread } from '../support/campaigns/inbox.ts'
import { planAll } from '../support/campaigns/task-campaign.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'

const MAX_FIRST_LOAD_BYTES = 200_000
const MAX_FIRST_LOAD_FILES = 12

const ada = { email: 'ada@acme.example', password: 'a few words nobody guesses' }

const dmarcReport = {
  domain: 'analytical.example',
  organization: 'google.com',
  reportId: '1',
  beginsAt: new Date(Date.now() - 86_400_000),
  endsAt: new Date(),
  sources: [
    {
      ...{
        ip: '2001:db8:1234:5678:9abc:def0:1234:5678',
        messages: 1_200,
        passed: 1_100,
        dkimPassed: 1_100,
        spfPassed: 0,
      },
      ...{
        quarantined: 10,
        rejected: 90,
        domains: ['analytical.example', 'bounces.a-long-name-of-a-mailer.example'],
      },
    },
  ],
}

/** Text longer than a line on a phone, and a word that can't be wrapped. */
const long = 'A text that a user writes may be longer than a line on a phone or on a tablet. '
const longWord = `https://acme.example/${'0123456789'.repeat(20)}`

describe.skipIf(!hasChromium())('in the web app,', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  const ids = {
    ...{ campaignId: '', emailThreadId: '', linkedinConversationId: '' },
    ...{ callId: '', assistantId: '', webhookId: '', domainId: '' },
    ...{ personId: '', companyId: '' },
  }
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    const { auth } = server.app.db
    const { id } = await createUser(auth, { ...ada, name: 'Ada Byron', isEmailVerified: true })
    const accountId = randomUUID()
    await auth`
      with made as (insert into accounts (id, name) values (${accountId}, 'Analytical') returning id)
      insert into members (account_id, user_id, role) select id, ${id}, 'owner' from made`
    await storeGrant(auth, {
      id: randomUUID(),
      accountId,
      userId: id,
      clientId: 'assistant',
      clientName: 'Assistant',
      clientHost: 'assistant.example',
      scopes: ['outreach.read'],
      payload: {},
      expiresAt: new Date(Date.now() + 86_400_000),
    })
    const token = await server.createToken({ userId: id })
    const step = { subject: `${long} {{ firstName }}`, body: `Hi {{ firstName }},\n\n${longWord}` }
    const campaign = await server.request('POST', '/campaigns', {
      token,
      body: { name: 'Spring', steps: [step] },
    })
    ids.campaignId = (campaign.body as { id: string }).id
    await server.request('POST', `/campaigns/${ids.campaignId}/prospects`, {
      token,
      body: { data: [{ firstName: 'Grace', email: 'grace@navy.example', company: 'Navy' }] },
    })
    await server.request('POST', '/dnc/communication-opt-outs', {
      token,
      body: {
        identifiers: [{ identifier: 'rival.example' }, { identifier: 'a-long-address@analytical.example' }],
      },
    })
    const caller = createCaller(server.app, {
      accountId,
      userId: id,
      role: 'owner',
      actor: 'test',
      isReadOnly: false,
    })
    const desk = await makeDesk(caller)
    ids.emailThreadId = await makeThread(server.app, caller, desk)
    const message = { ...desk, threadId: ids.emailThreadId }
    await makeEmail(server.app, caller, message)
    await makeEmail(server.app, caller, { ...message, type: 'received', body: `${long}\n\n> ${longWord}` })
    ids.callId = await storeCalls(server, caller)
    await storeTasks(server, caller)
    ids.assistantId = await storeAssistant(server, caller)
    const { data: people } = await caller.call('listPersons', { email: 'grace@navy.example' })
    ids.personId = people[0]!.id
    ids.companyId = people[0]!.companyId!
    await caller.call('createNote', { personId: ids.personId, text: `${long} ${longWord}` })
    await caller.call('updateCampaignKnowledge', { campaignId: ids.campaignId, offer: longWord, tone: long })
    await caller.call('setReplyAgent', { provider: 'openai', model: 'a model', apiKey: 'key' })
    ids.linkedinConversationId = await storeConversation(caller, desk)
    await inSession(caller).call('setSingleSignOn', {
      issuer: 'https://login.analytical.example',
      clientId: 'overture',
      clientSecret: 'a secret',
      domain: 'analytical.example',
    })
    ids.domainId = (await caller.call('createDomain', { domain: 'analytical.example' })).id
    await inAccount(server.app.db.app, accountId, tx => storeDmarcReport(tx, dmarcReport))
    const address = { url: 'https://crm.acme.example/overture', eventTypes: ['prospect.*' as const] }
    ids.webhookId = (await caller.call('createWebhook', address)).id
    await caller.call('testWebhook', { webhookId: ids.webhookId })
    browser = await openBrowser(server.url)
    page = await browser.newPage()
    await page.goto('/sign-in')
    await signIn(page, ada)
    await page.getByRole('heading', { name: 'Home' }).waitFor()
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  async function expectPageUsable(path: string, heading: string): Promise<void> {
    // A conversation shows the person’s name twice once the person is loaded.
    await page.getByRole('heading', { name: heading, exact: true }).first().waitFor()
    const waiting = page.getByRole('status', { name: 'Loading' })
    await expect.poll(() => waiting.count(), { timeout: 30_000 }).toBe(0)
    await expectUsable(page, path.slice(1).replace(/\W+/g, '-'))
  }

  it.each(publicPages)('%s is accessible and fits a phone in both themes', async (path, heading) => {
    await page.goto(path)
    await expectPageUsable(path, heading)
  })

  it.each(signedInPages)('%s is accessible and fits a phone in both themes', async (path, heading) => {
    if (path === '/') await page.goto(path)
    await navigateInApp(
      page,
      path.replace(/:(\w+)/, (_all, name: keyof typeof ids) => ids[name]),
    )
    await expectPageUsable(path, heading)
  })

  it.each(['/sign-in', '/', '/campaigns', '/settings/api-tokens'])(
    '%s loads at most 200 kB of scripts in at most 12 files',
    async path => {
      const fresh = await browser.newPage({ storageState: await page.context().storageState() })
      // Excludes scripts that a page loads later, even on a slow machine.
      await fresh.addInitScript(() => {
        const { setTimeout } = window
        window.setTimeout = ((run: () => void, ms = 0) => (ms < 2_000 ? setTimeout(run, ms) : 0)) as never
      })
      // Keyed by URL: a preloaded script is reported again when it is used.
      const sizes = new Map<string, Promise<number>>()
      fresh.on('requestfinished', request => {
        if (request.resourceType() !== 'script') return
        sizes.set(
          request.url(),
          request.sizes().then(size => size.responseBodySize),
        )
      })
      await fresh.goto(path)
      await fresh.getByRole('heading', { level: 1 }).waitFor()
      // Not `networkidle`, because the stream of live updates stays open.
      await fresh.waitForLoadState('load')
      await expect.poll(() => fresh.getByRole('status', { name: 'Loading' }).count()).toBe(0)
      const bytes = (await Promise.all(sizes.values())).reduce((sum, size) => sum + size, 0)
      expect(bytes).toBeGreaterThan(50_000)
      expect(bytes).toBeLessThan(MAX_FIRST_LOAD_BYTES)
      expect(sizes.size).toBeLessThanOrEqual(MAX_FIRST_LOAD_FILES)
    },
  )

  it('no page requests another host, violates a policy or throws an error', () => {
    expect(browser.errors).toEqual([])
  })
})

/** Stores a call with a transcript and two call requests. */
async function storeCalls({ app: { owner } }: TestServer, { call }: Caller): Promise<string> {
  await call('updateAccount', { assistantsMayRequestCalls: true })
  const { id: assistantId } = await call('createAssistant', {
    name: 'Front desk',
    fromNumber: '+442079460018',
  })
  const input = { assistantId, name: 'Grace Hopper', phoneNumber: '+442079460019', data: { plan: longWord } }
  const { callId } = await call('triggerAssistantCall', input)
  const transcript = [
    { role: 'assistant', text: long, at: 0 },
    { role: 'person', text: longWord, at: 74.5 },
  ]
  await owner`
    update calls set status = 'ended', outcome = 'answered', duration_seconds = 80, summary = ${long},
                     transcript = ${owner.json(transcript)}, recording_url = 'https://voice.acme.example/1.wav'
     where id = ${callId}`
  await call('requestCall', { ...input, reason: `${long} ${longWord}`, email: 'grace@navy.example' })
  await call('requestCall', {
    assistantId,
    name: longWord.slice(0, 200),
    phoneNumber: '+18005550123',
    reason: long,
  })
  return callId
}

/** Stores LinkedIn and manual tasks with text longer than a line. */
async function storeTasks({ app }: TestServer, { call }: Caller): Promise<void> {
  const { id: repId } = await call('createRep', { name: 'Hedy Lamarr' })
  for (const channel of ['linkedin_connect', 'linkedin_message', 'task'] as const) {
    const body = channel === 'linkedin_connect' ? long : `${long} ${longWord}`
    const campaign = { name: `${channel} ${long}`, repIds: [repId], steps: [{ channel, body }] }
    const { id: campaignId } = await call('createCampaign', campaign)
    const data = [{ firstName: longWord.slice(0, 90), linkedinUrl: 'linkedin.com/in/ada-byron' }]
    await call('addProspectsToCampaign', { campaignId, data })
    await call('launchCampaign', { campaignId })
  }
  await planAll(app)
}

/** Stores an assistant that its provider rejected, an active consent and a withdrawn consent. */
async function storeAssistant({ app: { owner } }: TestServer, { call }: Caller): Promise<string> {
  const { id } = await call('createAssistant', {
    name: 'Night desk',
    fromNumber: '+442079460018',
    provider: 'http',
    http: { baseUrl: 'https://voice.acme.example' },
    apiKey: 'key',
    callbackSecret: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
  })
  await owner`update assistants set status = 'failing', status_reason = ${`${long} ${longWord}`} where id = ${id}`
  const given = { phoneNumber: '+442079460019', kind: 'written' as const, proof: `${long} ${longWord}` }
  await call('recordConsent', { ...given, name: longWord.slice(0, 200), source: long })
  const { id: consentId } = await call('recordConsent', { ...given, covers: 'ai_voice_service' })
  await call('withdrawConsent', { consentId, reason: long })
  return id
}

/** Stores an unread LinkedIn reply and a draft of the response. */
async function storeConversation({ call }: Caller, { prospectId, repId }: Desk): Promise<string> {
  const text = `${long} ${longWord}`
  await call('recordLinkedinMessage', { prospectId, repId, type: 'manual', text: long })
  await call('recordLinkedinMessage', { prospectId, repId, type: 'received', text })
  return (await call('createLinkedinDraft', { prospectId, repId, text })).linkedinConversationId
}
