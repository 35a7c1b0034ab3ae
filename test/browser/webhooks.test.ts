import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCaller } from '../support/app.ts'
import { addSessionCookie, hasChromium, openBrowser, type TestBrowser } from '../support/browser/chromium.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'
import { deliverDueEvents, isSigned, WebhookReceiver } from '../support/http/webhook-receiver.ts'

/** The tests run in order: each continues where the previous one ended. */
describe.skipIf(!hasChromium())('the webhook settings page', () => {
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
    await addSessionCookie(page, server.url, await server.createCookie(await makeCaller(server.app)))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await receiver?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const deliveries = () => page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem')
  /** Reads the secret, and expects its dialog to close only with the Done button. */
  const readSecret = async () => {
    const text = await page.getByLabel('Webhook secret').innerText()
    await page.mouse.click(5, 5)
    await page.keyboard.press('Escape')
    expect(await button('Close').isVisible()).toBe(false)
    expect(await page.getByLabel('Webhook secret').innerText()).toBe(text)
    await button('Done').click()
    return text
  }

  it('adds a webhook for selected events and shows its secret once', async () => {
    await page.goto('/settings/webhooks')
    await page.getByText('No webhooks yet').waitFor()
    await button('Add webhook').click()
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await button('Add webhook').click()
    await dialog.waitFor()
    await page.mouse.click(5, 5)
    await dialog.getByLabel('URL').fill(receiver.url())
    // An accidental click or Escape doesn't discard the input.
    await page.mouse.click(5, 5)
    await page.keyboard.press('Escape')
    expect(await dialog.getByLabel('URL').inputValue()).toBe(receiver.url())
    for (const family of ['LinkedIn messages', 'Calls', 'Do Not Contact', 'Campaigns']) {
      await dialog.getByLabel(family).uncheck()
    }
    await dialog.getByRole('button', { name: 'Add webhook' }).click()
    secret = await readSecret()
    await page.getByText('prospect.*, person.*, email.*').waitFor()
    expect(await page.content()).not.toContain(secret)
  })

  it('shows a test event with its response', async () => {
    receiver.answer = (_posted, response) => response.writeHead(500).end('no room <b>here</b>')
    await page.getByRole('link', { name: receiver.url() }).click()
    await button('Send test event').click()
    await deliveries().getByText('webhook.test').waitFor()
    await deliverDueEvents(server.app)
    expect(receiver.posted.map(posted => isSigned(posted, secret))).toEqual([true])
    await button('Refresh deliveries').click()
    await deliveries().getByText('webhook.test').click()
    await page.getByText('Response 500').waitFor()
    await page.getByText('no room <b>here</b>').waitFor()
    await page.getByRole('link', { name: 'Failed' }).click()
    await page.getByText('No matching deliveries').waitFor()
  })

  it('resends an event that could not be delivered', async () => {
    receiver.answer = (_posted, response) => response.writeHead(410).end()
    await button('Send test event').click()
    await expect
      .poll(async () => {
        await deliverDueEvents(server.app)
        return receiver.posted.length
      })
      .toBe(2)
    await page.reload()
    await deliveries().getByText('webhook.test').waitFor()
    await button('Enable webhook').click()
    await button('Disable webhook').waitFor()
    await button('Resend failed events').click()
    await page.getByText('1 failed event queued again.').waitFor()
  })

  it('rotates the secret while the previous secret keeps signing', async () => {
    await button('Rotate secret').click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Rotate secret' }).click()
    const next = await readSecret()
    expect(next).not.toBe(secret)
    await page.getByText('The previous secret stops signing').waitFor()
  })

  it('disables, enables and, after confirmation, removes a webhook', async () => {
    await button('Disable webhook').click()
    await button('Enable webhook').click()
    await button('Send test event').waitFor()
    await button('Remove webhook').click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove webhook' }).click()
    await page.getByText('No webhooks yet').waitFor()
  })

  it('makes no requests to other hosts, violates no policy and throws no errors', () => {
    expect(browser.errors).toEqual([])
  })
})
