import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aCaller, type Caller } from '../support/app.ts'
import {
  expectUsable,
  giveCookie,
  hasChromium,
  openBrowser,
  type TestBrowser,
} from '../support/browser/chromium.ts'
import { countActions } from '../support/browser/count-actions.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { aDesk, anEmail, aThread, type Desk } from '../support/campaigns/inbox.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'

const HOUR_MS = 3_600_000

describe.skipIf(!hasChromium())('replies in the inbox', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let caller: Caller
  let desk: Desk
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    browser = await openBrowser(server.url)
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  /** Opens the inbox of a new account with replies, the first subject on top. */
  const openInbox = async (subjects: string[], drafted: string[] = []) => {
    caller = await aCaller(server.app)
    desk = await aDesk(caller)
    await caller.call('setCampaignSteps', {
      campaignId: desk.campaignId,
      steps: [{ subject: 'Engines', body: 'Hello' }],
    })
    for (const [index, subject] of subjects.entries()) {
      const sentAt = new Date(Date.now() - (index + 1) * HOUR_MS)
      const threadId = await aThread(server.app, caller, { ...desk, subject })
      const sent = new Date(sentAt.getTime() - HOUR_MS)
      await anEmail(server.app, caller, { ...desk, threadId, subject, sentAt: sent })
      const reply = { type: 'received' as const, subject: `Re: ${subject}`, body: `About ${subject}`, sentAt }
      const emailMessageIdToReplyTo = await anEmail(server.app, caller, { ...desk, threadId, ...reply })
      if (!drafted.includes(subject)) continue
      await caller.call('createEmailDraft', {
        ...{ prospectId: desk.prospectId, emailMessageIdToReplyTo },
        body: `Thank you for writing about ${subject}.`,
      })
    }
    page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await giveCookie(page, server.url, await server.createCookie(caller))
  }
  const rows = () => page.getByRole('list', { name: 'Conversations' }).getByRole('link')
  const row = (subject: string) => rows().filter({ hasText: subject })
  const isOpen = (subject: string) =>
    page.getByRole('heading', { level: 2, name: subject, exact: true }).waitFor()
  const listSubjects = async (view: 'done' | 'snoozed' | 'needs_reply') =>
    (await caller.call('listConversations', { view, limit: 100 })).data
      .map(({ subject }) => subject)
      .toSorted()
  const press = (key: string) => page.keyboard.press(key)
  const focusedTag = () => page.evaluate(() => document.activeElement?.tagName)

  it('are loaded before they are opened one after the other', async () => {
    await openInbox(['First', 'Second'])
    await page.goto('/inbox')
    const [, second] = (await caller.call('listConversations', {})).data
    await row('First').waitFor()
    const loaded = page.waitForResponse(answer => answer.url().endsWith(`/threads/${second!.emailThreadId}`))
    await row('First').press('Enter')
    await isOpen('First')
    await (await loaded).finished()
    await page.route('**/v1/**', () => {})
    await row('Second').press('Enter')
    await isOpen('Second')
    await page.getByText('About Second').last().waitFor()
    await page.close()
  })

  /** Numbers subjects as in `A01`. */
  const listNumbered = (letter: string, length: number) =>
    Array.from({ length }, (_item, index) => `${letter}${String(index + 1).padStart(2, '0')}`)

  it.each([
    { of: 10, maxKeys: 40, answers: 4, snoozes: 2, dones: 4 },
    { of: 50, maxKeys: 100, answers: 12, snoozes: 8, dones: 30 },
  ])(
    'are read, answered, snoozed and done by keyboard: $of in at most $maxKeys keys',
    async ({ of, maxKeys, answers, snoozes, dones }) => {
      const answered = listNumbered('A', answers)
      const snoozed = listNumbered('S', snoozes)
      const done = listNumbered('D', dones)
      await openInbox([...answered, ...snoozed, ...done], answered)
      const count = await countActions(page)
      await page.goto('/inbox')
      await rows()
        .nth(of - 1)
        .waitFor()
      await press('Enter')
      for (const subject of answered) {
        await isOpen(subject)
        await page.getByRole('region', { name: 'Draft' }).waitFor()
        await press('r')
        await press('Control+Enter')
        await page.getByRole('article').getByText('Queued').waitFor()
        for (const key of ['j', 'Enter']) await press(key)
      }
      for (const subject of snoozed) {
        await isOpen(subject)
        await expect.poll(focusedTag).toBe('H2')
        await press('h')
        await page.getByRole('dialog', { name: 'Snooze' }).waitFor()
        await expect.poll(focusedTag).toBe('INPUT')
        await press('Enter')
      }
      for (const subject of done) {
        await isOpen(subject)
        await expect.poll(focusedTag).toBe('H2')
        await press('e')
      }
      await page.getByText('No conversation selected').waitFor()
      await expect.poll(() => listSubjects('done')).toEqual(done)
      await expect.poll(() => listSubjects('snoozed')).toEqual(snoozed)
      await expect.poll(() => listSubjects('needs_reply')).toEqual(answered)
      expect(count.clicks).toBe(0)
      expect(count.keys).toBeLessThanOrEqual(maxKeys)
    },
  )

  it('return when marking as done is undone', async () => {
    await openInbox(['First', 'Second', 'Third'])
    await page.goto('/inbox')
    await row('Second').click()
    await isOpen('Second')
    await press('e')
    await isOpen('Third')
    await row('Second').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    await press('z')
    await isOpen('Second')
    await row('Second').waitFor()
    expect(await listSubjects('done')).toEqual([])
  })

  it('are snoozed until a chosen time, assigned, tagged and marked as unread by button', async () => {
    const bar = page.getByRole('region', { name: 'Actions' })
    await bar.getByRole('button', { name: 'Assign' }).click()
    await page.getByRole('option', { name: 'Me' }).click()
    await row('Second').getByText('Assigned to').waitFor()
    await bar.getByRole('button', { name: 'Tag' }).click()
    await expect.poll(focusedTag).toBe('INPUT')
    await page.keyboard.type('Hot lead')
    await page.getByRole('option', { name: 'Create tag “Hot lead”' }).click()
    await page.getByText('Tag Hot lead added.').waitFor()
    await bar.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Mark as unread' }).click()
    await row('Second').getByText('unread').waitFor()
    await bar.getByRole('button', { name: 'Snooze' }).click()
    await page.getByRole('option', { name: 'Choose date and time' }).click()
    const until = page.getByRole('dialog').getByLabel('Until')
    await until.fill('2020-01-01T09:00')
    await until.press('Enter')
    await page.getByText('Choose a time in the future.').waitFor()
    await until.fill('2030-01-01T09:00')
    await until.press('Enter')
    await isOpen('Third')
    const snoozedUntil = new Date('2030-01-01T09:00').toISOString()
    const listSnoozed = async () => (await caller.call('listConversations', { view: 'snoozed' })).data
    await expect.poll(listSnoozed).toMatchObject([
      {
        subject: 'Second',
        tags: ['Hot lead'],
        assignee: { id: caller.userId },
        isUnread: true,
        snoozedUntil,
      },
    ])
  })

  it('are marked as done together', async () => {
    await page.goto('/inbox')
    await rows().nth(1).waitFor()
    for (const key of ['j', 'x', 'j', 'x']) await press(key)
    const bar = page.getByRole('region', { name: 'Selected rows' })
    await bar.getByText('2 selected').waitFor()
    await press('Escape')
    await bar.waitFor({ state: 'detached' })
    for (const key of ['x', 'k', 'x']) await press(key)
    await bar.getByText('2 selected').waitFor()
    await expectUsable(page, 'inbox-selected', [360, 768, 1440, 1920])
    await bar.getByRole('button', { name: 'Done' }).click()
    await page.getByText('2 conversations marked as done.').waitFor()
    await page.getByText('Nothing waits for a reply').waitFor()
    expect(await listSubjects('done')).toEqual(['First', 'Third'])
  })

  it('stop a sequence and opt a person out after a question', async () => {
    await openInbox(['Please stop'])
    await page.goto('/inbox')
    await rows().first().waitFor()
    await press('j')
    await press('s')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Stop sequence' }).click()
    await page.getByText('Sequence stopped.').waitFor()
    expect(await caller.call('getProspect', { prospectId: desk.prospectId })).toMatchObject({
      status: 'stopped',
    })
    await press('#')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Opt out' }).click()
    await page.getByText('is not contacted any more').waitFor()
    expect(await caller.call('getPerson', { personId: desk.personId })).toMatchObject({ isOptedOut: true })
  })

  it('say why a person without any contact details can’t be opted out', async () => {
    await openInbox(['Unknown'])
    await server.app.owner`update persons set email = null where id = ${desk.personId}`
    await page.goto('/inbox')
    await rows().first().waitFor()
    await press('j')
    await press('#')
    await page.getByText('has no email address, phone number or LinkedIn profile to opt out.').waitFor()
    expect(await page.getByRole('alertdialog').count()).toBe(0)
  })

  it('have no actions for a viewer', async () => {
    const viewer = await aCaller(server.app, 'viewer', caller.accountId)
    page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await giveCookie(page, server.url, await server.createCookie(viewer))
    await page.goto('/inbox?view=all')
    await rows().first().click()
    await isOpen('Unknown')
    await press('e')
    await press('h')
    for (const name of ['Done', 'Snooze', 'Assign', 'Tag', 'More actions'])
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0)
    expect(await page.getByRole('checkbox').count()).toBe(0)
    expect(await listSubjects('done')).toEqual([])
  })

  it('request no other host, violate no policy and throw nothing', () => {
    expect(browser.faults).toEqual([])
  })
})
