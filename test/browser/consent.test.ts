import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createUser } from '../../src/server/domain/accounts/users.ts'
import {
  expectUsable,
  hasChromium,
  openBrowser,
  signIn,
  type TestBrowser,
} from '../support/browser/chromium.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'
import { findFreePort } from '../support/processes/ports.ts'

const ada = { email: 'ada@acme.example', password: 'a few words nobody guesses' }
const verifier = 'a-verifier-that-is-long-enough-for-a-test-of-it'

/** The tests run in order, following a user who connects an assistant and disconnects it. */
describe.skipIf(!hasChromium())('the OAuth consent flow', () => {
  let origin: string
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let assistant: Server
  let redirectUri: string
  let clientId: string
  let token: string
  beforeAll(async () => {
    buildWeb()
    origin = `http://localhost:${await findFreePort()}`
    server = await openTestServer({ PUBLIC_URL: origin })
    const { auth } = server.app.db
    const { id } = await createUser(auth, { ...ada, name: 'Ada Byron', isEmailVerified: true })
    await auth`
      with made as (insert into accounts (id, name) values (gen_random_uuid(), 'Analytical') returning id)
      insert into members (account_id, user_id, role) select id, ${id}, 'owner' from made`
    assistant = createServer((_request, response) => response.end('connected')).listen(0, 'localhost')
    await once(assistant, 'listening')
    redirectUri = `http://localhost:${(assistant.address() as AddressInfo).port}/callback`
    const registered = await server.request('POST', '/register', {
      body: { client_name: 'Difference Engine', redirect_uris: [redirectUri] },
    })
    clientId = (registered.body as { client_id: string }).client_id
    browser = await openBrowser(origin)
    page = await browser.newPage({ colorScheme: 'light' })
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
    assistant?.close()
  })

  const authorizeUrl = (client_id = clientId) =>
    `/v1/authorize?${new URLSearchParams({
      response_type: 'code',
      client_id,
      redirect_uri: redirectUri,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })}`
  const expectConsentPage = () =>
    page.getByRole('heading', { name: 'Connect Difference Engine to Overture?' }).waitFor()
  const expectUsableAtAllWidths = (name: string) => expectUsable(page, name, [360, 768, 1280, 1920])
  /** Tabs to a button, which must show its focus, and presses Enter. */
  const press = async (name: string) => {
    const button = page.getByRole('button', { name, exact: true })
    for (let steps = 0; steps < 5; steps++) {
      await page.keyboard.press('Tab')
      if (await button.evaluate(element => element.matches(':focus-visible'))) break
    }
    expect(await button.evaluate(element => getComputedStyle(element).outlineStyle)).toBe('solid')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${redirectUri}**`)
    return new URL(page.url()).searchParams
  }

  it('asks the user to sign in, then shows which app requests what access', async () => {
    await page.goto(authorizeUrl())
    await page.getByText('Sign in to connect “Difference Engine” to Overture.').waitFor()
    await expectUsableAtAllWidths('consent-sign-in')
    await signIn(page, ada)
    await expectConsentPage()
    await page.getByText('(name not verified)').waitFor()
    await expectUsableAtAllWidths('consent')
  })

  it('lets the user deny access by keyboard', async () => {
    expect(Object.fromEntries(await press('Deny'))).toMatchObject({
      error: 'access_denied',
      iss: `${origin}/v1`,
    })
  })

  it('lets the user allow access by keyboard, after which the assistant works', async () => {
    await page.goto(authorizeUrl())
    await expectConsentPage()
    const code = (await press('Allow')).get('code')!
    const response = await fetch(`${origin}/v1/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: clientId,
        code,
        code_verifier: verifier,
        redirect_uri: redirectUri,
      }),
    })
    token = ((await response.json()) as { access_token: string }).access_token
    expect((await call()).status).toBe(200)
  })

  const call = () =>
    server.request('POST', '/v1/mcp', {
      token,
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
      headers: { accept: 'application/json, text/event-stream' },
    })

  it('lets the user choose an account and shows the account of each app in the settings', async () => {
    const { auth } = server.app.db
    const [second] = await auth<{ id: string }[]>`
      with made as (insert into accounts (id, name) values (gen_random_uuid(), 'Long & Sons International Freight')
                    returning id)
      insert into members (account_id, user_id, role)
      select made.id, users.id, 'member' from made, users where email = ${ada.email} returning account_id as id`
    await page.goto(authorizeUrl())
    await expectConsentPage()
    await expectUsableAtAllWidths('consent-accounts')
    await page.getByLabel('Account', { exact: true }).selectOption('Long & Sons International Freight')
    expect((await press('Allow')).get('code')).toBeTruthy()
    await page.goto('/settings/connected-apps')
    await page.getByRole('cell', { name: 'Long & Sons International Freight' }).waitFor()
    await page.getByRole('cell', { name: 'Analytical' }).waitFor()
    await expectUsableAtAllWidths('connected-apps')
    await auth`delete from members where account_id = ${second!.id}`
    await page.reload()
    await page.getByRole('cell', { name: 'Analytical' }).waitFor()
    expect(await page.getByRole('cell', { name: 'Long & Sons International Freight' }).count()).toBe(0)
  })

  it('lets the user disconnect an app, whose next request is rejected', async () => {
    await page.goto('/settings/connected-apps')
    await page.getByRole('button', { name: 'Disconnect Difference Engine' }).click()
    const [response] = await Promise.all([
      page.waitForResponse(response => response.request().method() === 'DELETE'),
      page.getByRole('button', { name: 'Disconnect app' }).click(),
    ])
    expect(response.status()).toBe(200)
    expect((await call()).status).toBe(401)
    await page.getByText('No connected apps').waitFor()
    await page.getByText(`${origin}/mcp`).waitFor()
    await expectUsableAtAllWidths('connected-apps-none')
  })

  it('asks the user to confirm their identity when the sign-in is not recent, then returns', async () => {
    const makeSignInStale = () => server.app.setNow(new Date(server.app.now().getTime() + 11 * 60_000))
    const confirm = async () => {
      await page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor()
      await page.getByLabel('Your password').fill(ada.password)
      await page.getByRole('button', { name: 'Confirm', exact: true }).click()
    }
    makeSignInStale()
    await page.goto(authorizeUrl())
    await page.getByLabel('Your password').waitFor()
    await expectUsable(page, 'confirm-page', [360, 768, 1280, 1920])
    await confirm()
    await expectConsentPage()
    // A user who waits too long must confirm again before deciding.
    makeSignInStale()
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await confirm()
    await expectConsentPage()
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.waitForURL(`${redirectUri}?code=**`)
  })

  it.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '/\t/evil.example/',
    '/.//evil.example/',
    '/v1/..//evil.example/',
    'http:evil.example/',
    'javascript:alert(1)',
    'data:text/html,evil',
    `blob:http://localhost/evil`,
    'http://',
  ])('keeps the user on this origin after sign-in when the link continues to %j', async next => {
    const fresh = await browser.newPage()
    await fresh.goto(`/sign-in?next=${encodeURIComponent(next)}`)
    await signIn(fresh, ada)
    await fresh.getByRole('heading', { name: 'Sign in' }).waitFor({ state: 'detached' })
    expect(new URL(fresh.url()).origin).toBe(origin)
    await fresh.context().close()
  })

  it('shows an error for an unregistered app', async () => {
    await page.goto(authorizeUrl('nobody'))
    await page.getByRole('heading', { name: 'The application was not connected' }).waitFor()
    await page.getByText('The application is not registered with this server').waitFor()
    await expectUsableAtAllWidths('consent-refused')
    await page.getByRole('link', { name: 'open Overture' }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
  })

  it('sends the user to no host other than the assistant’s', () => {
    expect(browser.errors.filter(error => !error.startsWith(`requests ${redirectUri}?`))).toEqual([])
  })
})
