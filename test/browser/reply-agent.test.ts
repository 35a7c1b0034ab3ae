import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aCaller, type Caller } from '../support/app.ts'
import { giveCookie, hasChromium, openBrowser, type TestBrowser } from '../support/browser/chromium.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'
import { LlmServer } from '../support/llm/llm-server.ts'

/** One after the other: each goes on where the one before ended. */
describe.skipIf(!hasChromium())('the reply agent', () => {
  let model: LlmServer
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let owner: Caller
  beforeAll(async () => {
    buildWeb()
    model = await LlmServer.open()
    server = await openTestServer({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
    owner = await aCaller(server.app)
    browser = await openBrowser(server.url)
    page = await browser.newPage()
    await giveCookie(page, server.url, await server.cookieOf(owner))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
    await model?.[Symbol.asyncDispose]()
  })

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const stored = async () => (await owner.call('getReplyAgent', {})).replyAgent

  it('is rules alone until a model is set, and says so', async () => {
    await page.goto('/settings/reply-agent')
    await page.getByText('No model is set: rules alone tell').waitFor()
    await page.getByLabel('Provider').selectOption('openai')
    await page.getByLabel('Model').fill('gpt-test')
    await button('Save reply agent').click()
    await page.getByText('Is required for openai').waitFor()
    expect(await stored()).toBeUndefined()
  })

  it('is saved with its autopilot, and keeps its key to itself', async () => {
    await page.getByLabel('Address').fill(model.baseUrl)
    await page.getByLabel('API key').fill('a wrong key')
    await page.getByLabel('Questions').check()
    await page.getByLabel('Minutes before sending').fill('60')
    await page.getByLabel('Price of input').fill('0.25')
    await button('Save reply agent').click()
    await page.getByText('not tried').waitFor()
    expect(await stored()).toMatchObject({
      provider: 'openai',
      hasApiKey: true,
      inputPrice: 0.25,
      autopilot: { intents: ['question'], delayMinutes: 60, dailyCap: 20 },
    })
    expect(await page.getByLabel('API key').inputValue()).toBe('')
  })

  it('tells what to mend when its model is tried, and that it works', async () => {
    await button('Try model').click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('API key').fill(model.apiKey)
    await button('Save reply agent').click()
    await page.getByText('The reply agent is saved.').waitFor()
    await button('Try model').click()
    await page.getByText('works', { exact: true }).waitFor()
    expect(model.asked).toHaveLength(1)
    expect(await page.content()).not.toContain(model.apiKey)
  })

  it('may say of a campaign what stands on its page, up to a size that is told', async () => {
    const { id: campaignId } = await owner.call('createCampaign', { name: 'Spring' })
    const knowledge = () => owner.call('getCampaignKnowledge', { campaignId })
    await page.goto(`/campaigns/${campaignId}`)
    await button('Edit knowledge').click()
    await page.getByLabel('Offer').fill('x'.repeat(10_001))
    await button('Save knowledge').click()
    await page.getByText('Use at most 10000 characters').waitFor()
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

  it('is removed with its key once that is confirmed', async () => {
    await page.goto('/settings/reply-agent')
    await button('Remove model').click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove model' }).click()
    await page.getByText('No model is set').waitFor()
    expect(await stored()).toBeUndefined()
  })

  it('asked no other host, broke no policy and threw nothing', () => {
    expect(browser.faults).toEqual([])
  })
})
