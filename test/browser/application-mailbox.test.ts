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

describe.skipIf(!hasChromium() || !hasDovecot())('connecting a Microsoft mailbox', () => {
  let microsoft: MailProviderServers
  let server: TestServer
  let owner: Caller
  let member: Caller
  let browser: TestBrowser
  let publicUrl: string
  beforeAll(async () => {
    buildWeb()
    publicUrl = `http://localhost:${await findFreePort()}`
    microsoft = await openMailProvider('microsoft', publicUrl)
    server = await openTestServer(microsoft.settings)
    owner = await makeCaller(server.app)
    member = await makeCaller(server.app, 'member', owner.accountId)
    for (const caller of [owner, member]) await caller.call('createRep', { name: caller.role })
    browser = await openBrowser(publicUrl)
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
    await microsoft?.[Symbol.asyncDispose]()
  })

  const openPage = async (caller: Caller): Promise<Page> => {
    const page = await browser.newPage()
    await addSessionCookie(page, publicUrl, await server.createCookie(caller))
    return page
  }
  const enterAddress = async (page: Page, email: string) => {
    await page.goto('/settings/senders/connect')
    await page.getByLabel('Email address').fill(email)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('Mail provider').selectOption('microsoft')
  }

  it('refers members to an administrator, and administrators to the settings, while no client is set up', async () => {
    const page = await openPage(member)
    await enterAddress(page, 'grace@navy.example')
    await page.getByText('ask an administrator to set up Microsoft').waitFor()
    const admin = await openPage(owner)
    await enterAddress(admin, 'grace@navy.example')
    await admin.getByText('Or set up Microsoft').getByRole('link').click()
    await admin.getByRole('button', { name: 'Set up Microsoft: application for a whole tenant' }).click()
    await admin.getByLabel('Tenant').fill('acme')
    await admin.getByText('The ID of the tenant whose mailboxes the application opens.').waitFor()
    await Promise.all([page.close(), admin.close()])
  })

  it('lets an administrator add the mailbox through an application, without a sign-in', async () => {
    await owner.call('setMailClient', {
      ...{
        kind: 'microsoft_app',
        clientId: oauthClientId,
        secret: 'client-secret-1',
        tenant: 'navy.example',
      },
    })
    const email = 'grace@navy.example'
    microsoft.oauth.appMailboxes.set(oauthClientId, email)
    const colleague = await openPage(member)
    await enterAddress(colleague, email)
    await colleague.getByText('An owner or admin can add the mailbox without its password.').waitFor()
    expect(await colleague.getByRole('button', { name: 'Add mailbox' }).count()).toBe(0)
    const page = await openPage(owner)
    await enterAddress(page, email)
    await page.getByText('through the application of your Microsoft tenant').waitFor()
    await expectUsable(page, 'connect-application-mailbox')
    microsoft.oauth.onToken = () => 'noConsent'
    await page.getByRole('button', { name: 'Add mailbox' }).click()
    await page.getByRole('heading', { name: `${email} is saved but not connected` }).waitFor()
    microsoft.oauth.onToken = () => undefined
    await page.getByRole('button', { name: 'Correct the settings' }).click()
    await page.getByRole('button', { name: 'Test again' }).click()
    await page.getByRole('heading', { name: `${email} is connected` }).waitFor()
    const { data } = await owner.call('listMailboxes', {})
    expect(data).toMatchObject([{ email, status: 'active', connection: { provider: 'microsoft_app' } }])
    await Promise.all([colleague.close(), page.close()])
  })

  it('shows why the first sign-in failed, and offers to connect the mailbox', async () => {
    await owner.call('setMailClient', {
      ...{ kind: 'microsoft', clientId: oauthClientId, secret: 'client-secret-1', tenant: 'organizations' },
    })
    const page = await openPage(owner)
    await enterAddress(page, 'ada@navy.example')
    await page.getByText('Let the owner sign in instead').click()
    microsoft.oauth.denial = 'access_denied'
    await page.getByRole('button', { name: 'Continue with Microsoft' }).click()
    await page.getByRole('heading', { name: 'The mailbox is not connected' }).waitFor()
    await page.getByRole('link', { name: 'Show senders' }).click()
    const card = page.getByRole('article', { name: 'ada@navy.example' })
    await card.getByText('Not connected').waitFor()
    await card.getByText('The last sign-in failed: Access was not granted.').waitFor()
    expect(await card.getByText('Replies are not read').count()).toBe(0)
    await card.getByRole('button', { name: 'Connect ada@navy.example', exact: true }).waitFor()
    await page.close()
  })

  it('lets the user sign in again when the sign-in worked but the mailbox cannot send', async () => {
    microsoft.oauth.denial = undefined
    microsoft.oauth.user = makeOAuthUser('ada@navy.example')
    microsoft.smtp.refusal = { code: 535, text: '5.7.139 SmtpClientAuthentication is disabled' }
    const page = await openPage(owner)
    await page.goto('/settings/senders')
    await page.getByRole('button', { name: 'Connect ada@navy.example', exact: true }).click()
    await page.getByRole('heading', { name: 'ada@navy.example is saved but not connected' }).waitFor()
    microsoft.smtp.refusal = undefined
    await page.getByRole('button', { name: 'Correct the settings' }).click()
    await page.getByRole('button', { name: 'Continue with Microsoft' }).click()
    await page.getByRole('heading', { name: 'ada@navy.example is connected' }).waitFor()
    await page.close()
  })

  it('shows whether an administrator consented for the organization', async () => {
    const page = await openPage(owner)
    await page.goto('/settings/senders/connected?error=access_denied&state=admin-consent')
    await page.getByRole('heading', { name: 'Overture is not allowed in your organization yet' }).waitFor()
    await page.getByText('The administrator did not consent.').waitFor()
    await page.goto('/settings/senders/connected?admin_consent=True&tenant=1&state=admin-consent')
    await page.getByRole('heading', { name: 'Overture is allowed in your organization' }).waitFor()
    await page.close()
  })

  it('makes no requests to hosts other than Microsoft, violates no policy and throws no errors', () => {
    const { url } = microsoft.oauth
    expect(browser.errors.filter(error => !error.startsWith(`requests ${url}/`))).toEqual([])
  })
})
