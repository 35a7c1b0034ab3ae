import type { Client } from '@modelcontextprotocol/client'
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
import { connectAs, openClient } from '../support/http/connection.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'
import { openWorker } from '../support/mail/mail-campaign.ts'
import { makeConsent } from '../support/voice/consents.ts'

const hostile = 'Asked for the price <img src=x onerror=alert(1)>'

/** The tests run in order: each continues where the previous one ended. */
describe.skipIf(!hasChromium())('the calls area', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let owner: Caller
  let assistant: Client
  let assistantId: string
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    owner = await makeCaller(server.app)
    await owner.call('updateAccount', { assistantsMayRequestCalls: true })
    assistantId = (await owner.call('createAssistant', { name: 'Front desk', fromNumber: '+442079460018' }))
      .id
    await makeConsent(owner, '+442079460031')
    assistant = await openClient(`${server.url}/v1/mcp`, (await connectAs(server.app, owner)).token)
    browser = await openBrowser(server.url)
    page = await browser.newPage()
    await addSessionCookie(page, server.url, await server.createCookie(owner))
  })
  afterAll(async () => {
    await assistant?.close()
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const requestCall = (name: string, phoneNumber: string) =>
    assistant.callTool({
      name: 'request_call',
      arguments: { assistantId, name, phoneNumber, reason: hostile, data: { plan: 'Pro' } },
    })
  const request = (name: string) => page.getByRole('article', { name: `Call to ${name}` })
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  it('counts requests in the navigation and shows the requester, the reason and the recipient', async () => {
    await requestCall('Ada', '+442079460031')
    await requestCall('Ben', '+442079460032')
    await page.goto('/campaigns')
    await page.getByRole('link', { name: 'Calls 2 to approve' }).click()
    await page.getByRole('link', { name: 'Pending approval 2' }).click()
    const content = await request('Ada').innerText()
    for (const text of [hostile, '+442079460031', 'Front desk', 'Test (client.example) for owner', 'Pro']) {
      expect(content).toContain(text)
    }
    expect(await owner.call('listCalls', {})).toMatchObject({ data: [] })
  })

  it('places a call once a person approves it by keyboard, after showing the consequences', async () => {
    await button('Approve call to Ada').focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('alertdialog', { name: 'Call Ada?' })
    await dialog
      .getByText(/\+442079460031 will be dialed on your behalf .* \(\w{3} \d\d:\d\d their time/)
      .waitFor()
    await dialog.getByRole('button', { name: 'Approve call' }).press('Enter')
    await request('Ada').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Calls 1 to approve' }).waitFor()
    const [queued] = (await owner.call('listCalls', {})).data
    expect(queued).toMatchObject({ to: '+442079460031', status: 'queued', personName: 'Ada' })
    server.app.setNow(queued!.notBefore ?? new Date())
    await using worker = openWorker(server.app)
    await worker.work()
    await worker.workAfter(3_600_000)
    server.app.setNow(new Date())
    const ended = await owner.call('getCall', { callId: queued!.id })
    expect(ended.status).toBe('ended')
    expect(ended.outcome).not.toBe('refused')
  })

  it('lists calls with their outcome, filtered by the URL', async () => {
    await page.goto('/calls?status=queued')
    await page.getByText('No matching calls').waitFor()
    await page.getByLabel('Status').selectOption('Ended')
    await page.waitForURL('**/calls?status=ended')
    await page.getByRole('link', { name: 'Ada' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Call to Ada' }).waitFor()
    await page.getByText('+442079460031').waitFor()
  })

  it('shows the transcript turn by turn as plain text', async () => {
    const [call] = (await owner.call('listCalls', {})).data
    const transcript = [
      { role: 'assistant', text: 'Good morning, this is an AI assistant.', at: 0 },
      { role: 'person', text: hostile, at: 74 },
    ]
    await server.app.owner`
      update calls set transcript = ${server.app.owner.json(transcript)}, summary = 'A summary.' where id = ${call!.id}`
    await page.goto(`/calls/${call!.id}`)
    await page.getByText('A summary.').waitFor()
    const turns = page.getByRole('list', { name: 'Transcript' }).getByRole('listitem')
    expect(await turns.allInnerTexts()).toEqual([
      expect.stringMatching(/^Assistant\s+0:00\s+Good morning/),
      expect.stringMatching(/^Ada\s+1:14\s+Asked for the price <img/),
    ])
  })

  /** Changes these columns of the newest call and returns the details that its page shows. */
  const showCallDetails = async (columns: Record<string, unknown>) => {
    const [call] = (await owner.call('listCalls', {})).data
    await server.app.owner`update calls set ${server.app.owner.assignments(columns)} where id = ${call!.id}`
    await page.goto(`/calls/${call!.id}`)
    await page.getByText('Front desk').waitFor()
    return page.locator('dl').first().innerText()
  }
  const unanswered = { transcript: null, summary: null, started_at: null, duration_seconds: null }
  const queued = { ...unanswered, status: 'queued', outcome: null, outcome_reason: null, ended_at: null }

  it('shows when a queued call can start and what it is waiting for', async () => {
    const notBefore = new Date(Date.now() + 22 * 3_600_000)
    const scheduled = await showCallDetails({ ...queued, not_before: notBefore, held_by: null })
    expect(scheduled).toMatch(/Earliest start\s+in 22 hours/)
    expect(scheduled).not.toContain('Reason for waiting')
    const held = await showCallDetails({ held_by: 'on_the_phone' })
    expect(held).toMatch(/Reason for waiting\s+The person is on another call\./)
  })

  it('shows when an unconnected call was created, and the reason as a sentence', async () => {
    const ended = { ...queued, status: 'ended', held_by: null, ended_at: new Date() }
    const failed = await showCallDetails({
      ...ended,
      outcome: 'failed',
      outcome_reason: 'number unreachable',
    })
    expect(failed).toMatch(/Created\s+just now/)
    expect(failed).toMatch(/Reason\s+Number unreachable\./)
    expect(await page.getByText('transcript').count()).toBe(0)
  })

  it('declines a request with a reason and calls nobody', async () => {
    await page.goto('/calls/requests')
    await button('Decline call to Ben').click()
    await page.getByLabel('Reason').fill('A customer already')
    await button('Decline call').click()
    await page.getByText('No calls to approve').waitFor()
    await page.getByRole('link', { name: 'Declined' }).click()
    await request('Ben').getByText('A customer already').waitFor()
    expect((await owner.call('listCalls', {})).data).toHaveLength(1)
  })

  it('shows requests to a viewer without controls to decide', async () => {
    await requestCall('Cleo', '+442079460033')
    const viewer = await makeCaller(server.app, 'viewer', owner.accountId)
    const viewerPage = await browser.newPage()
    await addSessionCookie(viewerPage, server.url, await server.createCookie(viewer))
    await viewerPage.goto('/calls/requests')
    await viewerPage.getByRole('article', { name: 'Call to Cleo' }).waitFor()
    expect(await viewerPage.getByRole('button', { name: /Approve|Decline/ }).count()).toBe(0)
    await viewerPage.close()
  })

  it('shows in the dialog why a call would be refused, and the error if a user tries to approve it', async () => {
    await owner.call('addOptOuts', { identifiers: [{ identifier: '+442079460033' }] })
    await page.goto('/calls/requests')
    await button('Approve call to Cleo').click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByText('The call would be refused. The person or the number is on the Do Not').waitFor()
    await dialog.getByRole('button', { name: 'Approve call' }).click()
    await dialog.getByText(/can't be placed: .* Do Not Contact/).waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toBe('Approve call to Cleo')
  })

  it('imports consents from a CSV file and lists the skipped rows', async () => {
    await page.goto('/calls/consents')
    await button('Import CSV').click()
    const dialog = page.getByRole('dialog')
    const csv =
      'Phone,Name,Kind,Proof\n+442079460051,Ida Rhodes,written,Form 8123\n+442079460052,Mary Ross,perhaps,Form 8124\n'
    await dialog
      .getByLabel('CSV file')
      .setInputFiles({ name: 'consents.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) })
    await dialog.getByRole('button', { name: 'Import consents' }).click()
    await dialog.getByText('Line 3:').waitFor()
    await expectUsable(page, 'consents-imported', [360, 1440])
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByText('Ida Rhodes').waitFor()
    const { data } = await owner.call('listConsents', { phoneNumber: '+442079460051' })
    expect(data).toMatchObject([{ name: 'Ida Rhodes', kind: 'written', proof: 'Form 8123' }])
  })

  it('makes no requests to other hosts, violates no policy and throws no errors', () => {
    expect(browser.errors).toEqual([])
  })
})
