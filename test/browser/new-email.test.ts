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

describe.skipIf(!hasChromium())('a first email', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let caller: Caller
  let desk: Desk
  let otherDesk: Desk
  let email: string
  let personId: string
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    caller = await makeCaller(server.app)
    desk = await makeDesk(caller)
    otherDesk = await makeDesk(caller)
    const mary = { firstName: 'Mary', lastName: 'Somerville', email: 'mary@somerville.example' }
    const person = await caller.call('createPerson', { ...mary, ownerRepId: desk.repId })
    personId = person.id
    email = person.email!
    browser = await openBrowser(server.url)
    page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await addSessionCookie(page, server.url, await server.createCookie(caller))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const press = (key: string) => page.keyboard.press(key)
  const focusedTag = () => page.evaluate(() => document.activeElement?.tagName)
  const draft = () => page.getByRole('region', { name: 'Draft' })
  const pane = () => page.getByRole('complementary', { name: 'Person' })
  const listSubjects = async () =>
    (await caller.call('listEmailMessages', { status: 'draft' })).data.map(({ subject }) => subject)

  it('is written by keyboard alone, to a person found by name and from the person’s owner', async () => {
    await page.goto('/inbox')
    await page.getByText('Nothing is waiting for a reply').waitFor()
    await press('c')
    await page.getByRole('dialog', { name: 'New email' }).waitFor()
    await expect.poll(focusedTag).toBe('INPUT')
    await page.keyboard.type('somerv')
    await page.getByRole('option', { name: 'Mary Somerville' }).waitFor()
    await press('Enter')
    const subject = draft().getByLabel('Subject')
    await subject.waitFor()
    await expect.poll(() => subject.evaluate(field => field === document.activeElement)).toBe(true)
    await page.keyboard.type('Your book')
    await press('Tab')
    await page.keyboard.type('May I ask you two questions?')
    await draft().getByText('Saved', { exact: true }).waitFor()
    expect(await draft().getByLabel('From').isDisabled()).toBe(true)
    await expectUsable(page, 'new-email', [360, 768, 1440, 1920])
    await press('Control+Enter')
    await page.getByText(`Sending the email to Mary Somerville (${email})…`).waitFor()
    await page.getByRole('heading', { level: 2, name: 'Your book' }).waitFor()
    const { data } = await caller.call('listEmailMessages', { status: 'draft' })
    expect(data).toMatchObject([
      { deliveryStatus: 'queued', repId: desk.repId, recipients: { to: [{ email }] } },
    ])
  })

  it('becomes a draft again, with its subject, when sending it is undone', async () => {
    await press('z')
    const subject = draft().getByLabel('Subject')
    await expect.poll(() => subject.inputValue()).toBe('Your book')
    await subject.fill('Your new book')
    await draft().getByText('Saved', { exact: true }).waitFor()
    expect(await listSubjects()).toEqual(['Your new book'])
    await draft().getByRole('button', { name: 'Send', exact: true }).click()
    await page
      .getByRole('article', { name: /^From / })
      .getByText('Queued')
      .waitFor()
  })

  it('is started on the person’s page, from a chosen mailbox', async () => {
    await page.goto(`/people/${personId}`)
    await page.getByRole('link', { name: 'Write email' }).waitFor()
    await press('c')
    const from = draft().getByLabel('From')
    await expect.poll(() => from.locator('option').count()).toBe(2)
    expect(await from.inputValue()).toBe(desk.mailboxId)
    const chosen = otherDesk.mailboxId
    await from.selectOption(chosen)
    await draft().getByLabel('Subject').fill('Tea')
    await draft().locator('textarea').fill('Would Thursday suit you?')
    await draft().getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('heading', { level: 2, name: 'Tea' }).waitFor()
    const [send] = await server.app.owner<{ mailboxId: string }[]>`
      select s.mailbox_id as "mailboxId" from email_sends s join email_messages m on m.id = s.message_id
       where m.subject = 'Tea'`
    expect(send!.mailboxId).toBe(chosen)
  })

  it('defaults to the last used sender for a person whom nobody has emailed', async () => {
    const { id } = await caller.call('createPerson', { firstName: 'Ada', email: 'ada@lovelace.example' })
    await page.goto(`/inbox/new/${id}`)
    await expect.poll(() => draft().getByLabel('From').inputValue()).toBe(otherDesk.mailboxId)
    await draft().getByLabel('Subject').fill('Notes')
    await draft().locator('textarea').fill('May I read them?')
    await draft().getByText('Saved', { exact: true }).waitFor()
    const [stored] = (await caller.call('listEmailMessages', { status: 'draft' })).data
    expect(stored).toMatchObject({ subject: 'Notes', repId: otherDesk.repId })
    await caller.call('deleteEmailDraft', { emailMessageId: stored!.id })
  })

  it('is saved with the default sender even if it is written before the mailboxes have loaded', async () => {
    const { id } = await caller.call('createPerson', { firstName: 'Lise', email: 'lise@meitner.example' })
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route(/\/v1\/mailboxes\b/, async route => {
      await released
      await route.continue()
    })
    await page.goto(`/inbox/new/${id}`)
    await draft().getByLabel('Subject').fill('Rings')
    await draft().locator('textarea').fill('Are they ideal?')
    await draft().getByText('Saving…').waitFor()
    release()
    await draft().getByText('Saved', { exact: true }).waitFor()
    const [stored] = (await caller.call('listEmailMessages', { status: 'draft' })).data
    expect(stored).toMatchObject({ subject: 'Rings', repId: otherDesk.repId })
    await caller.call('deleteEmailDraft', { emailMessageId: stored!.id })
  })

  it('is kept when its sender is failing, and saved once another sender is chosen', async () => {
    const { id } = await caller.call('createPerson', { firstName: 'Emmy', email: 'emmy@noether.example' })
    await page.goto(`/inbox/new/${id}`)
    await expect.poll(() => draft().getByLabel('From').inputValue()).toBe(otherDesk.mailboxId)
    await draft().getByLabel('From').selectOption(desk.mailboxId)
    await draft().getByLabel('From').selectOption(otherDesk.mailboxId)
    const setStatus = (status: string) => server.app.owner`
      update mailboxes set status = ${status} where id = ${otherDesk.mailboxId}`
    await setStatus('failing')
    await draft().getByLabel('Subject').fill('Rings')
    await draft().locator('textarea').fill('May I ask about ideals?')
    await draft().getByText('choose another one', { exact: false }).first().waitFor()
    await draft().getByLabel('From').selectOption(desk.mailboxId)
    await draft().getByText('Saved', { exact: true }).waitFor()
    expect(await draft().getByText('choose another one', { exact: false }).count()).toBe(0)
    const [stored] = (await caller.call('listEmailMessages', { status: 'draft' })).data
    expect(stored).toMatchObject({ subject: 'Rings', body: 'May I ask about ideals?', repId: desk.repId })
    await caller.call('deleteEmailDraft', { emailMessageId: stored!.id })
    await setStatus('active')
  })

  it('becomes a draft from the same mailbox again when its deletion is undone', async () => {
    const letter = { personId, subject: 'Comets', body: 'Did you see it?', mailboxId: otherDesk.mailboxId }
    const { emailThreadId } = await caller.call('composeEmail', { ...letter, draft: true })
    await page.goto(`/inbox/${emailThreadId}?view=drafts`)
    await draft().getByRole('button', { name: 'Delete draft' }).click()
    await page.getByText('Draft deleted.').waitFor()
    await expect.poll(listSubjects).not.toContain('Comets')
    await page.waitForURL('**/inbox?view=drafts')
    expect(await draft().count()).toBe(0)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('link', { name: 'Comets' }).waitFor()
    const [stored] = (await caller.call('listEmailMessages', { status: 'draft' })).data
    expect(stored).toMatchObject({ subject: 'Comets', body: 'Did you see it?', repId: otherDesk.repId })
    await caller.call('deleteEmailDraft', { emailMessageId: stored!.id })
  })

  it('is refused for somebody on the Do Not Contact list, with the reason', async () => {
    await caller.call('addOptOuts', { identifiers: [{ identifier: email }] })
    await page.goto(`/inbox/new/${personId}`)
    await page.getByText('A member or an import put them on the Do Not Contact list').first().waitFor()
    expect(await draft().count()).toBe(0)
  })

  it('can be followed up in the person pane, which adds notes, creates tasks and offers other actions', async () => {
    const threadId = await makeThread(server.app, caller, { ...desk, subject: 'Engines' })
    await makeEmail(server.app, caller, {
      ...desk,
      threadId,
      type: 'received',
      subject: 'RE: Re: Loom',
      body: 'Call me.',
    })
    await page.goto(`/inbox/${threadId}?view=all`)
    await pane().getByRole('link', { name: 'Re: Loom', exact: true }).waitFor()
    await pane().getByRole('button', { name: 'Add note' }).click()
    await page.getByRole('dialog').getByLabel('Note').fill('Prefers calls.')
    await page.getByRole('button', { name: 'Save note' }).click()
    await page.getByText('Note saved.').waitFor()
    await pane().getByText('Note', { exact: false }).first().waitFor()
    await pane().getByRole('button', { name: 'Create task' }).click()
    expect(await page.getByRole('dialog').getByLabel('What to do').inputValue()).toBe('Follow up with Ada')
    await page.getByRole('dialog').getByLabel('Rep').selectOption({ index: 1 })
    await page.getByRole('dialog').getByRole('button', { name: 'Create task' }).click()
    await page.getByText('Task created.').waitFor()
    for (const name of ['Log call', 'Add to campaign', 'Opt out'])
      await pane().getByRole('button', { name, exact: true }).waitFor()
    await expectUsable(page, 'inbox-person', [360, 768, 1440, 1920])
  })

  it('creates the person when the address is unknown', async () => {
    await page.goto('/inbox')
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
    await press('c')
    await page.getByRole('dialog', { name: 'New email' }).waitFor()
    await page.keyboard.type('caroline@herschel.example')
    await page.getByRole('option', { name: 'New person' }).waitFor()
    await press('Enter')
    await draft().getByText('to caroline@herschel.example').waitFor()
    const { data } = await caller.call('listPersons', { query: 'caroline@herschel.example' })
    expect(data).toMatchObject([{ email: 'caroline@herschel.example' }])
  })

  it('makes no requests to other hosts, violates no policy and throws no errors', () => {
    expect(browser.errors).toEqual([])
  })
})
