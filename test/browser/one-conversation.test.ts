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
import { tabTo } from '../support/browser/keyboard.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { type Desk, makeDesk, makeEmail, makeThread } from '../support/campaigns/inbox.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'

const HOUR_MS = 3_600_000

/** The tests run in order: each continues where the previous one ended. */
describe.skipIf(!hasChromium())('the conversation with a person on all channels', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let owner: Caller
  let desk: Desk
  let threadId: string
  let linkedinConversationId: string
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR_MS)
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    owner = await makeCaller(server.app)
    desk = await makeDesk(owner)
    browser = await openBrowser(server.url)
    page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await addSessionCookie(page, server.url, await server.createCookie(owner))
    const earlier = await makeThread(server.app, owner, { ...desk, subject: 'Looms' })
    const body = 'Not before May.\nAsk me again then.'
    await makeEmail(server.app, owner, {
      ...{ ...desk, threadId: earlier, type: 'received', subject: 'Looms', body, sentAt: hoursAgo(9) },
    })
    threadId = await makeThread(server.app, owner, { ...desk, subject: 'Engines' })
    const email = { ...desk, threadId, subject: 'Engines' }
    await makeEmail(server.app, owner, { ...email, body: 'Do you need engines?', sentAt: hoursAgo(8) })
    await recordMessage('received', 'Saw your email.\nLet us talk here.', hoursAgo(7))
    await recordMessage('manual', 'Gladly.', hoursAgo(6))
    await makeEmail(server.app, owner, { ...email, type: 'received', body: 'How much?', sentAt: hoursAgo(5) })
    await owner.call('logCall', {
      ...{
        prospectId: desk.prospectId,
        callType: 'inbound',
        outcome: 'answered',
        phoneNumber: '+442079460019',
      },
      ...{ notes: 'Wants a demo next week.', duration: 240 },
    })
    await page.goto(`/inbox/${threadId}?view=all`)
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const recordMessage = async (
    type: 'received' | 'manual',
    text: string,
    happenedAt: Date,
  ): Promise<void> => {
    const { prospectId, repId } = desk
    const message = { prospectId, repId, type, text, happenedAt: happenedAt.toISOString() }
    linkedinConversationId = (await owner.call('recordLinkedinMessage', message)).linkedinConversationId
  }
  const articles = () => page.locator('main article')
  const labels = () =>
    articles().evaluateAll(elements => elements.map(element => element.getAttribute('aria-label')))
  const article = (text: string) => articles().filter({ hasText: text })
  const channel = (name: string) =>
    page.getByRole('group', { name: 'Reply by' }).getByRole('button', { name, exact: true })
  const listDrafts = async () =>
    (await owner.call('listEmailMessages', { emailThreadId: threadId, status: 'draft' })).data

  it('is shown in chronological order, each message with its channel, regardless of which conversation is open', async () => {
    await article('How much?').waitFor()
    expect(await labels()).toEqual([
      'Email from Ada, another thread',
      'From Grace Hopper',
      'LinkedIn message from Ada',
      'LinkedIn message from you',
      'From Ada Byron',
      'Call from Ada',
    ])
    await article('Let us talk here.').getByText('LinkedIn', { exact: true }).waitFor()
    await article('How much?').getByText('Email', { exact: true }).waitFor()
    await article('Wants a demo next week.').getByText('Answered').waitFor()
    expect(await article('Saw your email.').innerText()).toContain('Saw your email.\nLet us talk here.')
    await expectUsable(page, 'conversation-channels', [360, 768, 1440, 1920])
    await page.goto(`/inbox/linkedin/${linkedinConversationId}?view=all`)
    await article('Let us talk here.').waitFor()
    expect(await labels()).toEqual([
      'Email from Ada, another thread',
      'Email from you, another thread',
      'From Ada',
      'From you',
      'Email from Ada, another thread',
      'Call from Ada',
    ])
    await expectUsable(page, 'linkedin-channels', [360, 1440])
  })

  it('stays unread on LinkedIn when its email thread is opened', async () => {
    const { call } = owner
    const isUnread = async () =>
      (await call('getConversation', { conversationId: linkedinConversationId })).isUnread
    await expect.poll(isUnread).toBe(false)
    await call('updateConversations', { conversationIds: [linkedinConversationId], isUnread: true })
    await page.goto(`/inbox/${threadId}?view=all`)
    await article('Let us talk here.').waitFor()
    await expect
      .poll(async () => (await call('getConversation', { conversationId: threadId })).isUnread)
      .toBe(false)
    expect(await isUnread()).toBe(true)
  })

  it('opens an email in another thread by keyboard, with a link to its thread', async () => {
    await tabTo(page, article('Not before May.').getByRole('button', { name: 'Ada' }))
    await page.keyboard.press('Enter')
    await article('Ask me again then.').getByRole('link', { name: 'Open thread “Looms”' }).waitFor()
    await article('Open thread').getByRole('button', { name: 'Ada Byron' }).click()
    await expect.poll(() => page.getByRole('link', { name: 'Open thread' }).count()).toBe(0)
  })

  it('links to the call with its transcript and recording', async () => {
    await article('Wants a demo next week.').getByRole('link', { name: 'Open call' }).click()
    await page.getByRole('heading', { name: 'Call from Ada' }).waitFor()
    await page.goBack()
    await article('How much?').waitFor()
  })

  it('is answered on the channel chosen by keyboard, and keeps the draft on the other channel', async () => {
    const field = page.getByRole('region', { name: 'Draft' }).locator('textarea')
    await page.keyboard.press('r')
    await page.keyboard.type('About 300 pounds.')
    await expect.poll(listDrafts).toMatchObject([{ body: expect.stringContaining('300 pounds') }])
    await page.keyboard.press('Escape')
    await channel('LinkedIn').focus()
    await page.keyboard.press('Enter')
    expect(await channel('LinkedIn').getAttribute('aria-pressed')).toBe('true')
    await page.keyboard.press('r')
    await page.keyboard.type('Shall we meet?')
    await page.getByRole('button', { name: 'Send message' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Message to Ada queued: see Tasks.').waitFor()
    expect((await owner.call('listTasks', { personId: desk.personId })).data).toMatchObject([
      { text: 'Shall we meet?' },
    ])
    await channel('Email').focus()
    await page.keyboard.press('Enter')
    expect(await field.filter({ visible: true }).inputValue()).toBe('About 300 pounds.')
  })

  it('is answered by email from the LinkedIn conversation', async () => {
    await page.goto(`/inbox/linkedin/${linkedinConversationId}?view=all`)
    await channel('Email').focus()
    await page.keyboard.press('Enter')
    await page.getByText('In the thread “Engines”').waitFor()
    await page.getByText('About 300 pounds.').waitFor()
  })

  it('shows a message on another channel as soon as it arrives', async () => {
    await page.goto(`/inbox/${threadId}?view=all`)
    await article('How much?').waitFor()
    await recordMessage('received', 'Still there?', new Date())
    await article('Still there?').waitFor()
    expect((await labels()).at(-1)).toBe('LinkedIn message from Ada')
  })

  it('omits messages that a member may not read', async () => {
    const member = await makeCaller(server.app, 'member', owner.accountId)
    const { id: theirRepId } = await owner.call('createRep', { name: 'Mary', ownedById: member.userId })
    const memberThreadId = await makeThread(server.app, owner, {
      ...desk,
      repId: theirRepId,
      subject: 'Pumps',
    })
    await makeEmail(server.app, owner, {
      ...{ ...desk, repId: theirRepId, threadId: memberThreadId, type: 'received', body: 'Any pumps?' },
    })
    const memberPage = await browser.newPage()
    await addSessionCookie(memberPage, server.url, await server.createCookie(member))
    await memberPage.goto(`/inbox/${memberThreadId}?view=all`)
    await memberPage.locator('main article').filter({ hasText: 'Any pumps?' }).waitFor()
    expect(await memberPage.locator('main article').count()).toBe(1)
    expect(await memberPage.getByRole('group', { name: 'Reply by' }).count()).toBe(0)
    expect(browser.errors).toEqual([])
  })
})
