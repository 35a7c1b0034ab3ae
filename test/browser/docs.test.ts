import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../src/contract/index.ts'
import { aCaller } from '../support/app.ts'
import { hasChromium, openBrowser, type TestBrowser } from '../support/browser/chromium.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'

describe.skipIf(!hasChromium())('the API reference', () => {
  let server: TestServer
  let browser: TestBrowser
  beforeAll(async () => {
    server = await openTestServer()
    browser = await openBrowser(server.url)
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  it('shows an operation and its response without violating its content security policy', async () => {
    const token = await server.createToken(await aCaller(server.app))
    const page = await browser.newPage()
    await page.setExtraHTTPHeaders({ authorization: `Bearer ${token}` })
    await page.goto('/docs')
    for (const name of ['createCampaign', 'getAccount'] as const) {
      await page.locator(`[data-tag="${operations[name].tag}"] .expand-operation`).click()
      await page.locator(`[id$="-${name}"] .opblock-summary-control`).click()
      await page.locator(`[id$="-${name}"] .response .model-example`).first().waitFor()
    }
    const account = page.locator('[id$="-getAccount"]')
    await account.getByRole('button', { name: 'Execute' }).click()
    await account.locator('.live-responses-table').waitFor()
    expect(browser.faults).toEqual([])
  })
})
