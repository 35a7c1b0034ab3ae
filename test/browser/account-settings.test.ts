import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller } from '../support/app.ts'
import { addSessionCookie, hasChromium, openBrowser, type TestBrowser } from '../support/browser/chromium.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'
import { oauthClientId } from '../support/mail/oauth-server.ts'

describe.skipIf(!hasChromium())('the account settings area', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let owner: Caller
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    owner = await makeCaller(server.app)
    browser = await openBrowser(server.url)
    page = await browser.newPage()
    await addSessionCookie(page, server.url, await server.createCookie(owner))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })

  it.each([
    ['account', 'Save account', 'Account saved.'],
    ['profile', 'Save name', 'Name saved.'],
  ])('requires a name on the %s page', async (path, submit, confirmation) => {
    await page.goto(`/settings/${path}`)
    await page.getByLabel('Name', { exact: true }).fill('')
    await button(submit).click()
    await page.getByText('This field is required').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Analytical')
    await button(submit).click()
    await page.getByText(confirmation).waitFor()
  })

  it('says what happens to a member’s work when they leave or are removed', async () => {
    const { userId } = await makeCaller(server.app, 'member', owner.accountId)
    await server.app.owner`update users set name = 'Grace Hopper' where id = ${userId}`
    await page.goto('/settings/members')
    const [you, grace] = ['You', 'Grace Hopper'].map(text => page.getByRole('row').filter({ hasText: text }))
    for (const [row, sentence] of [
      [you!, 'Your work is kept.'],
      [grace!, 'Their work is kept.'],
    ] as const) {
      await row.getByRole('button').click()
      await page.getByRole('alertdialog').getByText(sentence).waitFor()
      await button('Cancel').click()
    }
  })

  it('offers admins only the member actions that they may perform, and applies their new role after they change it', async () => {
    const admin = await makeCaller(server.app, 'admin', owner.accountId)
    await server.app.owner`update users set name = 'Hedy Lamarr' where id = ${admin.userId}`
    await addSessionCookie(page, server.url, await server.createCookie(admin))
    await page.goto('/settings/members')
    const ownRole = page.getByLabel('Role of Hedy Lamarr')
    const listRoles = () => page.getByRole('option').allInnerTexts()
    await ownRole.waitFor()
    expect(await listRoles()).not.toContain('Owner')
    const ownerRow = page.getByRole('row').filter({ hasText: 'Owner' })
    expect(await ownerRow.count()).toBe(1)
    expect(await ownerRow.locator('button, select').count()).toBe(0)
    await button('Invite member').click()
    await page.getByRole('dialog').getByLabel('Role').waitFor()
    expect((await listRoles()).filter(text => text.startsWith('Owner'))).toEqual([])
    await page.keyboard.press('Escape')
    await ownRole.selectOption('Member')
    await page.getByText('You are now a member.').waitFor()
    expect(await button('Undo').count()).toBe(0)
    await button('Invite member').waitFor({ state: 'detached' })
    await addSessionCookie(page, server.url, await server.createCookie(owner))
  })

  it('offers to change an OAuth client that is set up, and to set up the others', async () => {
    const client = { clientId: oauthClientId, secret: 'client-secret-1', tenant: 'navy.example' }
    await owner.call('setMailClient', { kind: 'microsoft_app', ...client })
    await page.goto('/settings/mail-clients')
    await button('Change Microsoft: application for a whole tenant').waitFor()
    await button('Set up Microsoft: users sign in').waitFor()
  })

  it('makes no requests to other hosts, violates no policy and throws no errors', () => {
    expect(browser.errors).toEqual([])
  })
})
