import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aCaller } from '../support/app.ts'
import { hasChromium, openBrowser, type TestBrowser } from '../support/browser/chromium.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'

/** The page is heavy: its forms take seconds to open on a busy machine. */
const TIMEOUT_MS = 180_000

describe.skipIf(!hasChromium())('"Try it out" of the API reference', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  beforeAll(async () => {
    server = await openTestServer()
    const token = await server.createToken(await aCaller(server.app))
    browser = await openBrowser(server.url)
    page = await browser.newPage()
    await page.goto('/docs')
    await page.getByRole('button', { name: 'Authorize' }).click()
    await page.getByLabel('auth-bearer-value').fill(token)
    await page.getByLabel('Apply credentials').first().click()
    await page.getByRole('button', { name: 'Close' }).first().click()
    await page.locator('[id="operations-tag-Campaigns"]').click()
  }, TIMEOUT_MS)
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  async function openForm(name: string): Promise<Locator> {
    const form = page.locator(`[id="operations-Campaigns-${name}"]`)
    await form.locator('.opblock-summary-control').click()
    return form
  }
  const execute = (form: Locator) => form.getByRole('button', { name: 'Execute' }).click()

  /** Sends the form with its example values, except for the campaign id. */
  async function tryOut(name: string, campaignId?: string) {
    const form = await openForm(name)
    if (campaignId) await form.locator('tr[data-param-name="campaignId"] input').fill(campaignId)
    const responsePromise = page.waitForResponse(response => response.url().startsWith(`${server.url}/v1/`))
    await execute(form)
    const response = await responsePromise
    await form.locator('.live-responses-table').waitFor()
    await form.locator('.opblock-summary-control').click()
    const body = await response.json()
    expect(response.status(), `${name}: ${JSON.stringify(body)}`).toBe(200)
    return body
  }

  it(
    'works with only a token, and requires the ids of the path',
    async () => {
      expect(await tryOut('listCampaigns')).toMatchObject({ data: [] })
      const { id } = await tryOut('createCampaign')
      expect(await tryOut('listCampaigns')).toMatchObject({ data: [{ id }] })

      const form = await openForm('getCampaign')
      await execute(form)
      await form.locator('tr[data-param-name="campaignId"] input.invalid').waitFor()
      await form.locator('.opblock-summary-control').click()
      expect(await tryOut('getCampaign', id)).toMatchObject({ id })

      expect(await tryOut('addProspectsToCampaign', id)).toMatchObject({ added: 1 })
      expect(await tryOut('addProspectsToCampaign', id)).toMatchObject({ added: 0 })
      expect(browser.faults).toEqual([])
    },
    TIMEOUT_MS,
  )
})
