import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller } from '../support/app.ts'
import {
  addSessionCookie,
  hasChromium,
  openBrowser,
  saveScreenshot,
  type TestBrowser,
} from '../support/browser/chromium.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { type Desk, makeDesk, makeEmail, makeThread } from '../support/campaigns/inbox.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'
import { openTcpProxy } from '../support/http/tcp-proxy.ts'

/** More rows than fit on a screen. */
const ROW_COUNT = 40

/** Returns an element's top in pixels once it has not changed for ten frames: rows get their height only when shown. */
async function readTopAtRest(element: Element): Promise<number> {
  const tops: number[] = []
  while (tops.length < 10 || tops.slice(-10).some(top => top !== tops.at(-1))) {
    await new Promise(requestAnimationFrame)
    tops.push(Math.round(element.getBoundingClientRect().top))
  }
  return tops.at(-1)!
}

describe.skipIf(!hasChromium())('an open page', () => {
  let server: TestServer
  let proxy: Awaited<ReturnType<typeof openTcpProxy>>
  let browser: TestBrowser
  let page: Page
  let owner: Caller
  let desk: Desk
  /** While true, connections break when data arrives. */
  let isCut = false
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    const pass = (data: Buffer) => (isCut ? undefined : data)
    proxy = await openTcpProxy(Number(new URL(server.url).port), { toServer: pass, toClient: pass })
    owner = await makeCaller(server.app)
    await owner.call('updateAccount', { postalAddress: '12 St James Square', optOutLine: 'Reply stop.' })
    desk = await makeDesk(owner)
    const url = `http://127.0.0.1:${proxy.port}`
    browser = await openBrowser(url)
    page = await browser.newPage({ viewport: { width: 1280, height: 720 } })
    await addSessionCookie(page, url, await server.createCookie(owner))
    // Opens a stream, so that the browser can later request everything since the last change that it received.
    const timeout = 90_000
    const stream = page.waitForResponse(response => response.url().endsWith('/v1/session/events'), {
      timeout,
    })
    await page.goto('/campaigns', { timeout })
    await stream
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await proxy?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const row = (text: string) =>
    page.getByRole('list', { name: 'Conversations' }).getByRole('link').filter({ hasText: text })
  const campaignRow = (name: string) => page.getByRole('row').filter({ hasText: name })
  const replyTo = (threadId: string, body: string) =>
    makeEmail(server.app, owner, { ...desk, threadId, type: 'received', subject: 'Re: Engines', body })
  const makeCampaign = (name: string) =>
    owner.call('createCampaign', {
      ...{ name, repIds: [desk.repId] },
      steps: [{ subject: 'Engines', body: 'Hello' }],
    })
  it('shows a reply in the list, in the open conversation and in the count, and keeps the draft and the focus', async () => {
    const threadId = await makeThread(server.app, owner, desk)
    await makeEmail(server.app, owner, { ...desk, threadId, body: 'May I show you our engine?' })
    await page.goto(`/inbox/${threadId}`)
    await page.getByRole('button', { name: 'Reply' }).click()
    const draft = page.getByRole('region', { name: 'Draft' }).getByRole('textbox')
    await draft.fill('One more thing')
    await replyTo(threadId, 'Please do, on Tuesday.')
    await row('Please do, on Tuesday.').waitFor()
    await page.getByRole('article').getByText('Please do, on Tuesday.').waitFor()
    await page.getByRole('link', { name: 'Inbox 1 to reply to' }).waitFor()
    expect(await draft.inputValue()).toBe('One more thing')
    expect(await draft.evaluate(element => element === document.activeElement)).toBe(true)
  })

  it('shows that somebody else paused a campaign', async () => {
    const { id: campaignId } = await makeCampaign('Difference engines')
    await owner.call('launchCampaign', { campaignId })
    await page.goto('/campaigns')
    await campaignRow('Difference engines').getByText('Active').waitFor()
    await owner.call('pauseCampaign', { campaignId })
    await campaignRow('Difference engines').getByText('Paused').waitFor()
  })

  it('catches up on changes made while the connection was cut', async () => {
    await page.goto('/campaigns')
    await campaignRow('Difference engines').waitFor()
    isCut = true
    await makeCampaign('Punched cards')
    await page.waitForRequest(request => request.url().endsWith('/v1/session/events'))
    isCut = false
    await campaignRow('Punched cards').waitFor()
  })

  it('keeps visible rows in place, and shows new rows on request', async () => {
    for (let index = 0; index < ROW_COUNT; index++) {
      const threadId = await makeThread(server.app, owner, desk)
      await replyTo(threadId, `Letter ${index}.`)
    }
    await page.goto('/inbox')
    await row('Letter 5.').scrollIntoViewIfNeeded()
    const top = () => row('Letter 5.').evaluate(readTopAtRest)
    await row('Letter 5.').focus()
    const before = await top()
    const threadId = await makeThread(server.app, owner, desk)
    await replyTo(threadId, 'A word from above.')
    const button = page.getByRole('button', { name: '1 new' })
    await button.waitFor()
    await saveScreenshot(page, 'live-new-rows')
    expect(await top()).toBe(before)
    expect(await row('A word from above.').count()).toBe(0)
    await button.click()
    await row('A word from above.').waitFor()
    const isInSight = (element: Element) => element.getBoundingClientRect().top > 0
    expect(await row('A word from above.').evaluate(isInSight)).toBe(true)
  })

  it('makes no requests to other hosts, violates no policy and throws no errors', () => {
    expect(browser.errors).toEqual([])
  })
})
