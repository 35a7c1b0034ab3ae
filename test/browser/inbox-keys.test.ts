import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller } from '../support/app.ts'
import { addSessionCookie, hasChromium, openBrowser, type TestBrowser } from '../support/browser/chromium.ts'
import { hasFocus } from '../support/browser/keyboard.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { makeDesk, makeEmail, makeThread } from '../support/campaigns/inbox.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'

const HOUR_MS = 3_600_000

describe.skipIf(!hasChromium())('in the inbox,', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let caller: Caller
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    browser = await openBrowser(server.url)
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  /** Opens the inbox of a new account with replies from Ada Byron, the first subject on top. */
  const openInbox = async (subjects: string[]) => {
    await page?.context().close()
    caller = await makeCaller(server.app)
    const desk = await makeDesk(caller)
    await caller.call('updatePerson', { personId: desk.personId, lastName: 'Byron' })
    for (const [index, subject] of subjects.entries()) {
      const sentAt = new Date(Date.now() - (index + 1) * HOUR_MS)
      const threadId = await makeThread(server.app, caller, { ...desk, subject })
      const reply = { ...desk, threadId, type: 'received' as const, subject, body: `About ${subject}` }
      await makeEmail(server.app, caller, { ...reply, sentAt })
    }
    page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await addSessionCookie(page, server.url, await server.createCookie(caller))
    await page.goto('/inbox')
    await row(subjects[0]!).waitFor()
  }
  const row = (subject: string) =>
    page.getByRole('list', { name: 'Conversations' }).getByRole('link').filter({ hasText: subject })
  const heading = (subject: string) => page.getByRole('heading', { level: 2, name: subject, exact: true })
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  /** Opens a conversation, as a click does. */
  const open = async (subject: string) => {
    await row(subject).press('Enter')
    await expectOpen(subject)
  }
  /** Expects the conversation to be open and to have focus. */
  const expectOpen = (subject: string) => expect.poll(() => hasFocus(heading(subject))).toBe(true)
  const expectFocused = async (subject: string) => {
    await row(subject).waitFor()
    await expect.poll(() => hasFocus(row(subject))).toBe(true)
  }
  const list = async (view: 'done' | 'snoozed' | 'needs_reply') =>
    (await caller.call('listConversations', { view })).data.map(({ subject }) => subject).toSorted()
  const snooze = async (time: string, name = 'Ada Byron') => {
    await press('h')
    const dialog = page.getByRole('dialog', { name: `Snooze ${name}` })
    await dialog.getByText(`Snooze ${name}`).waitFor()
    await dialog.getByRole('combobox').fill(time)
    await press('Enter')
    await dialog.waitFor({ state: 'detached' })
  }

  it('keys act on the open conversation, wherever the focus is in the list', async () => {
    await openInbox(['First', 'Second', 'Third'])
    await open('First')
    await row('Third').focus()
    await press('e')
    await page.getByText('Marked Ada Byron as done.').waitFor()
    expect(await list('done')).toEqual(['First'])
    await expectOpen('Second')
    await row('Third').focus()
    await snooze('tue 9am')
    await page.getByText(/^Snoozed Ada Byron until Tue/).waitFor()
    expect(await list('snoozed')).toEqual(['Second'])
  })

  it('no key hides a reply that is not shown yet', async () => {
    await openInbox(['First', 'Second'])
    await open('First')
    // Holds back the reply, which the list would show.
    const released = Promise.withResolvers<void>()
    await page.route(/\/inbox\/conversations/, async route => {
      if (route.request().method() === 'GET') await released.promise
      await route.continue()
    })
    const { data } = await caller.call('listConversations', { query: 'First' })
    const reply = { threadId: data[0]!.id, type: 'received' as const, body: 'One more question' }
    await makeEmail(server.app, caller, { ...reply, sentAt: new Date() })
    await press('e')
    await page.getByText('A new reply has arrived.').waitFor()
    released.resolve()
    expect(await list('needs_reply')).toEqual(['First', 'Second'])
    expect(await list('done')).toEqual([])
  })

  it('undo does not hide a reply that has arrived since', async () => {
    await openInbox(['First', 'Second'])
    const { data } = await caller.call('listConversations', { query: 'First' })
    const { id: threadId } = data[0]!
    await caller.call('updateConversations', { conversationIds: [threadId], status: 'done' })
    await page.goto('/inbox?view=done')
    await open('First')
    await press('e')
    await page.getByText('Reopened Ada Byron.').waitFor()
    const reply = { threadId, type: 'received' as const, body: 'One more question' }
    await makeEmail(server.app, caller, { ...reply, sentAt: new Date() })
    await press('z')
    await page.getByText('A new reply has arrived.').waitFor()
    expect(await list('done')).toEqual([])
  })

  it('keys act on the conversation that undo opens again', async () => {
    await openInbox(['First', 'Second', 'Third'])
    await open('First')
    await press('e')
    await expectOpen('Second')
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    await row('Third').focus()
    await press('z')
    await expectOpen('First')
    await snooze('tue 9am')
    await expect.poll(() => list('snoozed')).toEqual(['First'])
    expect(await list('done')).toEqual([])
  })

  it('keys pressed during a slow undo take effect after the undo', async () => {
    await openInbox(['First', 'Second'])
    await open('First')
    await press('e')
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route(/\/inbox\/conversations$/, async route => {
      if (route.request().postDataJSON()?.status === 'open') await released
      await route.continue()
    })
    await press('z')
    await expectOpen('First')
    await snooze('tue 9am')
    release()
    await page.getByText(/^Snoozed Ada Byron/).waitFor()
    expect(await list('snoozed')).toEqual(['First'])
  })

  it('undo in the list moves the focus to the row that returns', async () => {
    await openInbox(['First', 'Second', 'Third'])
    await press('j', 'j', 'e')
    await row('Second').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    await press('z')
    await expectFocused('Second')
    expect(new URL(page.url()).pathname).toBe('/inbox')
  })

  it('j and k open the next or previous conversation, however fast they are pressed', async () => {
    await openInbox(['First', 'Second', 'Third', 'Fourth'])
    await open('First')
    await press('j', 'j')
    await expectOpen('Third')
    await press('k')
    await expectOpen('Second')
    await row('Fourth').focus()
    await press('j')
    await expectOpen('Third')
    await press('e')
    await expectOpen('Fourth')
    await expect.poll(() => list('done')).toEqual(['Third'])
    await row('Third').waitFor({ state: 'detached' })
    await press('k')
    await expectOpen('Second')
    await press('j', 'j')
    await expectOpen('Fourth')
  })

  it('a conversation receives focus even if it leaves the list while it loads', async () => {
    await openInbox(['First', 'Second'])
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route(/\/inbox\/email\/threads\//, async route => {
      await released
      await route.continue()
    })
    await row('First').press('Enter')
    await page.waitForURL(/\/inbox\/[^/]+$/)
    const { data } = await caller.call('listConversations', {})
    const { id } = data.find(({ subject }) => subject === 'First')!
    await caller.call('updateConversations', { conversationIds: [id], status: 'done' })
    await row('First').waitFor({ state: 'detached' })
    release()
    await expectOpen('First')
  })

  it('j marks the conversation that it opens as read', async () => {
    await openInbox(['First', 'Second', 'Third'])
    const listUnread = async () =>
      (await caller.call('listConversations', {})).data
        .flatMap(({ isUnread, subject }) => (isUnread ? [subject] : []))
        .toSorted()
    await open('First')
    await expect.poll(listUnread).toEqual(['Second', 'Third'])
    await press('j')
    await expectOpen('Second')
    await expect.poll(listUnread).toEqual(['Third'])
  })

  it('j continues from the answered conversation, wherever it moved in the list', async () => {
    await openInbox(['First', 'Second', 'Third'])
    await page.goto('/inbox?view=all')
    await open('Second')
    await press('r')
    await page.keyboard.type('Thank you.')
    await press('Control+Enter')
    await page.getByRole('region', { name: 'Draft' }).waitFor({ state: 'detached' })
    await expectOpen('Second')
    await press('j')
    await expectOpen('Third')
  })

  it.each(['done', 'snoozed'] as const)(
    'e and the bulk bar reopen conversations in the view %s',
    async view => {
      await openInbox(['First', 'Second', 'Third', 'Fourth'])
      const { data } = await caller.call('listConversations', {})
      const change = view === 'done' ? { status: 'done' as const } : { snoozedUntil: '2099-01-01T09:00:00Z' }
      await caller.call('updateConversations', { conversationIds: data.map(({ id }) => id), ...change })
      await page.goto(`/inbox?view=${view}`)
      await row('First').waitFor()
      await row('First').press('e')
      await row('First').waitFor({ state: 'detached' })
      await expect.poll(() => list('needs_reply')).toEqual(['First'])
      await open('Second')
      await page.getByRole('region', { name: 'Actions' }).getByRole('button', { name: 'Reopen' }).waitFor()
      await press('e')
      await expect.poll(() => list('needs_reply')).toEqual(['First', 'Second'])
      await row('Second').waitFor({ state: 'detached' })
      await page.goto(`/inbox?view=${view}`)
      await row('Third').waitFor()
      for (const checkbox of [0, 1]) await page.getByRole('checkbox').nth(checkbox).check()
      const bar = page.getByRole('region', { name: 'Selected rows' })
      expect(await bar.getByRole('button', { name: 'Done', exact: true }).count()).toBe(0)
      await bar.getByRole('button', { name: 'Reopen' }).click()
      await page.getByText('Reopened 2 conversations.').waitFor()
      expect(await list('needs_reply')).toEqual(['First', 'Fourth', 'Second', 'Third'])
    },
  )

  it('snoozing or marking as done in the list moves the focus to the next row', async () => {
    await openInbox(['First', 'Second', 'Third', 'Fourth', 'Fifth'])
    await press('j', 'j')
    await snooze('tue 9am')
    await row('Second').waitFor({ state: 'detached' })
    await expectFocused('Third')
    await press('e')
    await expectFocused('Fourth')
    await press('j', 'e')
    await row('Fifth').waitFor({ state: 'detached' })
    await expectFocused('Fourth')
    expect(await list('needs_reply')).toEqual(['First', 'Fourth'])
  })

  it('the focus moves to the next row when someone else removes the focused conversation from the list', async () => {
    await openInbox(['First', 'Second', 'Third'])
    await press('j', 'j')
    await expectFocused('Second')
    const { data } = await caller.call('listConversations', {})
    await caller.call('updateConversations', { conversationIds: [data[1]!.id], status: 'done' })
    await row('Second').waitFor({ state: 'detached' })
    await expectFocused('Third')
  })

  it('undoing an action on several conversations selects them again', async () => {
    await openInbox(['First', 'Second', 'Third'])
    await press('x', 'j', 'x', 'e')
    await page.getByText('Marked 2 conversations as done.').waitFor()
    await expectFocused('Third')
    await press('z')
    await page.getByRole('region', { name: 'Selected rows' }).getByText('2 selected').waitFor()
    await expect.poll(() => list('done')).toEqual([])
    await snooze('tue 9am', '2 conversations')
    await page.getByText(/^Snoozed 2 conversations until Tue/).waitFor()
    expect(await list('snoozed')).toEqual(['First', 'Second'])
  })

  it('Escape leaves the text field, then the conversation, and returns to the row', async () => {
    await openInbox(['First', 'Second', 'Third'])
    await open('First')
    await press('j')
    await expectOpen('Second')
    await press('r')
    await page.keyboard.type('Thank you.')
    await page.getByText('Saved', { exact: true }).waitFor()
    await press('Escape')
    await expectOpen('Second')
    const menu = page.locator('[popover]')
    await page.locator('[popovertarget]').click()
    await menu.waitFor()
    await press('Escape')
    await menu.waitFor({ state: 'hidden' })
    await heading('Second').waitFor()
    await press('Escape')
    await page.waitForURL(url => url.pathname === '/inbox')
    await expectFocused('Second')
  })

  it('Enter moves from the search to the first result, and Escape clears the search', async () => {
    await openInbox(['First', 'Second', 'Third'])
    await press('/')
    await page.keyboard.type('second')
    await press('Enter')
    await row('First').waitFor({ state: 'detached' })
    await expectFocused('Second')
    await press('Escape')
    await row('First').waitFor()
    expect(await page.getByRole('searchbox').inputValue()).toBe('')
    await press('/')
    await page.keyboard.type('third')
    await row('First').waitFor({ state: 'detached' })
    await press('Escape')
    await row('First').waitFor()
    expect(new URL(page.url()).search).toBe('')
    expect(await hasFocus(page.getByRole('searchbox'))).toBe(false)
  })

  it('undo is offered for 10 seconds', async () => {
    await openInbox(['First', 'Second'])
    await page.clock.install()
    await page.reload()
    await row('First').waitFor()
    await press('j')
    await expectFocused('First')
    await page.clock.pauseAt(Date.now() + HOUR_MS)
    await press('e')
    const undo = page.getByRole('button', { name: 'Undo' })
    const isOffered = async () => {
      await page.clock.runFor(50)
      return undo.isVisible()
    }
    await expect.poll(isOffered).toBe(true)
    await page.clock.runFor(9_500)
    expect(await undo.isVisible()).toBe(true)
    await page.clock.runFor(1_000)
    expect(await isOffered()).toBe(false)
  })

  it('Ctrl+Enter saves a dialog from a multi-line field', async () => {
    await openInbox(['First'])
    await open('First')
    const person = page.getByRole('complementary', { name: 'Person' })
    await person.getByRole('button', { name: 'Add note' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a note about Ada Byron' })
    await dialog.getByRole('textbox').fill('Met at the fair.')
    await press('Control+Enter')
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('Note saved.').waitFor()
  })
})
