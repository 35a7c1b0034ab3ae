import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSandbox } from '../../src/server/protocols/smtp/sandbox.ts'
import { aCaller, type Caller } from '../support/app.ts'
import { giveCookie, hasChromium, openBrowser, type TestBrowser } from '../support/browser/chromium.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'
import { openWorker } from '../support/mail/mail-campaign.ts'

const hostile = 'Spring <img src=x onerror=alert(1)>'

/** One after the other: each goes on where the one before ended. */
describe.skipIf(!hasChromium())('the page of a campaign', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let owner: Caller
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    owner = await aCaller(server.app)
    await owner.call('updateAccount', { postalAddress: '12 St James Square', optOutLine: 'Reply stop.' })
    const { id: repId } = await owner.call('createRep', { name: 'Ada Byron' })
    const mailbox = { repId, kind: 'sandbox', email: 'ada@acme.example' } as const
    const { id: mailboxId } = await owner.call('createMailbox', mailbox)
    await owner.call('verifyMailbox', { mailboxId })
    const { id: campaignId } = await owner.call('createCampaign', {
      name: hostile,
      repIds: [repId],
      steps: [
        { subject: 'Hello {{ firstName | default: "there" }}', body: 'Hi <b>there</b>' },
        { delay: { amount: 3, unit: 'business_days' }, body: 'Did you see this?' },
      ],
    })
    const data = ['grace', 'alan', 'edsger'].map(name => ({ email: `${name}@navy.example` }))
    await owner.call('addProspectsToCampaign', { campaignId, data })
    browser = await openBrowser(server.url)
    page = await browser.newPage()
    await giveCookie(page, server.url, await server.cookieOf(owner))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const figure = (list: string, name: string) =>
    page.getByLabel(list, { exact: true }).locator('div', { hasText: name }).locator('dd')

  it('opens from the list, and shows what somebody wrote as text', async () => {
    await page.goto('/campaigns')
    await page.getByRole('link', { name: hostile }).click()
    await page.getByRole('heading', { name: hostile }).waitFor()
    await page.getByRole('heading', { name: '1. At once' }).waitFor()
    await page.getByRole('heading', { name: '2. 3 business days later, in the same thread' }).waitFor()
    await page.getByText('Hello {{ firstName | default: "there" }}').click()
    await page.getByText('Hi <b>there</b>').waitFor()
    expect(await figure('Prospects', 'Not begun').innerText()).toBe('3')
  })

  it('launches it once that is confirmed, and counts what was sent', async () => {
    await button('Launch campaign').click()
    await page.getByText('3 prospects begin to get its emails').waitFor()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Launch campaign' }).click()
    await button('Pause campaign').waitFor()
    await using sandbox = await openSandbox({ dir: join(server.app.dataDir, 'sandbox') })
    await using worker = openWorker({ ...server.app, sandbox })
    await worker.work()
    await page.reload()
    await page.getByText('3 sent · 0 replied · 0 opted out · 0 bounced').waitFor()
    expect(await figure('Numbers', 'Sent').innerText()).toBe('3')
    expect(await figure('Prospects', 'Under way').innerText()).toBe('3')
    await page.getByRole('img', { name: /^3 from .* most 3 a day$/ }).waitFor()
  })

  it('shows answers that are about no step in a line of their own', async () => {
    const { data } = await owner.call('listCampaignProspects', { campaignId: page.url().split('/').at(-1)! })
    const answer = { prospectId: data[0]!.id, type: 'received', text: 'Tuesday suits me.' } as const
    await owner.call('recordLinkedinMessage', answer)
    await page.reload()
    await page.getByText('Outside the steps').waitFor()
    await page.getByText('1 replied · 0 opted out', { exact: true }).waitFor()
    expect(await figure('Numbers', 'Replied').innerText()).toMatch(/^1\b/)
    await page.getByText('Replied, last 30 days').waitFor()
  })

  it('pauses it at once, with a way back', async () => {
    await button('Pause campaign').click()
    await page.getByText('is paused. Nothing more is sent.').waitFor()
    await button('Resume campaign').waitFor()
    await button('Undo').click()
    await button('Pause campaign').waitFor()
  })

  it('says what is wrong where there is no such campaign', async () => {
    await page.goto('/campaigns/00000000-0000-7000-8000-000000000000')
    await page.getByRole('alert').getByText('campaign').waitFor()
    await page.getByRole('link', { name: 'Campaigns' }).first().waitFor()
  })

  it('asked no other host, broke no policy and threw nothing', () => {
    expect(browser.faults).toEqual([])
  })
})
