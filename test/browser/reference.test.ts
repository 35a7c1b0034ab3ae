import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../src/contract/index.ts'
import { eventTypes } from '../../src/contract/webhooks.ts'
import { type Caller, makeCaller } from '../support/app.ts'
import { expectUsable, hasChromium, openBrowser, type TestBrowser } from '../support/browser/chromium.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'

describe.skipIf(!hasChromium())('the API reference', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let owner: Caller
  let token: string
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    owner = await makeCaller(server.app)
    token = await server.createToken(owner)
    browser = await openBrowser(server.url)
    page = await browser.newPage()
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const open = async (name: keyof typeof operations) => {
    await page.goto(`/docs/${name}`)
    await page.getByRole('heading', { name: operations[name].summary, exact: true }).waitFor()
  }
  /** Sends the form and returns the response that the page shows. */
  const sendForm = async (name: keyof typeof operations, values: Record<string, string> = {}) => {
    await open(name)
    await page.getByLabel('API token').fill(token)
    for (const [label, value] of Object.entries(values)) await page.getByLabel(label).fill(value)
    await page.getByRole('button', { name: 'Send request' }).click()
    const shown = page.getByRole('region', { name: 'Response', exact: true })
    await shown.waitFor()
    return JSON.parse((await shown.textContent())!)
  }

  it('lists every operation and event once, and links to the guides', async () => {
    await page.goto('/docs')
    const links = page.getByRole('navigation', { name: 'Operations' }).getByRole('link')
    await expect.poll(() => links.count()).toBe(Object.keys(operations).length + eventTypes.length + 1)
    const addresses = await links.evaluateAll(all => all.map(link => link.getAttribute('href')))
    expect(new Set(addresses).size).toBe(addresses.length)
    const guides = page.locator('main a[href*="/docs/guides/"]')
    expect(await guides.count()).toBeGreaterThan(4)
    for (const path of await guides.evaluateAll(all => all.map(link => link.getAttribute('href')!))) {
      const guide = await server.request('GET', path)
      expect([guide.status, guide.text.slice(0, 2)], path).toEqual([200, '# '])
    }
  })

  it('finds operations by words from their name, summary or path', async () => {
    await page.goto('/docs')
    const nav = page.getByRole('navigation', { name: 'Operations' })
    await page.getByLabel('Search').fill('draft email send')
    await nav.getByRole('link', { name: 'Send an email draft' }).waitFor()
    expect(await nav.getByRole('link').count()).toBeLessThan(10)
    await page.getByLabel('Search').fill('no such words')
    await nav.getByText('Nothing found.').waitFor()
  })

  it('sends requests with the reader’s token, and prefills no header', async () => {
    await open('createCampaign')
    for (const label of ['x-account-id', 'Idempotency-Key', 'API token'])
      expect(await page.getByLabel(label).inputValue()).toBe('')
    const { id } = await sendForm('createCampaign')
    expect(await owner.call('getCampaign', { campaignId: id })).toMatchObject({ id })
    expect(await sendForm('listCampaigns', { limit: '5' })).toMatchObject({ data: [{ id }] })
    expect(await sendForm('getCampaign', { campaignId: id })).toMatchObject({ id })
    const people = await sendForm('addProspectsToCampaign', { campaignId: id, 'Idempotency-Key': 'once' })
    expect(people).toMatchObject({ added: 1 })
    const again = await sendForm('addProspectsToCampaign', { campaignId: id, 'Idempotency-Key': 'once' })
    expect(again).toEqual(people)
    const wrong = await sendForm('createCampaign', { Body: '{ "title": "Spring" }' })
    expect(wrong).toMatchObject({ error: 'ValidationError' })
  })

  it('shows the request as code', async () => {
    await open('listCampaigns')
    await page.getByLabel('limit').fill('5')
    for (const [language, text] of Object.entries({
      curl: 'curl "$OVERTURE_URL/v1/campaigns?limit=5"',
      TypeScript: 'await fetch(',
      Python: 'urllib.request',
    })) {
      await page.getByRole('button', { name: language }).click()
      expect(await page.getByRole('region', { name: `Code in ${language}` }).textContent()).toContain(text)
    }
  })

  it.each(['', '/createCampaign', '/listPersons', '/prospect.replied', '/nothing'])(
    'is accessible and fits a phone in both themes at /docs%s',
    async path => {
      await page.goto(`/docs${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await expectUsable(page, `docs${path.replace(/\W+/g, '-')}`)
    },
  )

  it('makes no requests to other hosts, violates no policy and throws no errors', () => {
    expect(browser.errors).toEqual([])
  })
})
