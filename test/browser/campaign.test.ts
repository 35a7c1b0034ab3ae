import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSandbox } from '../../src/server/protocols/smtp/sandbox.ts'
import { type Caller, makeCaller } from '../support/app.ts'
import {
  addSessionCookie,
  expectUsable,
  hasChromium,
  openBrowser,
  type TestBrowser,
} from '../support/browser/chromium.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'
import { openWorker } from '../support/mail/mail-campaign.ts'

const hostile = 'Spring <img src=x onerror=alert(1)>'

/** The tests run in order: each continues where the previous one ended. */
describe.skipIf(!hasChromium())('the campaign page', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let owner: Caller
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    owner = await makeCaller(server.app)
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
    await addSessionCookie(page, server.url, await server.createCookie(owner))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const tab = (name: string) =>
    page.getByRole('navigation', { name: 'Campaign', exact: true }).getByRole('link', { name })
  const metric = (list: string, name: string) =>
    page.getByLabel(list, { exact: true }).locator('div', { hasText: name }).locator('dd')

  it('opens from the list and shows user content as plain text', async () => {
    await page.goto('/campaigns')
    await page.getByRole('link', { name: hostile }).click()
    await page.getByRole('heading', { name: hostile }).waitFor()
    await page.getByRole('heading', { name: '1. Email, immediately' }).waitFor()
    await page.getByRole('heading', { name: '2. Email, 3 business days later' }).waitFor()
    expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('Hi <b>there</b>')
    await tab('Results').click()
    expect(await metric('Prospects', 'Not started').innerText()).toBe('3')
  })

  it('launches the campaign after confirmation and counts sent emails', async () => {
    await page.getByRole('link', { name: 'Review and launch' }).first().click()
    await button('Launch campaign').click()
    await page.getByText('3 prospects will enter the sequence').waitFor()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Launch campaign' }).click()
    await button('Pause campaign').waitFor()
    await using sandbox = await openSandbox({ dir: join(server.app.dataDir, 'sandbox') })
    await using worker = openWorker({ ...server.app, sandbox })
    await worker.work()
    await page.reload()
    await page.getByText('3 sent · 0 replied · 0 opted out · 0 bounced').waitFor()
    expect(await metric('Results', 'Sent').innerText()).toBe('3')
    expect(await metric('Prospects', 'In progress').innerText()).toBe('3')
    await page.getByRole('img', { name: /^3 from .* peak 3 per day$/ }).waitFor()
  })

  it('shows replies outside the steps on a separate line', async () => {
    const { data } = await owner.call('listCampaignProspects', { campaignId: page.url().split('/').at(-1)! })
    const answer = { prospectId: data[0]!.id, type: 'received', text: 'Tuesday suits me.' } as const
    await owner.call('recordLinkedinMessage', answer)
    await page.reload()
    await page.locator('ol').getByText('Outside the steps').waitFor()
    await page.getByText('1 replied · 0 opted out', { exact: true }).waitFor()
    expect(await metric('Results', 'Replied').innerText()).toMatch(/^1\b/)
    await page.getByText('Replied, last 30 days').waitFor()
  })

  it('shows the results of a period by step as a table and as CSV, and keeps the period in the URL', async () => {
    await page.getByLabel('Period').selectOption('Last 7 days')
    await page.waitForURL('**?period=7')
    const rows = page.getByRole('table', { name: 'Steps and variants' }).locator('tbody tr')
    await expect
      .poll(async () => (await rows.first().innerText()).replace(/\s+/g, ' '))
      .toMatch(/^Step 1 .*3 /)
    expect(await metric('Funnel', 'Contacted').innerText()).toBe('3')
    const [download] = await Promise.all([page.waitForEvent('download'), button('Export CSV').click()])
    expect(download.suggestedFilename()).toBe('campaign-results.csv')
    await expectUsable(page, 'campaign-results')
    await page.goto(page.url().split('?')[0]!)
  })

  it('pauses the campaign immediately and offers to undo the pause', async () => {
    await button('Pause campaign').click()
    await page.getByText('paused. Nothing more will be sent.').waitFor()
    await button('Resume campaign').waitFor()
    await button('Undo').click()
    await button('Pause campaign').waitFor()
  })

  it('says when the next email will be sent and which mailbox has reached its limit, if there are no problems', async () => {
    await page.getByText(/The next email is sent on .* \(UTC\)\./).waitFor()
    const { data } = await owner.call('listMailboxes', {})
    const rampUp = { start: 3, increase: 5 }
    await owner.call('updateMailbox', { mailboxId: data[0]!.id, dailyCap: 50, rampUp })
    const atLimit = page.getByText('ada@acme.example has reached its limit of 3 emails in 24 hours.')
    await page.reload()
    await atLimit.waitFor()
    await tab('Sending').click()
    await page.getByText('3 today, rising to 50 a day').waitFor()
    await page.goto('/')
    await atLimit.waitFor()
    await page.getByText('Nothing keeps your campaigns from sending.').waitFor()
    await page.goBack()
  })

  it('discards unsaved changes to a running campaign, and offers to restore them', async () => {
    await tab('Steps').click()
    const message = page.getByLabel('Message', { exact: true })
    await message.fill('Changed')
    await button('Discard changes').click()
    await expect.poll(() => message.inputValue()).toBe('Hi <b>there</b>')
    await button('Undo').click()
    await expect.poll(() => message.inputValue()).toBe('Changed')
    await button('Discard changes').click()
    await page.getByText('Saved', { exact: true }).waitFor()
  })

  it('renames the campaign while it runs', async () => {
    await button(`Actions for ${hostile}`).click()
    await page.getByRole('menuitem', { name: 'Rename campaign' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Autumn')
    await button('Rename campaign').click()
    await page.getByRole('heading', { name: 'Autumn' }).waitFor()
  })

  it('changes a saved email to a reply in the thread of the previous email', async () => {
    const campaignId = new URL(page.url()).pathname.split('/')[2]!
    const getFollowUp = async () => (await owner.call('getCampaign', { campaignId })).steps[1]!
    const { id: stepId, variants } = await getFollowUp()
    const opener = variants.map(({ id }) => ({ id, subject: 'Again' }))
    await owner.call('updateCampaignStep', { campaignId, stepId, thread: 'new', variants: opener })
    await page.goto(`/campaigns/${campaignId}/steps?step=2`)
    await page.getByLabel('Reply in the same thread').check()
    await button('Save changes').click()
    await page.getByText('Saved', { exact: true }).waitFor()
    const { thread, variants: saved } = await getFollowUp()
    expect(thread).toBe('same')
    expect(saved[0]).not.toHaveProperty('subject')
  })

  it('counts replies to emails sent before the period, but shows no reply rate', async () => {
    await server.app
      .owner`update email_messages set sent_at = sent_at - interval '10 days' where type = 'campaign'`
    await page.goto(`${page.url().split('/steps')[0]}?period=7`)
    await expect.poll(() => metric('Funnel', 'Replied').innerText()).toBe('1')
  })

  it('offers to resume a completed campaign before people are added', async () => {
    await tab('People').click()
    const prospects = page.getByRole('table', { name: 'Prospects' })
    await prospects.getByText(/^Due /).first().waitFor()
    const add = page.getByRole('link', { name: 'Add people' })
    await add.waitFor()
    const campaignId = new URL(page.url()).pathname.split('/')[2]!
    const { data } = await owner.call('listCampaignProspects', { campaignId })
    await owner.call('stopProspects', { prospectIds: data.map(({ id }) => id) })
    expect(await owner.call('getCampaign', { campaignId })).toMatchObject({ status: 'completed' })
    await page.reload()
    await page.getByText('Resume the campaign to add people.').waitFor()
    expect(await add.count()).toBe(0)
    await button('Resume campaign').click()
    await button('Pause campaign').waitFor()
    await add.waitFor()
  })

  it('shows an error for an unknown campaign', async () => {
    await page.goto('/campaigns/00000000-0000-7000-8000-000000000000')
    await page.getByRole('alert').getByText('There is no such campaign.').waitFor()
    await page.getByRole('link', { name: 'Campaigns' }).first().waitFor()
  })

  it('makes no requests to other hosts, violates no policy and throws no errors', () => {
    expect(browser.errors).toEqual([])
  })
})
