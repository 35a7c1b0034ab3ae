import { randomUUIDv7 } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertAttachment } from '../../src/server/domain/messages/stored-attachments.ts'
import { toDateTimeField } from '../../src/web/ui/date-time-field.ts'
import { type Caller, makeCaller } from '../support/app.ts'
import {
  addSessionCookie,
  expectUsable,
  hasChromium,
  openBrowser,
  type TestBrowser,
} from '../support/browser/chromium.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import {
  ada,
  type Desk,
  grace,
  inAccountTransaction,
  makeDesk,
  makeEmail,
  makeThread,
} from '../support/campaigns/inbox.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'

const bob = { name: 'Bob', email: 'bob@analytical.example' }
const UNDO_MS = 6_000

describe.skipIf(!hasChromium())('the email composer', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let caller: Caller
  let desk: Desk
  let cookie: string
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    caller = await makeCaller(server.app)
    desk = await makeDesk(caller)
    cookie = await server.createCookie(caller)
    browser = await openBrowser(server.url)
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  /** Opens a new conversation in which Ada, with a copy to Bob, answered an email from Grace. */
  const openThread = async (subject: string, thread: object = desk, received: object = {}) => {
    const threadId = await makeThread(server.app, caller, { ...thread, subject })
    const sentAt = new Date(Date.now() - 7_200_000)
    await makeEmail(server.app, caller, { ...thread, threadId, subject, sentAt })
    await makeEmail(server.app, caller, {
      ...{ ...thread, threadId, type: 'received', subject: `Re: ${subject}`, body: 'How much is it?' },
      ...{ sentAt: new Date(Date.now() - 3_600_000), recipients: { to: [grace], cc: [bob] }, ...received },
    })
    if (!page || page.isClosed()) {
      page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
      await addSessionCookie(page, server.url, cookie)
    }
    await page.goto(`/inbox/${threadId}?view=all`)
    await messages().last().waitFor()
    return threadId
  }
  /** Locates the messages of the thread, without those of other conversations with the person. */
  const messages = () => page.getByRole('article', { name: /^From / })
  const draft = () => page.getByRole('region', { name: 'Draft' })
  const text = () => draft().locator('textarea')
  const button = (name: string) => draft().getByRole('button', { name, exact: true })
  const waitUntilSaved = () => draft().getByText('Saved', { exact: true }).waitFor()
  const press = (key: string) => page.keyboard.press(key)
  const readDrafts = async (emailThreadId: string) =>
    (await caller.call('listEmailMessages', { emailThreadId, status: 'draft' })).data
  const readSend = async (emailThreadId: string) => {
    const [send] = await server.app.owner<{ state: string; dueAt: Date; queuedAt: Date }[]>`
      select s.state, s.due_at as "dueAt", s.created_at as "queuedAt"
        from email_sends s join email_messages m on m.id = s.message_id
       where m.thread_id = ${emailThreadId}`
    return send
  }

  it('addresses a reply to all, and adds and removes recipients by keyboard', async () => {
    const threadId = await openThread('Recipients')
    await page.getByRole('button', { name: 'Reply to all' }).click()
    await page.getByLabel(/^Reply to Ada Byron \(ada@analytical\.example\)\s*Cc Bob/).fill('Four pounds.')
    await button('Recipients').click()
    await page.keyboard.type('Eve <eve@acme.example>,')
    await draft().getByLabel('Bcc', { exact: true }).fill('archive@acme')
    await button('Send').click()
    await draft().getByText('Enter an email address such as').waitFor()
    await draft().getByLabel('Bcc', { exact: true }).fill('archive@acme.example')
    await press('Enter')
    await button('Remove bob@analytical.example from Cc').click()
    await expectUsable(page, 'composer-recipients', [360, 768, 1440, 1920])
    await waitUntilSaved()
    const archive = { name: 'archive@acme.example', email: 'archive@acme.example' }
    await expect
      .poll(async () => (await readDrafts(threadId))[0]?.recipients)
      .toEqual({ to: [ada, { name: 'Eve', email: 'eve@acme.example' }], cc: [], bcc: [archive] })
  })

  it('suggests people and colleagues as recipients, chosen by keyboard or mouse', async () => {
    const { email } = await caller.call('getPerson', { personId: desk.personId })
    const { email: own } = await caller.call('getMailbox', { mailboxId: desk.mailboxId })
    const cc = draft().getByLabel('Cc', { exact: true })
    const option = (name: string) => draft().getByRole('listbox').getByRole('option', { name })
    await cc.pressSequentially('Ada')
    await option(email!).waitFor()
    expect(await cc.getAttribute('aria-expanded')).toBe('true')
    await expectUsable(page, 'composer-suggestions', [360, 1440])
    await press('Escape')
    await expect.poll(() => draft().getByRole('listbox').count()).toBe(0)
    expect(await cc.evaluate(field => field === document.activeElement)).toBe(true)
    await cc.fill('ada ')
    await option(email!).waitFor()
    while ((await option(email!).getAttribute('aria-selected')) !== 'true') await press('ArrowDown')
    await press('Enter')
    await button(`Remove ${email} from Cc`).waitFor()
    expect(await cc.inputValue()).toBe('')
    await cc.pressSequentially('hopper')
    await option(own).click()
    await button(`Remove ${own} from Cc`).waitFor()
    await cc.fill('grace')
    await expect.poll(() => option(own).count()).toBe(0)
    await cc.fill('')
    await waitUntilSaved()
  })

  it('shows an invalid recipient when Send is clicked, even if the recipient fields are collapsed', async () => {
    await openThread('Folded')
    await press('r')
    await text().fill('Four pounds.')
    await button('Recipients').click()
    await draft().getByLabel('Cc', { exact: true }).fill('bob')
    await button('Recipients').click()
    await draft().getByLabel('Cc', { exact: true }).waitFor({ state: 'detached' })
    await button('Send').click()
    await draft().getByText('Enter an email address such as').waitFor()
    expect(await draft().getByLabel('Cc', { exact: true }).inputValue()).toBe('bob')
  })

  it('inserts a snippet for the person when a semicolon is typed, and leaves other semicolons alone', async () => {
    await caller.call('createSnippet', { name: 'Price', text: 'Hi {{ firstName }}, it is four pounds.' })
    await caller.call('createSnippet', { name: 'Thursday', text: '<p>Does <b>Thursday</b> suit you?</p>' })
    await openThread('Snippets')
    await press('r')
    await page.keyboard.type('Well; ')
    expect(await text().inputValue()).toBe('Well; ')
    await page.keyboard.type(';')
    const palette = page.getByRole('dialog', { name: 'Insert snippet' })
    await palette.getByRole('option', { name: 'Price' }).waitFor()
    await palette.getByText('Hi Ada, it is four pounds.').waitFor()
    await expectUsable(page, 'composer-snippets')
    await palette.getByRole('combobox').fill('Thursday')
    await palette.getByRole('option', { name: 'Price' }).waitFor({ state: 'detached' })
    await press('Enter')
    await expect.poll(() => text().inputValue()).toBe('Well; Does Thursday suit you?')
    await button('Snippets').click()
    await palette.getByRole('option', { name: 'Price' }).click()
    await expect
      .poll(() => text().inputValue())
      .toBe('Well; Does Thursday suit you?Hi Ada, it is four pounds.')
  })

  it('attaches files that are chosen, dropped or pasted, and removes them', async () => {
    const threadId = await openThread('Files')
    await press('r')
    await text().fill('See the price list.')
    const chooser = page.waitForEvent('filechooser')
    await button('Attach files').click()
    const file = (name: string, content: string) => ({
      name,
      mimeType: 'text/plain',
      buffer: Buffer.from(content),
    })
    await (await chooser).setFiles([file('prices.txt', 'four pounds'), file('terms.txt', 'net 30')])
    const files = draft().getByRole('list', { name: 'Attached files' })
    await button('Remove terms.txt').waitFor()
    for (const kind of ['drop', 'paste'])
      await text().evaluate((field, kind) => {
        const data = new DataTransfer()
        data.items.add(new File([`by ${kind}`], `${kind}.txt`, { type: 'text/plain' }))
        const init = { bubbles: true, cancelable: true }
        field.dispatchEvent(
          kind === 'drop'
            ? new DragEvent('drop', { ...init, dataTransfer: data })
            : new ClipboardEvent('paste', { ...init, clipboardData: data }),
        )
      }, kind)
    await button('Remove drop.txt').waitFor()
    await button('Remove paste.txt').waitFor()
    await button('Remove terms.txt').click()
    await expectUsable(page, 'composer-files')
    await waitUntilSaved()
    const readNames = async () => (await readDrafts(threadId))[0]?.attachments?.map(({ name }) => name)
    await expect
      .poll(async () => (await readNames())?.toSorted())
      .toEqual(['drop.txt', 'paste.txt', 'prices.txt'])
    await page.reload()
    await files.getByText('prices.txt').waitFor()
    await button('Send').click()
    await messages().last().getByRole('link', { name: 'prices.txt' }).waitFor()
  })

  it('says which file is too large, and keeps the rest of the email', async () => {
    await openThread('Large files')
    await press('r')
    await text().fill('See the film.')
    const chooser = page.waitForEvent('filechooser')
    await button('Attach files').click()
    const film = { name: 'film.mp4', mimeType: 'video/mp4', buffer: Buffer.alloc(10_000_001, 1) }
    await (await chooser).setFiles([film])
    await draft().getByText('film.mp4 is over 10 MB. Share a link to it instead.').waitFor()
    expect(await text().inputValue()).toBe('See the film.')
  })

  it('holds a sent email on the server longer than undo is offered, even if the tab is closed', async () => {
    const threadId = await openThread('Closed tab')
    await press('r')
    await page.keyboard.type('It is four pounds.')
    await press('Control+Enter')
    const toast = page.getByText('Sending the email to Ada Byron (ada@analytical.example)…')
    await toast.waitFor()
    const reply = page.getByRole('button', { name: 'Reply', exact: true })
    await expect.poll(() => reply.count()).toBe(1)
    const [toastBox, replyBox] = [await toast.boundingBox(), await reply.boundingBox()]
    expect(toastBox!.x + toastBox!.width, 'the toast is left of the composer').toBeLessThan(replyBox!.x)
    await page.close()
    const send = (await readSend(threadId))!
    expect(send.state).toBe('queued')
    expect(send.dueAt.getTime() - send.queuedAt.getTime()).toBeGreaterThan(UNDO_MS)
  })

  it('sends the email as it was when Send was clicked, even if it is changed during sending', async () => {
    const threadId = await openThread('Slow')
    await press('r')
    await text().fill('It is four pounds.')
    await button('Recipients').click()
    const received = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    await page.route(/\/messages\/[^/]+\/send$/, async route => {
      received.resolve()
      await released.promise
      await route.continue()
    })
    await button('Send').click()
    await received.promise
    await button('Remove ada@analytical.example from To').click()
    await button('Remove ada@analytical.example from To').waitFor()
    released.resolve()
    await messages().last().getByText('Queued').waitFor()
    expect((await readDrafts(threadId))[0]).toMatchObject({ recipients: { to: [ada] } })
    expect((await readSend(threadId))!.state).toBe('queued')
  })

  it('cancels sending with the undo key, even from another conversation', async () => {
    const threadId = await openThread('Undone')
    await press('r')
    await page.keyboard.type('It is five pounds.')
    await press('Control+Enter')
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    // Not a real click, which would wait for as long as the undo message covers the row.
    await page.getByRole('link', { name: 'Recipients' }).first().dispatchEvent('click')
    await page.waitForURL(url => !url.pathname.endsWith(threadId))
    await press('z')
    await page.getByRole('heading', { level: 2, name: 'Undone' }).waitFor()
    await expect.poll(() => text().inputValue()).toBe('It is five pounds.')
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA')
    expect((await readSend(threadId))!.state).toBe('refused')
  })

  it('schedules an email, shows when it is sent, and cancels it', async () => {
    const threadId = await openThread('Later')
    await press('r')
    await text().fill('Until tomorrow.')
    await button('Send later').click()
    const times = page.getByRole('dialog', { name: 'Send later' })
    await expectUsable(page, 'composer-send-later')
    await times.getByRole('option', { name: 'Choose date and time' }).click()
    const at = new Date()
    at.setDate(at.getDate() + 30)
    at.setHours(9, 0, 0, 0)
    await times.getByLabel('Send at').fill(toDateTimeField(at))
    await press('Enter')
    const message = messages().last()
    await message.getByText(/^Scheduled for \w{3},? \d+ \w{3}, 09:00\./).waitFor()
    expect((await readSend(threadId))!.dueAt).toEqual(at)
    await message.getByRole('button', { name: 'Cancel sending' }).click()
    await expect.poll(() => text().inputValue()).toBe('Until tomorrow.')
    await button('Send later').click()
    await times.getByRole('option', { name: 'Tomorrow' }).click()
    await message.getByText(/^Scheduled for/).waitFor()
  })

  it('forwards a message by keyboard to someone outside the thread without asking for confirmation', async () => {
    const body = 'Is it <b>new</b>?'
    const threadId = await openThread('Forwarded', desk, { body })
    await press('f')
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT')
    expect(await text().inputValue()).toContain('From: Ada Byron')
    await page.keyboard.type('charles@engines.example,')
    await text().fill(`Can you answer this?${await text().inputValue()}`)
    await waitUntilSaved()
    await expectUsable(page, 'composer-forward', [360, 768, 1440, 1920])
    await button('Send').click()
    await page.getByText('Sending the email to charles@engines.example…').waitFor()
    const [sent] = await readDrafts(threadId)
    expect(sent).toMatchObject({ subject: 'Fwd: Re: Forwarded', deliveryStatus: 'queued' })
    expect(sent!.hasHtml).toBeUndefined()
    expect(sent!.body).toContain('---------- Forwarded message ----------')
    const { dueAt, queuedAt } = (await readSend(threadId))!
    expect(dueAt.getTime() - queuedAt.getTime()).toBeGreaterThan(UNDO_MS)
  })

  it('attaches the files of the forwarded message, and sends the email only when they are uploaded', async () => {
    const threadId = await openThread('Forwarded files')
    const thread = await caller.call('getEmailThread', { emailThreadId: threadId })
    const emailMessageId = thread.messages.at(-1)!.id
    const plan = { name: 'plan.txt', type: 'text/plain', content: Buffer.from('Build it.') }
    const owner = { id: randomUUIDv7(), emailMessageId }
    const file = await inAccountTransaction(server.app, caller, tx => insertAttachment(tx, plan, owner))
    await server.app.owner`
      update email_messages set attachments = ${server.app.owner.json([file])} where id = ${emailMessageId}`
    await page.reload()
    await messages().last().getByRole('link', { name: 'plan.txt' }).waitFor()
    await press('f')
    await draft().getByLabel('To', { exact: true }).fill('charles@engines.example,')
    await press('Enter')
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const download = /\/attachments\/[^/?]+$/
    await page.route(download, async route => {
      await released
      await route.continue()
    })
    await page.route(download, route => route.fulfill({ status: 503, body: '' }), { times: 1 })
    await button('Attach original file').click()
    await draft().getByText('plan.txt was not attached. The file could not be read.').waitFor()
    await button('Attach original file').click()
    await button('Send').click()
    await draft().getByText('Wait until the files are uploaded.').waitFor()
    release()
    await button('Remove plan.txt').waitFor()
    await button('Send').click()
    await draft().waitFor({ state: 'detached' })
    const [sent] = await readDrafts(threadId)
    expect(sent).toMatchObject({ deliveryStatus: 'queued', attachments: [{ name: 'plan.txt' }] })
  })

  it('inserts details of the person at the cursor', async () => {
    await openThread('Values')
    await press('r')
    await page.keyboard.type('Hi , thank you.')
    for (let n = 0; n < ', thank you.'.length; n++) await press('ArrowLeft')
    await button('Insert a detail').click()
    await page.getByRole('menuitem', { name: 'First name Ada' }).click()
    await expect.poll(() => text().inputValue()).toBe('Hi Ada, thank you.')
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA')
  })

  it('replies in a conversation outside of campaigns', async () => {
    const { repId, mailboxId, personId } = desk
    const threadId = await openThread('Outside', { repId, mailboxId, personId })
    await press('r')
    await page.keyboard.type('Thank you for writing.')
    await press('Control+Enter')
    await messages().last().getByText('Queued').waitFor()
    expect((await readDrafts(threadId))[0]).toMatchObject({ body: 'Thank you for writing.' })
  })

  it('shows the mailbox that a reply is sent from, and the signature that is added unless the text includes it', async () => {
    await caller.call('updateRep', { repId: desk.repId, signature: '<p><b>Grace</b><br>US Navy</p>' })
    const { email } = await caller.call('getMailbox', { mailboxId: desk.mailboxId })
    await openThread('Signature')
    await press('r')
    await draft().getByText(`From Grace Hopper (${email})`).waitFor()
    const signature = draft().getByRole('figure')
    await signature.getByText('The signature of Grace Hopper is added:').waitFor()
    await signature.getByText('US Navy').waitFor()
    await expectUsable(page, 'composer-signature', [360, 1440])
    await text().fill('Gladly.\n\nGrace\nUS Navy')
    await signature.waitFor({ state: 'detached' })
    await button('Delete draft').click()
    await page.getByRole('button', { name: 'Reply', exact: true }).waitFor()
    await press('f')
    await signature.getByText('is added above the forwarded message:', { exact: false }).waitFor()
    await caller.call('updateRep', { repId: desk.repId, signature: null })
  })

  it('makes no requests to other hosts, violates no policy and throws no errors', () => {
    expect(browser.errors).toEqual([])
  })
})
