import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller } from '../support/app.ts'
import {
  addSessionCookie,
  expectUsable,
  hasChromium,
  openBrowser,
  type TestBrowser,
} from '../support/browser/chromium.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'

describe.skipIf(!hasChromium())('the audit log', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let manager: Caller
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    const owner = await makeCaller(server.app)
    manager = await makeCaller(server.app, 'manager', owner.accountId)
    await manager.call('createCampaign', { name: 'Spring' })
    await owner.call('createPerson', { firstName: 'Ada', email: 'ada@analytical.example' })
    browser = await openBrowser(server.url)
    page = await browser.newPage()
    await addSessionCookie(page, server.url, await server.createCookie(owner))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const spring = () => page.getByRole('link', { name: 'Spring' })
  const ada = () => page.getByRole('link', { name: 'Ada' })

  it('can be filtered by member, object, action and day, and keeps the filters in the URL', async () => {
    await page.goto('/settings/audit-log')
    await spring().waitFor()
    await page.getByLabel('Member').selectOption(manager.userId)
    await ada().waitFor({ state: 'detached' })
    await spring().waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await ada().waitFor()
    await page.getByLabel('Object').selectOption('People')
    await spring().waitFor({ state: 'detached' })
    await page.getByLabel('Action').selectOption('Created')
    await page.getByLabel('From').fill('2026-01-01')
    await ada().waitFor()
    await expectUsable(page, 'audit-log-filtered', [360, 768, 1440, 1920])
    await page.getByLabel('To').fill('2026-01-01')
    await page.getByText('Nothing matches').waitFor()
    await page.reload()
    await page.getByText('Nothing matches').waitFor()
    expect(await page.getByLabel('Object').inputValue()).toBe('person')
    expect(browser.errors).toEqual([])
  })
})
