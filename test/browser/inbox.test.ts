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
import { ada, makeDesk, makeEmail, makeThread } from '../support/campaigns/inbox.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'

const hostile = '<img src="http://tracker.example/pixel.png" onerror="alert(1)"><script>alert(2)</script>'

describe.skipIf(!hasChromium())('an email conversation', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let caller: Caller
  let threadId: string
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    caller = await makeCaller(server.app)
    const desk = await makeDesk(caller)
    await caller.call('setCampaignSteps', {
      campaignId: desk.campaignId,
      steps: [{ subject: 'Analytical engines', body: 'Hello' }],
    })
    threadId = await makeThread(server.app, caller, desk)
    await makeEmail(server.app, caller, {
      ...desk,
      threadId,
      sentAt: new Date('2026-11-01T09:00Z'),
    })
    const received = await makeEmail(server.app, caller, {
      ...desk,
      threadId,
      type: 'received',
      subject: 'Re: Analytical engines',
      body: `${hostile}\n\n> Hello`,
      sentAt: new Date('2026-11-02T09:00Z'),
    })
    const draftId = await makeEmail(server.app, caller, {
      ...desk,
      threadId,
      type: 'reply_agent',
      status: 'draft',
      body: 'It is four pounds.',
      sentAt: new Date('2026-11-02T09:01Z'),
    })
    await server.app.owner`
      insert into agent_replies ${server.app.owner.rows({
        account_id: caller.accountId,
        email_message_id: received,
        state: 'done',
        intent: 'wrong_person',
        intent_by: 'model',
        referral: { email: 'grace@navy.example' },
        draft_id: draftId,
      })}`
    await caller.call('updateCampaignKnowledge', {
      campaignId: desk.campaignId,
      offer: 'Four pounds a month.',
    })
    browser = await openBrowser(server.url)
    page = await browser.newPage()
    await addSessionCookie(page, server.url, await server.createCookie(caller))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const threads = () => page.getByRole('list', { name: 'Conversations' }).getByRole('link')
  const draft = () => page.getByRole('region', { name: 'Draft' })
  const title = (subject: string) => page.getByRole('heading', { name: subject, exact: true })

  it('shows messages as plain text and fetches nothing they reference', async () => {
    await page.goto('/inbox')
    await threads().first().click()
    await page.getByRole('article').getByText(hostile).waitFor()
    expect(await page.locator('article img, article script').count()).toBe(0)
  })

  it('shows the intent of a reply, its referral and the reply agent’s draft', async () => {
    const reply = page.getByRole('article').filter({ hasText: hostile })
    await reply.getByText('wrong person').waitFor()
    await reply.getByText('Refers you to grace@navy.example.').waitFor()
    await draft().getByText('Drafted by reply agent').waitFor()
    await draft().getByText('The reply agent classified the reply as').getByText('wrong person').waitFor()
    await draft().getByText('Sources: this conversation and the knowledge of the campaign').click()
    await draft().getByText('Four pounds a month.').waitFor()
    await expectUsable(page, 'inbox-agent-draft', [360, 768, 1440, 1920])
    await page.setViewportSize({ width: 1280, height: 720 })
    const field = draft().locator('textarea')
    const body = await field.inputValue()
    await field.fill(`${body}\n\nAnd this.`)
    await draft().getByText('Drafted by reply agent, edited').waitFor()
    await field.fill(body)
    await draft().getByText('Drafted by reply agent', { exact: true }).waitFor()
  })

  it('shows the next step and why it is held, and pauses the prospect', async () => {
    await page.getByText('Next: step 1 (the campaign is not launched).').waitFor()
    await page.getByRole('button', { name: 'Pause prospect' }).click()
    await page.getByRole('button', { name: 'Resume prospect' }).waitFor()
  })

  const writeReply = (text: string) =>
    page.getByLabel('Reply to Ada Byron (ada@analytical.example)').fill(text)

  it('saves a reply while it is written and shows it as a draft after a reload', async () => {
    await draft().getByRole('button', { name: 'Delete draft' }).click()
    await page.getByRole('button', { name: 'Reply', exact: true }).click()
    // The first response is lost after the server has stored the draft.
    const draftPath = /\/v1\/inbox\/email\/messages\/draft$/
    await page.route(draftPath, async route => route.fulfill({ response: await route.fetch(), body: '' }), {
      times: 1,
    })
    await writeReply('Thursday')
    await draft().getByText('and no details').waitFor()
    await writeReply('Thursday suits me')
    await draft().getByText('Saved').waitFor()
    await writeReply('Thursday suits me well.')
    await draft().getByText('Saved').waitFor()
    await page.reload()
    expect(await draft().getByRole('textbox').inputValue()).toBe('Thursday suits me well.')
    expect(await draft().count()).toBe(1)
    await expectUsable(page, 'inbox-draft')
  })

  it('deletes a draft immediately and offers to undo the deletion', async () => {
    await draft().getByRole('button', { name: 'Delete draft' }).click()
    await page.getByRole('button', { name: 'Reply', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    expect(await draft().getByRole('textbox').inputValue()).toBe('Thursday suits me well.')
  })

  /** Holds matching requests until they are released. */
  const hold = async (method: string, path: RegExp) => {
    const received = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    let count = 0
    await page.route(path, async route => {
      if (route.request().method() !== method) return route.fallback()
      count++
      received.resolve()
      await released.promise
      await route.continue()
    })
    return { received: received.promise, release: released.resolve, count: () => count }
  }

  it('deletes a draft during its first save', async () => {
    const kept = await draft().getByRole('textbox').inputValue()
    await draft().getByRole('button', { name: 'Delete draft' }).click()
    await page.getByRole('button', { name: 'Reply', exact: true }).click()
    const first = await hold('POST', /\/messages\/draft$/)
    await writeReply('Never mind')
    await first.received
    await draft().getByRole('button', { name: 'Delete draft' }).click()
    first.release()
    await page.getByRole('button', { name: 'Reply', exact: true }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Reply', exact: true }).click()
    await writeReply(kept)
    await draft().getByText('Saved').waitFor()
    expect(await draft().count()).toBe(1)
  })

  it('asks before leaving when text was typed during a save', async () => {
    const first = await hold('PATCH', /\/email\/messages\/[^/]+$/)
    await writeReply('Monday')
    await first.received
    const second = await hold('PATCH', /\/messages\/[^/]+$/)
    await writeReply('Monday, or Tuesday')
    const saved = page.waitForResponse(response => response.request().method() === 'PATCH')
    first.release()
    await saved
    await page.getByRole('link', { name: 'Campaigns' }).click()
    await page.getByRole('button', { name: 'Stay on page' }).click()
    second.release()
    await draft().getByText('Saved').waitFor()
  })

  it('sends the latest text of a reply once and blocks edits in the meantime', async () => {
    await writeReply('Friday suits me better.')
    const sending = await hold('POST', /\/messages\/[^/]+\/send$/)
    await draft().getByRole('button', { name: 'Send', exact: true }).click()
    await sending.received
    await draft().getByRole('textbox').press('Control+Enter')
    await page.keyboard.type(' Or not?')
    expect(await draft().getByRole('textbox').inputValue()).toBe('Friday suits me better.')
    expect(sending.count()).toBe(1)
    sending.release()
    await page.getByText('Sending the email to Ada Byron (ada@analytical.example)…').waitFor()
    const sent = page.getByRole('article').last()
    await sent.getByText('Friday suits me better.').waitFor()
    await sent.getByText('Queued').waitFor()
    expect(await draft().count()).toBe(0)
  })

  it('cancels a queued reply, which can be edited and sent again', async () => {
    await page.getByRole('button', { name: 'Cancel sending' }).click()
    await page.getByText('Sending cancelled. The email is a draft again.').waitFor()
    await draft().getByRole('textbox').fill('Saturday suits me better.')
    await draft().getByRole('button', { name: 'Send', exact: true }).click()
    const sent = page.getByRole('article').last()
    await sent.getByText('Saturday suits me better.').waitFor()
    await sent.getByText('Queued').waitFor()
  })

  it('lets the user resolve an email whose delivery is unconfirmed', async () => {
    await server.app.owner`update email_sends set state = 'unconfirmed'`
    await server.app.owner`
      update email_messages set delivery_status = 'unconfirmed' where delivery_status = 'queued'`
    await page.reload()
    await page.getByRole('button', { name: 'Mark as sent' }).click()
    await page.getByText('Message marked as sent.').waitFor()
    await page.getByRole('article').getByText('Unconfirmed', { exact: true }).waitFor({ state: 'detached' })
  })

  it('asks before sending a reply when someone else has replied or when the reply has a new recipient', async () => {
    await page.getByRole('button', { name: 'Reply', exact: true }).click()
    await writeReply('Sunday suits me better.')
    await draft().getByText('Saved').waitFor()
    const { data } = await caller.call('listEmailMessages', { emailThreadId: threadId, status: 'draft' })
    const to = [ada, { name: 'Eve', email: 'eve@elsewhere.example' }]
    await caller.call('updateEmailDraft', { emailMessageId: data[0]!.id, recipients: { to } })
    await page.reload()
    await draft().getByText('eve@elsewhere.example').waitFor()
    await makeEmail(server.app, caller, {
      threadId,
      type: 'manual',
      body: 'A colleague was faster.',
      sentAt: new Date(),
    })
    await draft().getByRole('button', { name: 'Send', exact: true }).click()
    const question = page.getByRole('alertdialog', { name: 'Send anyway?' })
    await question.getByText(/Grace Hopper replied at \d+ \w+ \d{4},? (at )?\d\d:\d\d, after/).waitFor()
    await question.getByText(/eve@elsewhere\.example is not part of this thread\./).waitFor()
    await page.locator('article', { hasText: 'A colleague was faster.' }).waitFor()
    await expectUsable(page, 'inbox-send-anyway', [360, 768, 1280, 1920])
    await question.getByRole('button', { name: 'Keep as draft' }).click()
    expect(await draft().getByRole('textbox').inputValue()).toBe('Sunday suits me better.')
    await draft().getByRole('button', { name: 'Send', exact: true }).click()
    await question.getByRole('button', { name: 'Send anyway' }).click()
    const sent = page.getByRole('article').filter({ hasText: 'Sunday suits me better.' })
    await sent.getByText('Queued').waitFor()
    expect(await draft().count()).toBe(0)
  })

  it('shows every recipient of a draft and of a message, including Cc and Bcc', async () => {
    await page.getByRole('button', { name: 'Reply', exact: true }).click()
    await writeReply('With a copy to both.')
    await draft().getByText('Saved').waitFor()
    const { data } = await caller.call('listEmailMessages', { emailThreadId: threadId, status: 'draft' })
    const cc = [{ name: 'Mary', email: 'mary@somerville.example' }]
    const bcc = [{ name: 'secret@third.example', email: 'secret@third.example' }]
    await caller.call('updateEmailDraft', { emailMessageId: data[0]!.id, recipients: { to: [ada], cc, bcc } })
    await page.reload()
    const copies = /Cc Mary \(mary@somerville\.example\)\s*Bcc secret@third\.example/
    expect(await draft().locator('label').innerText()).toMatch(copies)
    await expectUsable(page, 'inbox-copies', [360, 768, 1280, 1920])
    await draft().getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('button', { name: 'Send anyway' }).click()
    const sent = page.getByRole('article').filter({ hasText: 'With a copy to both.' })
    await sent.waitFor()
    expect(await sent.locator('header').innerText()).toMatch(copies)
  })

  it('shows either the list or the conversation on a phone', async () => {
    await page.setViewportSize({ width: 360, height: 740 })
    await title('Analytical engines').waitFor()
    expect(await threads().first().isVisible()).toBe(false)
    await page.getByRole('link', { name: 'All conversations' }).click()
    await page.getByRole('link', { name: /^All \d/ }).click()
    await threads().first().waitFor()
  })

  it('makes no requests to other hosts, violates no policy and throws no errors', () => {
    expect(browser.errors).toEqual([])
  })
})
