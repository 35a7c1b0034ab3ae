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
import { type Desk, makeDesk, makeEmail, makeThread } from '../support/campaigns/inbox.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'

const HOUR_MS = 3_600_000

describe.skipIf(!hasChromium())('the inbox list', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let caller: Caller
  let desk: Desk
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    caller = await makeCaller(server.app)
    desk = await makeDesk(caller)
    await caller.call('updatePerson', { personId: desk.personId, lastName: 'Byron', company: 'Analytical' })
    await makeReply('Engines', 'How much is an engine?')
    await makeReply('Looms', 'Not before May.')
    const { id } = await makeReply('Cards', 'Thank you, no.')
    await caller.call('updateConversations', { conversationIds: [id], status: 'done' })
    const snoozed = await makeReply('Steam', 'In two weeks, please.')
    const snoozedUntil = new Date(Date.now() + HOUR_MS).toISOString()
    await caller.call('updateConversations', { conversationIds: [snoozed.id], snoozedUntil })
    await caller.call('recordLinkedinMessage', {
      ...{ prospectId: desk.prospectId, repId: desk.repId, type: 'received' as const },
      text: 'See you at the fair',
    })
    browser = await openBrowser(server.url)
    page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await addSessionCookie(page, server.url, await server.createCookie(caller))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const makeReply = async (subject: string, body: string): Promise<{ id: string }> => {
    const id = await makeThread(server.app, caller, { ...desk, subject })
    await makeEmail(server.app, caller, { ...desk, threadId: id, subject, body: 'Hello' })
    const reply = { ...desk, threadId: id, type: 'received' as const, subject: `Re: ${subject}`, body }
    await makeEmail(server.app, caller, reply)
    return { id }
  }
  const rows = () => page.getByRole('list', { name: 'Conversations' }).getByRole('link')
  const view = (name: RegExp) => page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name })
  const expectRows = (texts: string[]) =>
    expect
      .poll(async () => (await rows().allInnerTexts()).toSorted())
      .toEqual(texts.toSorted().map(text => expect.stringContaining(text)))

  it('starts with email and LinkedIn conversations that need a reply, newest first by default', async () => {
    await page.goto('/inbox')
    await rows().first().waitFor()
    const texts = await rows().allInnerTexts()
    expect(texts.map(text => text.split('\n').at(-2))).toEqual([
      'See you at the fair',
      'Not before May.',
      'How much is an engine?',
    ])
    await page.getByLabel('Add filter').selectOption('Oldest first')
    await page.waitForURL('**/inbox?order=asc')
    await expect.poll(async () => (await rows().allInnerTexts())[0]).toContain('How much is an engine?')
    await page.getByRole('button', { name: 'Remove filter Oldest first' }).click()
    await page.waitForURL('**/inbox')
    expect(texts[1]).toMatch(/Ada Byron · Analytical[\s\S]*Looms[\s\S]*Spring/)
  })

  it('links to each view, with the number of its conversations', async () => {
    await view(/^Needs reply 3$/).waitFor()
    await view(/^Snoozed 1$/).click()
    await expectRows(['In two weeks, please.'])
    await rows().getByText('Snoozed until').waitFor()
    await view(/^Done 1$/).click()
    await page.waitForURL('**/inbox?view=done')
    await expectRows(['Thank you, no.'])
    await view(/^Drafts$/).click()
    await page.getByText('No drafts').waitFor()
    await view(/^All 5$/).click()
    await expect.poll(() => rows().count()).toBe(5)
    expect(await page.locator('nav[aria-label=Views] [aria-current]').innerText()).toContain('All')
    const before = page.viewportSize()!
    await page.setViewportSize({ width: 360, height: 740 })
    const listTops = () =>
      page
        .locator('nav[aria-label=Views] a')
        .evaluateAll(links => [...new Set(links.map(link => link.getBoundingClientRect().top))])
    await expect.poll(async () => (await listTops()).length).toBe(1)
    await page.setViewportSize(before)
    await expectUsable(page, 'inbox-all', [360, 768, 1440, 1920])
  })

  it('keeps the view while a conversation is open, and scrolls the panes separately', async () => {
    await view(/^Snoozed/).click()
    await rows().first().click()
    await page.getByRole('heading', { name: 'Steam', exact: true }).waitFor()
    expect(new URL(page.url()).search).toBe('?view=snoozed')
    await expectRows(['In two weeks, please.'])
    expect(await page.evaluate(() => document.documentElement.scrollHeight <= innerHeight)).toBe(true)
  })

  it('searches with / and filters by channel and assignee in the URL', async () => {
    await page.goto('/inbox')
    await rows().first().waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('looms')
    await page.waitForURL('**/inbox?query=looms')
    await expectRows(['Not before May.'])
    for (const key of ['Enter', 'j', 'Enter']) await page.keyboard.press(key)
    await page.getByRole('heading', { name: 'Looms', exact: true }).waitFor()
    await page.getByRole('searchbox').fill('')
    await expect.poll(() => rows().count()).toBe(3)
    await page.getByRole('heading', { name: 'Looms', exact: true }).waitFor()
    const addFilter = page.getByLabel('Add filter')
    await addFilter.selectOption('LinkedIn')
    await page.waitForURL('**?channel=linkedin')
    await expectRows(['See you at the fair'])
    await view(/^Needs reply 1$/).waitFor()
    await view(/^All 1$/).waitFor()
    await addFilter.selectOption('Me')
    await page.getByText('No conversation matches').waitFor()
    const { data } = await caller.call('listConversations', { channel: 'linkedin' })
    await caller.call('updateConversations', { conversationIds: [data[0]!.id], assigneeId: caller.userId })
    await page.reload()
    await expectRows(['See you at the fair'])
    await page.getByText('Assigned to me').waitFor()
    await page.getByRole('button', { name: 'Remove filter LinkedIn' }).click()
    await page.waitForURL(`**?assigneeId=${caller.userId}`)
    await expectRows(['See you at the fair'])
  })

  it('shows the person in the open conversation and their messages on every channel', async () => {
    await page.goto('/inbox?view=all')
    await rows().filter({ hasText: 'Engines' }).click()
    const person = page.getByRole('complementary', { name: 'Person' })
    await person.getByRole('link', { name: 'Analytical' }).waitFor()
    await person.getByText('LinkedIn message received').first().waitFor()
    await person.getByText('Email received').first().waitFor()
    await expectUsable(page, 'inbox-person')
    await page.setViewportSize({ width: 1440, height: 900 })
    await person.getByRole('link', { name: 'Ada Byron' }).click()
    await page.waitForURL(`**/people/${desk.personId}`)
  })

  it('makes no requests to other hosts, violates no policy and throws no errors', () => {
    expect(browser.errors).toEqual([])
  })
})
