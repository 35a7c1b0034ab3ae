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
import { inAccountTransaction, makeDesk } from '../support/campaigns/inbox.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'

const CONVERSATIONS = 1_050

describe.skipIf(!hasChromium())('a long list of conversations', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let caller: Caller
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    browser = await openBrowser(server.url)
    caller = await makeCaller(server.app)
    await receive(CONVERSATIONS)
    page = await openPage({ width: 1440, height: 900 })
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  /** Stores threads with one received email each, the first on top. */
  const receive = async (count: number): Promise<void> => {
    const { repId, personId } = await makeDesk(caller)
    await inAccountTransaction(server.app, caller, async tx => {
      await tx`
        insert into email_threads (account_id, id, subject, rep_id, person_id)
        select ${caller.accountId}, md5('thread' || i)::uuid, 'Question ' || i, ${repId}, ${personId}
          from generate_series(1, ${count}::int) i`
      await tx`
        insert into email_messages (account_id, id, thread_id, rep_id, type, status, subject, body, recipients, sent_at,
                                    received_kind, message_id)
        select ${caller.accountId}, md5('message' || i)::uuid, md5('thread' || i)::uuid, ${repId}, 'received', 'sent',
               'Question ' || i, 'Hello', '{"to": []}', now() - i * interval '1 minute', 'reply',
               '<' || i || '@analytical.example>'
          from generate_series(1, ${count}::int) i`
    })
  }
  const openPage = async (viewport: { width: number; height: number }): Promise<Page> => {
    const opened = await browser.newPage({ viewport })
    await addSessionCookie(opened, server.url, await server.createCookie(caller))
    return opened
  }
  const items = () => page.getByRole('list', { name: 'Conversations' }).getByRole('listitem')
  const row = (number: number) => items().filter({ hasText: new RegExp(`Question ${number}(?!\\d)`) })
  /** Turns the mouse wheel over the list until the row is shown. */
  const scrollTo = async (number: number, { x = 500, step = 800 } = {}): Promise<void> => {
    await page.mouse.move(x, 600)
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, step)
        return row(number).count()
      })
      .toBe(1)
  }
  const focusedText = () => page.evaluate(() => document.activeElement?.textContent ?? '')

  it('is loaded to its end by scrolling, renders only the visible rows, and reports the position of each', async () => {
    await page.goto('/inbox')
    await row(1).waitFor()
    expect(await row(1).getAttribute('aria-setsize')).toBe('-1')
    await scrollTo(CONVERSATIONS, { step: 20_000 })
    expect(await items().count()).toBeLessThan(100)
    expect(await row(CONVERSATIONS).getAttribute('aria-posinset')).toBe(`${CONVERSATIONS}`)
    expect(await row(CONVERSATIONS).getAttribute('aria-setsize')).toBe(`${CONVERSATIONS}`)
    await row(CONVERSATIONS).scrollIntoViewIfNeeded()
    await row(CONVERSATIONS).getByRole('link').click()
    await page.getByRole('heading', { name: `Question ${CONVERSATIONS}` }).waitFor()
    await expectUsable(page, 'inbox-long', [1440])
  })

  it('continues from the open conversation by keyboard, regardless of the scroll position', async () => {
    await page.keyboard.press('k')
    await page.getByRole('heading', { name: `Question ${CONVERSATIONS - 1}` }).waitFor()
    await page.mouse.move(500, 600)
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, -40_000)
        return row(1).count()
      })
      .toBe(1)
    await page.keyboard.press('e')
    await page.getByRole('heading', { name: `Question ${CONVERSATIONS}`, exact: true }).waitFor()
    await row(CONVERSATIONS).waitFor()
    await expect.poll(() => row(CONVERSATIONS - 1).count()).toBe(0)
  })

  it('selects a range with Shift, including rows out of view, and keeps the selection', async () => {
    await page.goto('/inbox')
    await row(2).getByRole('checkbox').click()
    await scrollTo(150)
    await row(150).scrollIntoViewIfNeeded()
    await row(150)
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] })
    const bar = page.getByRole('region', { name: 'Selected rows' })
    await bar.getByText('149 selected').waitFor()
    await scrollTo(250)
    await bar.getByText('149 selected').waitFor()
    await page.keyboard.press('Escape')
    await bar.waitFor({ state: 'detached' })
  })

  it('returns to the opened row on a phone', async () => {
    page = await openPage({ width: 390, height: 800 })
    await page.goto('/inbox')
    await row(1).waitFor()
    await scrollTo(250, { x: 200 })
    const shown = row(250)
    await shown.scrollIntoViewIfNeeded()
    await shown.getByRole('link').click()
    await page.getByRole('heading', { name: 'Question 250' }).waitFor()
    await page.goBack()
    await expect.poll(focusedText).toContain('Question 250')
    await expect.poll(() => shown.getByRole('link').evaluate(isInSight)).toBe(true)
    expect(await items().count()).toBeLessThan(100)
    expect(browser.errors).toEqual([])
  })
})

const isInSight = (element: Element): boolean => {
  const { top, bottom } = element.getBoundingClientRect()
  return top >= 0 && bottom <= innerHeight
}
