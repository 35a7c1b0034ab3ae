import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  hasChromium,
  openBrowser,
  saveScreenshot,
  signIn,
  type TestBrowser,
} from '../support/browser/chromium.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { client, type OpenidProvider, openOpenidProvider } from '../support/http/openid-provider.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'
import { makeUser, PASSWORD, type TestUser } from '../support/http/sign-in.ts'
import { type DnsServer, openDnsServer } from '../support/mail/dns-server.ts'
import { isMissing } from '../support/processes/environment.ts'
import { findFreePort } from '../support/processes/ports.ts'

/** The tests run in order: each continues where the previous one ended. */
describe.skipIf(!hasChromium() || isMissing('openssl'))('single sign-on', () => {
  let provider: OpenidProvider
  let dns: DnsServer
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let owner: TestUser
  beforeAll(async () => {
    buildWeb()
    const publicUrl = `http://localhost:${await findFreePort()}`
    provider = await openOpenidProvider(`${publicUrl}/v1/session/single-sign-on/callback`)
    provider.person = { email: 'grace@acme.example', email_verified: true, name: 'Grace Hopper' }
    dns = await openDnsServer()
    server = await openTestServer({
      PUBLIC_URL: publicUrl,
      ALLOW_PRIVATE_HOSTS: 'localhost',
      DNS_SERVERS: dns.address,
    })
    owner = await makeUser(server, 'ada@acme.example')
    browser = await openBrowser(publicUrl)
    page = await browser.newPage()
    await page.goto('/sign-in?next=/settings/single-sign-on')
    await signIn(page, { ...owner, password: PASSWORD })
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
    await dns?.[Symbol.asyncDispose]()
    await provider?.[Symbol.asyncDispose]()
  })

  const button = (name: string) => page.getByRole('button', { name, exact: true })

  it('is set up and verified, with an error for each missing setting', async () => {
    await button('Save single sign-on').click()
    await page.getByText('Must be a URL that begins with https://').waitFor()
    await page.getByLabel('Issuer').fill(provider.origin)
    await page.getByLabel('Client ID').fill(client.clientId)
    await page.getByLabel('Domain', { exact: true }).fill('acme.example')
    await page.getByLabel('New users').selectOption('viewer')
    await page.getByLabel('Require single sign-on').check()
    await button('Save single sign-on').click()
    await page.getByText('Is required; the provider issues it with the client ID').waitFor()
    await page.getByLabel('Client secret').fill(client.clientSecret)
    await button('Save single sign-on').click()
    await page.getByText('Not verified').waitFor()
    await button('Verify domain and provider').click()
    await page.getByText('No TXT record of _overture.acme.example').waitFor()
    await saveScreenshot(page, 'single-sign-on-not-verified')
    const getText = (label: string) => page.getByRole('status', { name: label }).innerText()
    dns.zone[await getText('Record name')] = { txt: [await getText('Record value')] }
    await button('Verify domain and provider').click()
    await page.getByText('Verified', { exact: true }).waitFor()
  })

  it('signs in a new user who enters only an email address', async () => {
    const userPage = await browser.newPage({ ignoreHTTPSErrors: true })
    await userPage.goto('/sign-in?next=/settings/profile')
    await userPage.getByLabel('Email').fill('grace@acme.example')
    await userPage.getByLabel('Email').press('Tab')
    await userPage.getByRole('heading', { name: 'Sign in with your company' }).waitFor()
    await saveScreenshot(userPage, 'single-sign-on-offered')
    await userPage.getByRole('button', { name: 'Continue' }).click()
    await userPage.getByRole('heading', { name: 'Profile' }).waitFor()
    expect(await userPage.getByLabel('Name', { exact: true }).inputValue()).toBe('Grace Hopper')
  })

  it('explains why a user is rejected, and lets the owner sign in with a password', async () => {
    provider.person = { email: 'grace@acme.example', email_verified: false }
    const userPage = await browser.newPage({ ignoreHTTPSErrors: true })
    await userPage.goto('/sign-in')
    await userPage.getByLabel('Email').fill('grace@acme.example')
    await userPage.getByLabel('Email').press('Tab')
    await userPage.getByRole('button', { name: 'Continue' }).click()
    await userPage.getByText('has not verified your email address').waitFor()
    await userPage.getByLabel('Email').fill(owner.email)
    await userPage.getByLabel('Email').press('Tab')
    await userPage.getByRole('button', { name: 'Sign in another way' }).click()
    await signIn(userPage, { ...owner, password: PASSWORD })
    await userPage.getByRole('heading', { name: 'Home' }).waitFor()
  })

  it('is removed after confirmation', async () => {
    await button('Remove single sign-on').click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove single sign-on' }).click()
    await page.getByText('Single sign-on removed.').waitFor()
    expect(await page.getByLabel('Issuer').inputValue()).toBe('')
  })

  it('makes no requests to hosts other than the provider, violates no policy and throws no errors', () => {
    expect(browser.errors.filter(error => !error.startsWith(`requests ${provider.origin}/`))).toEqual([])
  })
})
