import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller } from '../support/app.ts'
import { addSessionCookie, hasChromium, openBrowser, type TestBrowser } from '../support/browser/chromium.ts'
import { hasFocus } from '../support/browser/keyboard.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { type Desk, makeDesk, makeEmail, makeThread } from '../support/campaigns/inbox.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'

describe.skipIf(!hasChromium())('for a user who replies by keyboard,', () => {
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
    browser = await openBrowser(server.url)
    page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await addSessionCookie(page, server.url, await server.createCookie(caller))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const makeConversation = async (subject: string, body: string, minutesAgo = 60) => {
    const threadId = await makeThread(server.app, caller, { ...desk, subject })
    const sentAt = new Date(Date.now() - minutesAgo * 60_000)
    await makeEmail(server.app, caller, { ...desk, threadId, type: 'received', subject, body, sentAt })
    return threadId
  }
  const open = async (threadId: string) => {
    await page.goto(`/inbox/${threadId}`)
    await page.getByRole('article').last().waitFor()
  }
  const press = (key: string) => page.keyboard.press(key)
  const text = () => page.getByRole('region', { name: 'Draft' }).locator('textarea')
  const readStatus = async (conversationId: string) =>
    (await caller.call('getConversation', { conversationId })).status

  it('Escape leaves the text field, and the next key acts on the conversation', async () => {
    const threadId = await makeConversation('Escape', 'How much is it?')
    await open(threadId)
    await press('r')
    await page.keyboard.type('Four pounds.')
    await press('Escape')
    await press('e')
    await expect.poll(() => readStatus(threadId)).toBe('done')
    const draft = async () =>
      (await caller.call('listEmailMessages', { emailThreadId: threadId, status: 'draft' })).data
    await expect.poll(async () => (await draft()).map(({ body }) => body)).toEqual(['Four pounds.'])
  })

  it('a semicolon that opened the snippets leaves nothing in the text, unless it is typed again', async () => {
    await open(await makeConversation('Semicolon', 'How much is it?'))
    await press('r')
    await page.keyboard.type('Well ;')
    const snippets = page.getByRole('dialog', { name: 'Insert snippet' })
    await snippets.getByRole('combobox').waitFor()
    await press('Escape')
    await snippets.waitFor({ state: 'detached' })
    expect(await text().inputValue()).toBe('Well ')
    await page.keyboard.type(';)')
    expect(await text().inputValue()).toBe('Well ;)')
  })

  it('a draft that is open in two tabs is only overwritten by choice', async () => {
    const threadId = await makeConversation('Twice', 'How much is it?')
    await open(threadId)
    await press('r')
    await page.keyboard.type('Four pounds.')
    await page.getByText('Saved', { exact: true }).waitFor()
    const [draft] = (await caller.call('listEmailMessages', { emailThreadId: threadId, status: 'draft' }))
      .data
    await caller.call('updateEmailDraft', { emailMessageId: draft!.id, body: 'Five pounds.' })
    await page.keyboard.type(' Or guineas.')
    const conflict = page.getByText('Someone else changed this draft')
    await conflict.waitFor()
    await press('Control+Enter')
    expect(await text().inputValue()).toBe('Four pounds. Or guineas.')
    const readDraft = () => caller.call('getEmailMessage', { emailMessageId: draft!.id })
    expect(await readDraft()).toMatchObject({ body: 'Five pounds.', status: 'draft' })
    await page.getByRole('button', { name: 'Load their version' }).click()
    await expect.poll(() => text().inputValue()).toBe('Five pounds.')
    await expect.poll(() => text().isEditable()).toBe(true)
    await text().focus()
    await press('End')
    await page.keyboard.type(' Or six.')
    await page.getByText('Saved', { exact: true }).waitFor()
    await caller.call('updateEmailDraft', { emailMessageId: draft!.id, body: 'Seven pounds.' })
    await page.keyboard.type(' Or guineas.')
    await conflict.waitFor()
    await page.getByRole('button', { name: 'Keep my version' }).click()
    await conflict.waitFor({ state: 'detached' })
    await expect.poll(async () => (await readDraft()).body).toBe('Five pounds. Or six. Or guineas.')
  })

  it('Send never sends a subject, text or recipients that the sender has not seen', async () => {
    const threadId = await makeConversation('Unseen', 'How much is it?')
    const { messageId: emailMessageId } = await caller.call('createEmailDraft', {
      prospectId: desk.prospectId,
      emailMessageIdToReplyTo: (await caller.call('getEmailThread', { emailThreadId: threadId })).messages[0]!
        .id,
      body: 'Four pounds.',
    })
    const change = (draft: object) => caller.call('updateEmailDraft', { emailMessageId, ...draft })
    const send = async () => {
      const response = page.waitForResponse(/\/send$/)
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      return (await response).status()
    }
    await open(threadId)
    await text().waitFor()
    // Holds back the change, which the composer would show.
    const released = Promise.withResolvers<void>()
    await page.route(/\/inbox\/email\/threads\//, async route => {
      await released.promise
      await route.continue()
    })
    await change({ body: 'Five pounds.' })
    expect(await send()).toBe(409)
    released.resolve()
    await page.getByText('The draft was changed elsewhere.').waitFor()
    await expect.poll(() => text().inputValue()).toBe('Five pounds.')
    await expect.poll(() => text().isEditable()).toBe(true)
    await text().press('ControlOrMeta+End')
    await page.keyboard.type(' Or guineas.')
    await page.getByText('Saved', { exact: true }).waitFor()
    await change({ body: 'Six pounds.' })
    expect(await send()).toBe(409)
    const { subject, recipients } = await change({ body: 'Five pounds. Or guineas.' })
    await change({ recipients: { ...recipients, cc: [{ email: 'eve@rival.example' }] } })
    expect(await send()).toBe(409)
    await page
      .getByText(/^The email was not sent because its recipients differ .*eve@rival\.example/)
      .waitFor()
    await change({ recipients: { ...recipients, cc: [] }, subject: 'A price' })
    expect(await send()).toBe(409)
    await change({ subject })
    expect(await send()).toBe(200)
    expect(await caller.call('getEmailMessage', { emailMessageId })).toMatchObject({
      body: 'Five pounds. Or guineas.',
      deliveryStatus: 'queued',
    })
  })

  it('a draft that an app wants to send later can be approved for that time', async () => {
    const threadId = await makeConversation('Later', 'How much is it?')
    const { messages } = await caller.call('getEmailThread', { emailThreadId: threadId })
    const { messageId: emailMessageId } = await caller.call('createEmailDraft', {
      prospectId: desk.prospectId,
      emailMessageIdToReplyTo: messages[0]!.id,
      body: 'Four pounds.',
    })
    const sendAt = new Date(Date.now() + 2 * 24 * 3_600_000).toISOString()
    const request = JSON.stringify({ at: new Date().toISOString(), by: 'Claude', sendAt })
    await server.app.owner`
      update email_messages set approval_request = ${request}::jsonb where id = ${emailMessageId}`
    await open(threadId)
    await page.getByText('Claude wants to send this on').waitFor()
    await page.getByRole('button', { name: 'Schedule for' }).click()
    await page.getByText(/^Email to .* scheduled for/).waitFor()
    expect(await caller.call('getEmailMessage', { emailMessageId })).toMatchObject({ sendAt })
  })

  it('a draft is still saved and sent after the response to a save was lost', async () => {
    const threadId = await makeConversation('Lost', 'How much is it?')
    await open(threadId)
    await press('r')
    await page.keyboard.type('Four pounds.')
    await page.getByText('Saved', { exact: true }).waitFor()
    await page.route(
      /\/inbox\/email\/messages\/[^/]+$/,
      async route => route.fulfill({ response: await route.fetch(), body: '' }),
      { times: 1 },
    )
    await page.keyboard.type(' Or guineas.')
    await page.getByText('and no details').waitFor()
    await page.keyboard.type(' As you like.')
    await page.getByText('Saved', { exact: true }).waitFor()
    await press('Control+Enter')
    await page.getByRole('region', { name: 'Draft' }).waitFor({ state: 'detached' })
    const { data } = await caller.call('listEmailMessages', { emailThreadId: threadId, type: 'manual' })
    expect(data).toMatchObject([{ body: 'Four pounds. Or guineas. As you like.', deliveryStatus: 'queued' }])
  })

  it('a draft that could not be saved when it was sent is not shown as being saved', async () => {
    await open(await makeConversation('Unsaved', 'How much is it?'))
    await press('r')
    await page.route(/\/inbox\/email\/messages/, route => route.abort(), { times: 1 })
    await page.keyboard.type('Four pounds.')
    await press('Control+Enter')
    const draft = page.getByRole('region', { name: 'Draft' })
    await draft.getByRole('alert').waitFor()
    expect(await draft.getByRole('status').innerText()).toBe('')
    await press('Control+Enter')
    await draft.waitFor({ state: 'detached' })
  })

  it('Ctrl+Enter in a dialog that was opened from a draft does not send the draft', async () => {
    await open(await makeConversation('Dialog', 'How much is it?'))
    await press('r')
    await page.keyboard.type('Four pounds.')
    const sent: string[] = []
    page.on('request', request => sent.push(...(request.url().endsWith('/send') ? [request.url()] : [])))
    await page.getByRole('button', { name: 'Snippets' }).click()
    const snippets = page.getByRole('dialog', { name: 'Insert snippet' })
    await snippets.getByRole('combobox').press('Control+Enter')
    await page.getByText('Saved', { exact: true }).waitFor()
    await press('Escape')
    await snippets.waitFor({ state: 'detached' })
    expect(sent).toEqual([])
    await text().press('Control+Enter')
    await page.getByRole('region', { name: 'Draft' }).waitFor({ state: 'detached' })
    expect(sent).toHaveLength(1)
  })

  it('a variable is not sent as text', async () => {
    const threadId = await makeConversation('Variable', 'How much is it?')
    await open(threadId)
    await press('r')
    await page.keyboard.type('Hi {{firstName}}, four pounds.')
    await press('Control+Enter')
    await page.getByText('{{firstName}} would be sent as is.').waitFor()
    await text().fill('Hi Ada, four pounds.')
    await press('Control+Enter')
    const sent = async () =>
      (await caller.call('listEmailMessages', { emailThreadId: threadId, type: 'manual' })).data
    await expect
      .poll(async () => (await sent()).map(({ deliveryStatus }) => deliveryStatus))
      .toEqual(['queued'])
    expect((await sent()).map(({ body }) => body)).toEqual(['Hi Ada, four pounds.'])
  })

  it('after sending, keys act on the conversation', async () => {
    const threadId = await makeConversation('Sent', 'How much is it?')
    await open(threadId)
    await press('r')
    await page.keyboard.type('Four pounds.')
    await press('Control+Enter')
    await page.getByRole('region', { name: 'Draft' }).waitFor({ state: 'detached' })
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.hasAttribute('data-opened')))
      .toBe(true)
    await press('e')
    await expect.poll(() => readStatus(threadId)).toBe('done')
  })

  it('after sending, the focus stays on a conversation that was opened by keyboard in the meantime', async () => {
    const next = await makeConversation('Next', 'And the engine?', 120)
    await open(await makeConversation('Answered', 'How much is it?', 119))
    await press('r')
    await page.keyboard.type('Four pounds.')
    await page.getByText('Saved', { exact: true }).waitFor()
    await page.reload()
    await text().waitFor()
    await press('r')
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route(/\/conversations\?/, async route => {
      await released
      await route.continue()
    })
    await press('Control+Enter')
    await page.getByRole('region', { name: 'Draft' }).waitFor({ state: 'detached' })
    await press('j')
    await page.waitForURL(url => url.pathname === `/inbox/${next}`)
    const heading = page.getByRole('heading', { level: 2, name: 'Next', exact: true })
    await expect.poll(() => hasFocus(heading)).toBe(true)
    await page.getByRole('button', { name: 'Reply', exact: true }).waitFor()
    const listed = page.waitForResponse(/\/conversations\?/)
    release()
    await (await listed).finished()
    await page.unrouteAll({ behavior: 'wait' })
    await page.evaluate(() => new Promise(resolve => setTimeout(resolve, 100)))
    expect(await hasFocus(heading)).toBe(true)
  })

  it('Ctrl+Shift+Enter sends the reply and opens the next conversation', async () => {
    const next = await makeConversation('Following', 'And the engine?', 240)
    const threadId = await makeConversation('Leading', 'How much is it?', 239)
    await open(threadId)
    await press('r')
    await page.keyboard.type('Five pounds.')
    await press('Control+Shift+Enter')
    await page.waitForURL(url => url.pathname === `/inbox/${next}`)
    const { data } = await caller.call('listEmailMessages', { emailThreadId: threadId, type: 'manual' })
    expect(data.map(({ body, deliveryStatus }) => [body, deliveryStatus])).toEqual([
      ['Five pounds.', 'queued'],
    ])
  })

  it('Ctrl+Shift+Enter opens the conversation below, even if the list changes meanwhile', async () => {
    const below = await makeConversation('Below', 'And the engine?', 303)
    const threadId = await makeConversation('Changing', 'How much is it?', 302)
    const above = await makeConversation('Above', 'Is it loud?', 301)
    await open(threadId)
    await press('r')
    await page.keyboard.type('Six pounds.')
    const row = page.locator(`[data-conversation="${above}"]`)
    await row.waitFor()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route(/\/send$/, async route => {
      await released
      await route.continue()
    })
    await press('Control+Shift+Enter')
    await caller.call('updateConversations', { conversationIds: [above], status: 'done' })
    await row.waitFor({ state: 'detached' })
    release()
    await page.waitForURL(url => url.pathname !== `/inbox/${threadId}`)
    expect(new URL(page.url()).pathname).toBe(`/inbox/${below}`)
    await page.unrouteAll({ behavior: 'wait' })
  })

  it('Ctrl+Shift+Enter does not replace a page that the user opened meanwhile', async () => {
    await makeConversation('Under', 'And the engine?', 402)
    const threadId = await makeConversation('Slow', 'How much is it?', 401)
    await open(threadId)
    await press('r')
    await page.keyboard.type('Seven pounds.')
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route(/\/send$/, async route => {
      await released
      await route.continue()
    })
    await press('Control+Shift+Enter')
    await page.getByRole('link', { name: 'Home', exact: true }).click()
    const heading = page.getByRole('heading', { name: 'Home', exact: true })
    await heading.waitFor()
    const listed = page.waitForResponse(/\/conversations\?/)
    release()
    await (await listed).finished()
    await page.unrouteAll({ behavior: 'wait' })
    for (const key of ['g', 'p']) await press(key)
    await page.getByRole('heading', { name: 'People', exact: true }).waitFor()
    await page.goBack()
    await heading.waitFor()
  })

  it('r scrolls the whole draft into view', async () => {
    await open(await makeConversation('Long', 'A line.\n'.repeat(80)))
    await press('r')
    await page.keyboard.type('Yes.')
    await page.getByText('Saved', { exact: true }).waitFor()
    await press('Escape')
    await page.evaluate(() => document.querySelector('article')?.scrollIntoView())
    await press('r')
    const send = page.getByRole('button', { name: 'Send', exact: true })
    await expect.poll(() => send.evaluate(button => button.getBoundingClientRect().bottom)).toBeLessThan(900)
  })

  it('each paragraph of a message has the direction of its script', async () => {
    await open(await makeConversation('Directions', 'שלום, יעל\nHello, Yael'))
    const startsRight = (start: number, end: number) =>
      page
        .getByRole('article')
        .filter({ hasText: 'Yael' })
        .locator('p.whitespace-pre-wrap')
        .evaluate(
          ({ firstChild }, [start, end]) => {
            const getLeft = (index: number) => {
              const range = document.createRange()
              range.setStart(firstChild!, index)
              range.setEnd(firstChild!, index + 1)
              return range.getBoundingClientRect().left
            }
            return getLeft(start!) > getLeft(end!)
          },
          [start, end],
        )
    expect(await startsRight(0, 4)).toBe(true)
    expect(await startsRight(10, 15)).toBe(false)
  })
})
