import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller } from '../support/app.ts'
import { addSessionCookie, hasChromium, openBrowser, type TestBrowser } from '../support/browser/chromium.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'
import { LlmServer } from '../support/llm/llm-server.ts'

/** The tests run in order: each continues where the previous one ended. */
describe.skipIf(!hasChromium())('the reply agent in the web app', () => {
  let model: LlmServer
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let owner: Caller
  beforeAll(async () => {
    buildWeb()
    model = await LlmServer.open()
    server = await openTestServer({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
    owner = await makeCaller(server.app)
    browser = await openBrowser(server.url)
    page = await browser.newPage()
    await addSessionCookie(page, server.url, await server.createCookie(owner))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
    await model?.[Symbol.asyncDispose]()
  })

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const readReplyAgent = async () => (await owner.call('getReplyAgent', {})).replyAgent

  it('shows that only rules are used until a model is set up', async () => {
    await page.goto('/settings/reply-agent')
    await page.getByText('No model is set up: replies are classified by rules').waitFor()
    await page.getByLabel('Provider').selectOption('openai')
    await page.getByLabel('Model').fill('gpt-test')
    await button('Save reply agent').click()
    await page.getByText('Is required for openai').waitFor()
    expect(await readReplyAgent()).toBeUndefined()
  })

  it('saves the model with its autopilot and never shows its API key', async () => {
    await page.getByLabel('Base URL').fill(model.baseUrl)
    await page.getByLabel('API key').fill('a wrong key')
    await page.getByRole('group', { name: 'Intents', exact: true }).getByLabel('Questions').check()
    await page.getByLabel('Delay (minutes)').fill('60')
    await page.getByLabel('Input price').fill('0.25')
    await button('Save reply agent').click()
    await page.getByText('Not tested').waitFor()
    expect(await readReplyAgent()).toMatchObject({
      provider: 'openai',
      hasApiKey: true,
      inputPrice: 0.25,
      autopilot: { intents: ['question'], delayMinutes: 60, dailyCap: 20 },
    })
    expect(await page.getByLabel('API key').inputValue()).toBe('')
  })

  it('shows the problem when a model test fails, and that the model works once the problem is fixed', async () => {
    await button('Test model').click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('API key').fill(model.apiKey)
    await button('Save reply agent').click()
    await page.getByText('Reply agent saved.').waitFor()
    await button('Test model').click()
    await page.getByText('Working', { exact: true }).waitFor()
    expect(model.requests).toHaveLength(1)
    expect(await page.content()).not.toContain(model.apiKey)
  })

  it('edits a campaign’s knowledge up to the size limit', async () => {
    const { id: campaignId } = await owner.call('createCampaign', { name: 'Spring' })
    const knowledge = () => owner.call('getCampaignKnowledge', { campaignId })
    await page.goto(`/campaigns/${campaignId}/sending`)
    await button('Edit knowledge').click()
    await page.getByLabel('Offer').fill('x'.repeat(10_001))
    await button('Save knowledge').click()
    await page.getByText('Enter at most 10000 characters').waitFor()
    await page.getByLabel('Offer').fill('4 EUR a person & month')
    await page.getByLabel('Tone').fill('Short.')
    await button('Save knowledge').click()
    await page.getByText('4 EUR a person & month').waitFor()
    expect(await knowledge()).toMatchObject({ offer: '4 EUR a person & month', tone: 'Short.' })
    await button('Edit knowledge').click()
    await page.getByLabel('Tone').fill('')
    await button('Save knowledge').click()
    await button('Edit knowledge').waitFor()
    expect(await knowledge()).not.toHaveProperty('tone')
  })

  it('removes the model and its API key after confirmation', async () => {
    await page.goto('/settings/reply-agent')
    await button('Remove model').click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove model' }).click()
    await page.getByText('No model is set up').waitFor()
    expect(await readReplyAgent()).toBeUndefined()
  })

  it('makes no requests to other hosts, violates no policy and throws no errors', () => {
    expect(browser.errors).toEqual([])
  })
})
