import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aCaller } from '../support/app.ts'
import { giveCookie, hasChromium, openBrowser, type TestBrowser } from '../support/browser/chromium.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'
import { isSigned, postWhatIsDue, WebhookReceiver } from '../support/http/webhook-receiver.ts'

/** One after the other: each goes on where the one before ended. */
describe.skipIf(!hasChromium())('webhooks in the settings', () => {
  let server: TestServer
  let receiver: WebhookReceiver
  let browser: TestBrowser
  let page: Page
  let secret: string
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
    receiver = await WebhookReceiver.open()
    browser = await openBrowser(server.url)
    page = await browser.newPage()
    await giveCookie(page, server.url, await server.cookieOf(await aCaller(server.app)))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await receiver?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const deliveries = () => page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem')
  /** It stays until somebody says that they have it. */
  const shownSecret = async () => {
    const text = await page.getByLabel('Webhook secret').innerText()
    await page.mouse.click(5, 5)
    await page.keyboard.press('Escape')
    expect(await button('Close').isVisible()).toBe(false)
    expect(await page.getByLabel('Webhook secret').innerText()).toBe(text)
    await button('Done').click()
    return text
  }

  it('are added with the events they want, and show their secret once', async () => {
    await page.goto('/settings/webhooks')
    await page.getByText('No webhooks yet').waitFor()
    await button('Add webhook').click()
    const dialog = page.getByRole('dialog')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await button('Add webhook').click()
    await page.mouse.click(5, 5)
    await dialog.getByLabel('Address').fill(receiver.url())
    // What was typed is not lost by a slip.
    await page.mouse.click(5, 5)
    await page.keyboard.press('Escape')
    expect(await dialog.getByLabel('Address').inputValue()).toBe(receiver.url())
    for (const family of ['LinkedIn messages', 'Calls', 'Do Not Contact', 'Campaigns']) {
      await dialog.getByLabel(family).uncheck()
    }
    await dialog.getByRole('button', { name: 'Add webhook' }).click()
    secret = await shownSecret()
    await page.getByText('prospect.*, email.*').waitFor()
    expect(await page.content()).not.toContain(secret)
  })

  it('show a test event with what it was answered', async () => {
    receiver.answer = (_posted, response) => response.writeHead(500).end('no room <b>here</b>')
    await page.getByRole('link', { name: receiver.url() }).click()
    await button('Send test event').click()
    await deliveries().getByText('webhook.test').waitFor()
    await postWhatIsDue(server.app)
    expect(receiver.posted.map(posted => isSigned(posted, secret))).toEqual([true])
    await button('Refresh').click()
    await deliveries().getByText('webhook.test').click()
    await page.getByText('Answer 500').waitFor()
    await page.getByText('no room <b>here</b>').waitFor()
  })

  it('get a new secret, beside which the former one still signs', async () => {
    await button('Rotate secret').click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Rotate secret' }).click()
    const next = await shownSecret()
    expect(next).not.toBe(secret)
    await page.getByText('The former secret signs too').waitFor()
  })

  it('are switched off and on, and removed once that is confirmed', async () => {
    await button('Switch off').click()
    await button('Switch on').click()
    await button('Send test event').waitFor()
    await button('Remove webhook').click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove webhook' }).click()
    await page.getByText('No webhooks yet').waitFor()
  })

  it('asked no other host, broke no policy and threw nothing', () => {
    expect(browser.faults).toEqual([])
  })
})
