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
import { navigateInApp } from '../support/browser/pages.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { type Desk, makeDesk, makeEmail, makeThread } from '../support/campaigns/inbox.ts'
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
  const openInbox = async (subjects: string[]) => {
    const { app } = server
    caller = await makeCaller(app)
    desk = await makeDesk(caller)
    for (const [index, subject] of subjects.entries()) {
      const sentAt = new Date(Date.now() - (index + 1) * HOUR_MS)
      const threadId = await makeThread(app, caller, { ...desk, subject })
      const email = { ...desk, threadId, subject }
      await makeEmail(app, caller, { ...email, sentAt: new Date(sentAt.getTime() - HOUR_MS) })
      await makeEmail(app, caller, { ...email, type: 'received', body: `About ${subject}`, sentAt })
    }
    page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await addSessionCookie(page, server.url, await server.createCookie(caller))
  }
  const rows = () => page.getByRole('list', { name: 'Conversations' }).getByRole('link')
  const row = (subject: string) => rows().filter({ hasText: subject })
  const waitUntilOpen = (subject: string) =>
    page.getByRole('heading', { level: 2, name: subject, exact: true }).waitFor()
  const listSubjects = async (view: 'done' | 'snoozed' | 'needs_reply') =>
    (await caller.call('listConversations', { view, limit: 100 })).data
      .map(({ subject }) => subject)
      .toSorted()
  const press = (key: string) => page.keyboard.press(key)
  const focusedTag = () => page.evaluate(() => document.activeElement?.tagName)

  it('are prefetched, so that the next reply opens without a request', async () => {
    await openInbox(['First', 'Second'])
    await page.goto('/inbox')
    const [, second] = (await caller.call('listConversations', {})).data
    await row('First').waitFor()
    const loaded = page.waitForResponse(response =>
      response.url().endsWith(`/threads/${second!.emailThreadId}`),
    )
    await row('First').press('Enter')
    await waitUntilOpen('First')
    await (await loaded).finished()
    await page.route('**/v1/**', () => {})
    await row('Second').press('Enter')
    await waitUntilOpen('Second')
    await page.getByText('About Second').last().waitFor()
    await page.close()
  })

  it('have their shortcuts at the top of the shortcut list', async () => {
    await openInbox(['First'])
    await page.goto('/inbox')
    await row('First').waitFor()
    await press('?')
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' }).locator('dd')
    await keys.first().waitFor()
    expect((await keys.allInnerTexts())[0]).toMatch(/^Inbox/)
    await page.close()
  })

  it('return when marking as done is undone', async () => {
    await openInbox(['First', 'Second', 'Third'])
    await page.goto('/inbox')
    await row('Second').click()
    await waitUntilOpen('Second')
    await press('e')
    await waitUntilOpen('Third')
    await row('Second').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    await press('z')
    await waitUntilOpen('Second')
    await row('Second').waitFor()
    await page.getByText('Undone.').waitFor()
    expect(await listSubjects('done')).toEqual([])
  })

  it('open without the filters of another page when a change is undone on that page', async () => {
    await press('e')
    await waitUntilOpen('Third')
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    await navigateInApp(page, '/people?query=nobody')
    await page.getByText('Nobody matches').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await waitUntilOpen('Second')
    expect(new URL(page.url()).search).toBe('')
    await row('Second').waitFor()
  })

  it('are snoozed until a chosen time, assigned, tagged and marked as unread by button', async () => {
    const bar = page.getByRole('region', { name: 'Actions' })
    await bar.getByRole('button', { name: 'Assign' }).click()
    await page.getByRole('dialog').getByRole('option', { name: 'Me' }).click()
    await row('Second').getByText('Assigned to').waitFor()
    await bar.getByRole('button', { name: 'Tag' }).click()
    await expect.poll(focusedTag).toBe('INPUT')
    await page.keyboard.type('Hot lead')
    await page.getByRole('option', { name: 'Create tag “Hot lead”' }).click()
    await page.getByText('Tag Hot lead added.').waitFor()
    await bar.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Mark as unread' }).click()
    await page.waitForURL(url => url.pathname === '/inbox')
    await row('Second').getByText('unread').waitFor()
    await expect.poll(() => row('Second').evaluate(link => link === document.activeElement)).toBe(true)
    await press('h')
    await page.getByRole('option', { name: 'Choose date and time' }).click()
    const until = page.getByRole('dialog').getByLabel('Until')
    await until.fill('2020-01-01T09:00')
    await until.press('Enter')
    await page.getByText('Choose a time in the future.').waitFor()
    await until.fill('2099-01-01T09:00')
    await until.press('Enter')
    await row('Second').waitFor({ state: 'detached' })
    const snoozedUntil = new Date('2099-01-01T09:00').toISOString()
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
    await page.getByText('Marked 2 conversations as done.').waitFor()
    await page.getByText('Nothing is waiting for a reply').waitFor()
    expect(await listSubjects('done')).toEqual(['First', 'Third'])
  })

  it('are assigned, snoozed until a typed time and marked as done through the command palette', async () => {
    await openInbox(['Fourth', 'Fifth'])
    await page.goto('/inbox')
    await row('Fourth').click()
    await waitUntilOpen('Fourth')
    const run = async (command: string) => {
      await press('Control+k')
      await page.getByRole('dialog', { name: 'Command palette' }).getByRole('combobox').fill(command)
      await press('Enter')
    }
    await run('Assign')
    await page.getByRole('dialog').getByRole('option', { name: 'Me' }).click()
    await page.getByRole('region', { name: 'Actions' }).getByText('Assigned to').waitFor()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    await press('z')
    await page.getByText('Undone.').waitFor()
    await page.getByText('Assigned to', { exact: false }).first().waitFor({ state: 'detached' })
    await run('Snooze')
    await page.getByRole('dialog', { name: 'Snooze' }).getByRole('combobox').fill('24 dec 2:30pm')
    await press('Enter')
    await waitUntilOpen('Fifth')
    // The next conversation opens before the request is answered.
    await page.getByText(/^Snoozed .* until /).waitFor()
    const [snoozed] = (await caller.call('listConversations', { view: 'snoozed' })).data
    const until = new Date(snoozed!.snoozedUntil!)
    expect([until.getMonth(), until.getDate(), until.getHours(), until.getMinutes()]).toEqual([
      11, 24, 14, 30,
    ])
    await run('Mark as done')
    await page.getByText('Nothing is waiting for a reply').waitFor()
    await expect.poll(() => listSubjects('done')).toEqual(['Fifth'])
  })

  it('are opened one after the other, answered and forwarded through the command palette', async () => {
    await openInbox(['First', 'Second'])
    await page.goto('/inbox')
    await row('First').click()
    await waitUntilOpen('First')
    const run = async (command: string) => {
      await press('Control+k')
      const palette = page.getByRole('dialog', { name: 'Command palette' })
      await palette.getByRole('combobox').fill(command)
      await press('Enter')
      await palette.waitFor({ state: 'detached' })
    }
    await run('Next conversation')
    await waitUntilOpen('Second')
    await run('Previous conversation')
    await waitUntilOpen('First')
    await run('Reply')
    const message = page.getByRole('textbox', { name: 'Reply to Ada' })
    await expect.poll(() => message.evaluate(field => field === document.activeElement)).toBe(true)
    await run('Next conversation')
    await waitUntilOpen('Second')
    await run('Forward')
    const recipients = page.getByRole('region', { name: 'Draft' }).getByLabel('To', { exact: true })
    await expect.poll(() => recipients.evaluate(field => field === document.activeElement)).toBe(true)
  })

  it('are opened one after the other by buttons on narrow screens', async () => {
    await openInbox(['First', 'Second'])
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto('/inbox')
    await row('First').click()
    await waitUntilOpen('First')
    const stepButton = (name: string) => page.getByRole('button', { name: `${name} conversation` })
    expect(await stepButton('Previous').getAttribute('aria-disabled')).toBe('true')
    await stepButton('Next').click()
    await waitUntilOpen('Second')
    expect(await stepButton('Next').getAttribute('aria-disabled')).toBe('true')
    await expectUsable(page, 'conversation-steps', [360])
    await stepButton('Previous').click()
    await waitUntilOpen('First')
  })

  it('let the user stop the sequence or opt the person out by keyboard, after confirmation', async () => {
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
    await rows().first().click()
    await waitUntilOpen('Please stop')
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Opt out' }).waitFor()
    await expect.poll(() => page.getByRole('menuitem', { name: 'Stop sequence' }).count()).toBe(0)
    await press('Escape')
    await press('#')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Opt out' }).click()
    await page.getByText('will not be contacted again').waitFor()
    expect(await caller.call('getPerson', { personId: desk.personId })).toMatchObject({ isOptedOut: true })
    await expect.poll(() => listSubjects('done')).toEqual(['Please stop'])
    await expect.poll(() => rows().count()).toBe(0)
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
    const viewer = await makeCaller(server.app, 'viewer', caller.accountId)
    page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await addSessionCookie(page, server.url, await server.createCookie(viewer))
    await page.goto('/inbox?view=all')
    await rows().first().click()
    await waitUntilOpen('Unknown')
    await press('e')
    await press('h')
    for (const name of ['Done', 'Snooze', 'Assign', 'Tag', 'More actions'])
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0)
    expect(await page.getByRole('checkbox').count()).toBe(0)
    expect(await listSubjects('done')).toEqual([])
  })

  it('make no requests to other hosts, violate no policy and throw no errors', () => {
    expect(browser.errors).toEqual([])
  })
})
