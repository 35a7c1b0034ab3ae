import type { Page, Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setHtml } from '../../src/server/domain/messages/write-email-messages.ts'
import { sanitizeHtml } from '../../src/server/protocols/mime/sanitize-html.ts'
import { makeCaller } from '../support/app.ts'
import { addSessionCookie, hasChromium, openBrowser, type TestBrowser } from '../support/browser/chromium.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { inAccountTransaction, makeEmail, makeThread } from '../support/campaigns/inbox.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'
import { hostileHtml } from '../support/mail/hostile-html.ts'

const kinds = Object.keys(hostileHtml)

/** Each test shows all hostile emails, either sanitized, as in storage, or unsanitized. */
describe.skipIf(!hasChromium())('the HTML of a hostile email', () => {
  let server: TestServer
  let browser: TestBrowser
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    browser = await openBrowser(server.url)
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  /** Opens a thread of all hostile emails and records their effects. */
  async function openThread(prepare: (html: string) => string) {
    const caller = await makeCaller(server.app)
    const threadId = await makeThread(server.app, caller)
    for (const [index, [kind, html]] of Object.entries(hostileHtml).entries()) {
      const messageId = await makeEmail(server.app, caller, {
        threadId,
        type: 'received',
        body: kind,
        sentAt: new Date(Date.UTC(2026, 10, 1, 9, index)),
      })
      await inAccountTransaction(server.app, caller, tx =>
        setHtml(tx, messageId, `<p>${kind}</p>${prepare(html)}`),
      )
    }
    const page = await browser.newPage()
    await addSessionCookie(page, server.url, await server.createCookie(caller))
    const effects = watchEffects(page)
    await page.goto(`/inbox/${threadId}`)
    await page.getByRole('button', { name: `Show all ${kinds.length} messages` }).click()
    for (const [index, kind] of kinds.entries()) {
      const article = page.getByRole('article').nth(index)
      await article.scrollIntoViewIfNeeded()
      const content = article.frameLocator('iframe').locator('p').first()
      await expect.poll(() => content.innerText(), { message: kind }).toBe(kind)
    }
    return { page, effects }
  }

  /** Collects scripts that ran, requests from frames, new windows and navigations of the page. */
  function watchEffects(page: Page): string[] {
    const effects: string[] = []
    const { host } = new URL(server.url)
    page.on('dialog', dialog => {
      effects.push(`runs ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('popup', popup => effects.push(`opens ${popup.url()}`))
    const check = (request: Request): void => {
      const url = new URL(request.url())
      const isFromFrame = !request.isNavigationRequest() && request.frame() !== page.mainFrame()
      const isPageNavigation = request.isNavigationRequest() && request.frame() === page.mainFrame()
      const isHtml = /^\/v1\/inbox\/email\/messages\/[\w-]+\/html$/.test(url.pathname)
      if (!/^https?:$/.test(url.protocol)) return
      if (url.host !== host || isFromFrame || !(isHtml || isPageNavigation || !request.isNavigationRequest()))
        effects.push(`requests ${request.url()}`)
    }
    page.on('requestfinished', check)
    page.on('requestfailed', request => {
      // Requests that are blocked by the content security policy or for lack of an origin never leave the browser.
      if (!['csp', 'origin'].includes(request.failure()?.errorText ?? '')) check(request)
    })
    return effects
  }

  /** Clicks everything that a message could have made clickable, except links to other sites. */
  async function clickAll(page: Page) {
    for (const frame of page.frames().slice(1)) {
      for (const target of await frame
        .locator('a:not([href]), a[href*=script i], a[href^=data], button, input, area, p')
        .all()) {
        await target.click({ force: true, timeout: 1_000, noWaitAfter: true }).catch(() => {})
      }
    }
  }

  it('is tested with at least 60 kinds of attack', () => {
    expect(kinds.length).toBeGreaterThanOrEqual(60)
  })

  it('does nothing once sanitized, violates no policy and leaves the page usable', async () => {
    const errorsBefore = browser.errors.length
    const { page, effects } = await openThread(sanitizeHtml)
    const { pathname } = new URL(page.url())
    await clickAll(page)
    expect(effects).toEqual([])
    expect(browser.errors.slice(errorsBefore)).toEqual([])
    expect(new URL(page.url()).pathname).toBe(pathname)
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(
      0,
    )
    await page.getByRole('button', { name: 'Show plain text' }).first().click()
    await expect.poll(() => page.locator('iframe').count()).toBe(0)
    await page.getByRole('link', { name: 'Campaigns' }).click()
    await page.waitForURL('**/campaigns')
  })

  it('does nothing even when it is not sanitized', async () => {
    const { page, effects } = await openThread(html => html)
    const { pathname } = new URL(page.url())
    await clickAll(page)
    expect(effects).toEqual([])
    expect(new URL(page.url()).pathname).toBe(pathname)
  })
})
