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
import { hasDovecot } from '../support/mail/dovecot.ts'
import { makeOAuthUser } from '../support/mail/oauth-grants.ts'
import { type MailProviderServers, openMailProvider } from '../support/mail/oauth-mail.ts'
import { oauthClientId } from '../support/mail/oauth-server.ts'
import { findFreePort } from '../support/processes/ports.ts'

describe.skipIf(!hasChromium() || !hasDovecot())('a shared Microsoft mailbox', () => {
  let microsoft: MailProviderServers
  let server: TestServer
  let owner: Caller
  let browser: TestBrowser
  let page: Page
  beforeAll(async () => {
    buildWeb()
    const publicUrl = `http://localhost:${await findFreePort()}`
    microsoft = await openMailProvider('microsoft', publicUrl)
    server = await openTestServer(microsoft.settings)
    owner = await makeCaller(server.app)
    await owner.call('setMailClient', {
      ...{ kind: 'microsoft', clientId: oauthClientId, secret: 'client-secret-1', tenant: 'organizations' },
    })
    await owner.call('createRep', { name: 'Sales' })
    microsoft.oauth.user = makeOAuthUser('ada@navy.example')
    microsoft.oauth.delegates.set('sales@navy.example', new Set(['ada@navy.example']))
    browser = await openBrowser(publicUrl)
    page = await browser.newPage()
    await addSessionCookie(page, publicUrl, await server.createCookie(owner))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
    await microsoft?.[Symbol.asyncDispose]()
  })

  it('is rejected when the user connects it as their own mailbox', async () => {
    await page.goto('/settings/senders/connect')
    await page.getByLabel('Email address').fill('sales@navy.example')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('Mail provider').selectOption('microsoft')
    await page.getByRole('button', { name: 'Continue with Microsoft' }).click()
    await page.getByRole('heading', { name: 'The mailbox is not connected' }).waitFor()
    await page.getByText('connect it as a shared mailbox').waitFor()
  })

  it('is connected by the user once it is marked as shared, and its card shows who signs in', async () => {
    await page.getByRole('link', { name: 'Show senders' }).click()
    await page.getByRole('link', { name: 'Sign-in of sales@navy.example' }).click()
    await page.getByLabel('This is a shared mailbox').check()
    await page.getByText('Sign in with Microsoft as yourself').waitFor()
    await expectUsable(page, 'connect-shared-mailbox')
    await page.getByRole('button', { name: 'Continue with Microsoft' }).click()
    await page.getByRole('heading', { name: 'sales@navy.example is connected' }).waitFor()
    await page.getByRole('link', { name: 'Show senders' }).click()
    const card = page.getByRole('article', { name: 'sales@navy.example' })
    await card.getByText('ada@navy.example').waitFor()
    const { data } = await owner.call('listMailboxes', {})
    expect(data).toMatchObject([
      { status: 'active', connection: { isShared: true, user: 'ada@navy.example' }, savesSentCopies: true },
    ])
  })

  it('is still marked as shared when its sign-in is opened again', async () => {
    await page.getByRole('link', { name: 'Sign-in of sales@navy.example' }).click()
    const choice = page.getByLabel('This is a shared mailbox')
    await choice.waitFor()
    expect(await choice.isChecked()).toBe(true)
  })

  it('makes no requests to hosts other than Microsoft, violates no policy and throws no errors', () => {
    const { url } = microsoft.oauth
    expect(browser.errors.filter(error => !error.startsWith(`requests ${url}/`))).toEqual([])
  })
})
