import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller } from '../support/app.ts'
import { addSessionCookie, hasChromium, openBrowser, type TestBrowser } from '../support/browser/chromium.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { makeDesk } from '../support/campaigns/inbox.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'

describe.skipIf(!hasChromium())('the app shell', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let owner: Caller
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    browser = await openBrowser(server.url)
    page = await browser.newPage({ colorScheme: 'light' })
    owner = await makeCaller(server.app)
    await addSessionCookie(page, server.url, await server.createCookie(owner))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const bar = (text: string) => page.getByRole('status').getByText(text)
  /** Opens a page over plain HTTP: browsers treat 127.0.0.1 like HTTPS, but not this other address of the server. */
  const openPlainPage = async (path: string) => {
    const url = server.url.replace('127.0.0.1', '0.0.0.0')
    const plainPage = await browser.newPage({ baseURL: url })
    await addSessionCookie(plainPage, url, await server.createCookie(owner))
    await plainPage.goto(path)
    expect(await plainPage.evaluate(() => isSecureContext)).toBe(false)
    return { plainPage, url }
  }
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)

  it('uses the system theme until the user chooses another theme, which the browser stores', async () => {
    await page.goto('/settings/profile')
    await page.getByRole('heading', { name: 'Profile' }).waitFor()
    const light = await background()
    await page.emulateMedia({ colorScheme: 'dark' })
    const dark = await background()
    expect(dark).not.toBe(light)

    await page.locator('[popovertarget]').click()
    await page.getByText('Light', { exact: true }).click()
    expect(await background()).toBe(light)
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').fill('theme dark')
    await page.keyboard.press('Enter')
    await page.emulateMedia({ colorScheme: 'light' })
    expect(await background()).toBe(dark)
  })

  it('applies the stored theme before the app loads', async () => {
    await page.route('**/assets/*.js', route => route.abort())
    await page.goto('/settings/profile', { waitUntil: 'load' })
    expect(await page.locator('#app').innerHTML()).toBe('')
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark')
    await page.emulateMedia({ colorScheme: 'dark' })
    const dark = await background()
    await page.emulateMedia({ colorScheme: 'light' })
    expect(await background()).toBe(dark)
    await page.unroute('**/assets/*.js')
  })

  it('reports a lost connection and keeps the form input', async () => {
    await page.goto('/settings/profile')
    await page.getByLabel('Name', { exact: true }).fill('Ada King')
    await page.context().setOffline(true)
    await bar('You are offline.').waitFor()
    await page.getByRole('button', { name: 'Save name' }).click()
    await page.getByText('The server cannot be reached. Try again in a moment.').waitFor()
    await page.context().setOffline(false)
    await bar('You are offline.').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save name' }).click()
    await page.getByText('Name saved.').waitFor()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Ada King')
  })

  it('loads a page automatically once the server is reachable again', async () => {
    await page.route('**/v1/**', route => route.abort())
    await page.getByRole('link', { name: 'People' }).click()
    await bar('Overture can’t be reached.').waitFor()
    await page.unroute('**/v1/**')
    await page.getByText('No people yet').waitFor()
    await bar('Overture can’t be reached.').waitFor({ state: 'detached' })
  })

  it('shows an error instead of loading forever when data that a page depends on cannot be loaded', async () => {
    const other = await makeCaller(server.app)
    const { personId } = await makeDesk(other)
    const { id } = await other.call('createCampaign', {
      name: 'Autumn',
      steps: [{ subject: 'Hi', body: 'Hi' }],
    })
    const otherPage = await browser.newPage()
    await addSessionCookie(otherPage, server.url, await server.createCookie(other))
    const retry = otherPage.getByRole('button', { name: 'Try again' })
    for (const [path, needed] of [
      ['/reports', '**/v1/account'],
      ['/settings/senders', '**/v1/mailboxes?*'],
      [`/campaigns/${id}/steps`, '**/v1/campaigns/*/prospects?*'],
      [`/people/${personId}`, '**/v1/prospects/*'],
    ] as const) {
      await otherPage.route(needed, route => route.fulfill({ status: 500 }))
      await otherPage.goto(path)
      await retry.waitFor()
      await otherPage.unroute(needed)
      await retry.click()
      await retry.waitFor({ state: 'detached' })
    }
    await otherPage.close()
  })

  it('copies text over plain HTTP, where browsers offer no clipboard API', async () => {
    const { plainPage, url } = await openPlainPage('/settings/connected-apps')
    await plainPage.getByRole('button', { name: 'Copy' }).click()
    await plainPage.getByText('Copied').waitFor()
    await plainPage.keyboard.press('Control+k')
    const search = plainPage.getByRole('dialog').getByRole('combobox')
    await search.press('Control+v')
    expect(await search.inputValue()).toBe(`${url}/mcp`)
    // While a dialog is open, text outside it cannot be selected, so copying has to work within the dialog.
    await plainPage.goto('/settings/webhooks')
    await plainPage.getByRole('button', { name: 'Add webhook' }).click()
    const dialog = plainPage.getByRole('dialog')
    await dialog.getByLabel('URL').fill('https://crm.acme.example/overture')
    await dialog.getByRole('button', { name: 'Add webhook' }).click()
    const secret = await dialog.getByLabel('Webhook secret').innerText()
    await dialog.getByRole('button', { name: 'Copy' }).click()
    await dialog.getByText('Copied').waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await plainPage.keyboard.press('Control+k')
    await search.press('Control+v')
    expect(await search.inputValue()).toBe(secret)
    await plainPage.close()
  })

  it('edits the steps of a campaign over plain HTTP', async () => {
    const { id } = await owner.call('createCampaign', { name: 'Winter' })
    const { plainPage } = await openPlainPage(`/campaigns/${id}/steps`)
    await plainPage.getByRole('button', { name: 'Add step' }).click()
    await plainPage.getByRole('menuitem', { name: 'Email' }).click()
    await plainPage.getByLabel('Subject', { exact: true }).waitFor()
    await plainPage.close()
  })

  it('requests page data without waiting for the session, and requests nothing twice', async () => {
    const requested: string[] = []
    page.on('request', request => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/v1/')) requested.push(pathname)
    })
    const known = Promise.withResolvers<void>()
    await page.route('**/v1/session', async route => {
      await known.promise
      await route.continue()
    })
    await page.goto('/people/do-not-contact')
    const needed = ['/v1/dnc/communication-opt-outs', '/v1/session']
    await expect.poll(() => requested.toSorted()).toEqual(needed)
    known.resolve()
    await page.getByText('No entries yet').waitFor()
    // Once the permissions are known, the app loads the navigation's counts and the page's filters, and opens the
    // stream of live updates.
    const permitted = [
      '/v1/account',
      '/v1/call-requests',
      '/v1/inbox/conversations/counts',
      '/v1/members',
      '/v1/notifications',
      '/v1/problems',
      '/v1/tasks',
    ]
    await expect
      .poll(() => requested.toSorted())
      .toEqual([...permitted, '/v1/session/events', ...needed].toSorted())
  })

  it('finds a campaign by part of its name from any page and opens it by keyboard', async () => {
    await owner.call('createCampaign', { name: 'Nordic shipyards' })
    await page.goto('/settings/profile')
    await page.getByRole('heading', { name: 'Profile' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').fill('shipy')
    // Does not wait for results: Enter applies to the text, whenever the results arrive.
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Nordic shipyards' }).waitFor()
    expect(new URL(page.url()).pathname).toMatch(/^\/campaigns\//)
  })

  it('finds a campaign by mouse, and reports when nothing matches', async () => {
    await page.goto('/people/do-not-contact')
    await page.getByText('No entries yet').waitFor()
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.locator('input[role=combobox]').fill('zzzqqq')
    await page.getByText('No results.').waitFor()
    await page.locator('input[role=combobox]').fill('nordic')
    await page.getByRole('option', { name: 'Nordic shipyards' }).click()
    await page.getByRole('heading', { name: 'Nordic shipyards' }).waitFor()
  })

  it('asks before Back discards the input of a dialog, but not after it is saved', async () => {
    await page.goto('/inbox')
    await page.getByRole('link', { name: 'Campaigns', exact: true }).click()
    await page.getByRole('button', { name: 'New campaign' }).first().click()
    const name = page.getByRole('dialog').getByLabel('Name')
    await name.fill('Autumn trial')
    await page.evaluate(() => history.back())
    await page.getByRole('button', { name: 'Stay on page' }).click()
    expect(await name.inputValue()).toBe('Autumn trial')
    await page.getByRole('button', { name: 'Create campaign' }).click()
    await page.getByRole('heading', { name: 'Autumn trial', level: 1 }).waitFor()
    expect(await page.getByRole('alertdialog').count()).toBe(0)
  })

  it('offers the search in the menu on a phone', async () => {
    await page.setViewportSize({ width: 360, height: 800 })
    await page.goto('/settings/profile')
    await page.locator('[popovertarget]').click()
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.locator('input[role=combobox]').fill('nordic')
    await page.getByRole('option', { name: 'Nordic shipyards' }).click()
    await page.getByRole('heading', { name: 'Nordic shipyards' }).waitFor()
  })

  it('makes no requests to other hosts, violates no policy and throws no errors', () => {
    // Chromium logs this message for every page over plain HTTP.
    const expected = 'The Cross-Origin-Opener-Policy header has been ignored'
    expect(browser.errors.filter(error => !error.startsWith(expected))).toEqual([])
  })
})
