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

/** The tests run in order: each continues where the previous one ended. */
describe.skipIf(!hasChromium())('the list of campaigns', () => {
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
    await owner.call('createMailbox', { repId, kind: 'sandbox', email: 'ada@acme.example' })
    const create = (name: string) =>
      owner.call('createCampaign', {
        name,
        repIds: [repId],
        steps: [{ subject: 'Hi', body: 'Hi' }, { body: 'Hi' }],
      })
    const { id: campaignId } = await create('Spring trial')
    const data = ['grace', 'alan', 'edsger', 'barbara'].map(name => ({ email: `${name}@navy.example` }))
    await owner.call('addProspectsToCampaign', { campaignId, data })
    await owner.call('launchCampaign', { campaignId })
    await using sandbox = await openSandbox({ dir: join(server.app.dataDir, 'sandbox') })
    await using worker = openWorker({ ...server.app, sandbox })
    await worker.work()
    const [prospect] = (await owner.call('listCampaignProspects', { campaignId })).data
    await owner.call('recordLinkedinMessage', { prospectId: prospect!.id, type: 'received', text: 'Hello.' })
    await create('Autumn offer')
    browser = await openBrowser(server.url)
    page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await addSessionCookie(page, server.url, await server.createCookie(owner))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const rows = () => page.getByRole('table', { name: 'Campaigns' }).locator('tbody tr[data-index]')
  const row = (name: string) => rows().filter({ hasText: name })
  const chooseAction = async (campaign: string, action: string) => {
    await button(`Actions for ${campaign}`).click()
    await page.getByRole('menuitem', { name: action }).click()
  }

  it('can be sorted by its headings, and keeps the order in the URL', async () => {
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto('/campaigns')
    const names = () => rows().evaluateAll(all => all.map(each => each.querySelector('a')?.textContent))
    const sorted = () =>
      page.getByRole('columnheader').evaluateAll(all => all.flatMap(each => each.ariaSort ?? []))
    await expect.poll(names).toEqual(['Autumn offer', 'Spring trial'])
    expect(await sorted()).toEqual(['descending'])
    await button('Name').click()
    await page.waitForURL('**/campaigns?sort=name')
    await button('Name').press('Enter')
    await page.waitForURL('**/campaigns?sort=name&order=desc')
    await expect.poll(names).toEqual(['Spring trial', 'Autumn offer'])
    expect(await sorted()).toEqual(['descending'])
    await button('Last activity').click()
    await page.waitForURL('**/campaigns?sort=lastActivityAt')
    await page.reload()
    await expect.poll(names).toHaveLength(2)
    await button('Created').click()
    await page.waitForURL('**/campaigns')
  })

  it('offers a sort field where the headings are hidden', async () => {
    await page.setViewportSize({ width: 360, height: 800 })
    await page.getByLabel('Sort by').selectOption('Name')
    await page.waitForURL('**/campaigns?sort=name')
    await page.getByLabel('Sort by').selectOption('Newest first')
    await page.waitForURL('**/campaigns')
    await page.setViewportSize({ width: 1440, height: 900 })
    expect(await page.getByLabel('Sort by').isVisible()).toBe(false)
  })

  it('shows the results of each campaign', async () => {
    await page.goto('/campaigns')
    await row('Spring trial').waitFor()
    const cells = (await row('Spring trial').locator('td').allInnerTexts()).map(text => text.trim())
    expect(cells.slice(0, 7)).toEqual(['Spring trial', 'Active', '4', '4', '25%', expect.any(String), '0'])
    expect(cells[7]).toMatch(/^in \d+ /)
    await expectUsable(page, 'campaigns-list', [360, 768, 1024, 1440])
  })

  it('keeps the search and the status filter in the URL', async () => {
    await page.keyboard.press('/')
    await page.keyboard.type('autumn')
    await page.waitForURL('**/campaigns?query=autumn')
    await expect.poll(() => rows().count()).toBe(1)
    await page.getByLabel('Status').selectOption('active')
    await page.getByText('No campaigns match').waitFor()
    await page.reload()
    await page.getByText('No campaigns match').waitFor()
    expect(await page.getByLabel('Search campaigns').inputValue()).toBe('autumn')
    await page.getByRole('link', { name: 'Clear filters' }).click()
    await expect.poll(() => rows().count()).toBe(2)
    expect(await page.getByLabel('Search campaigns').inputValue()).toBe('')
  })

  it('hides archived campaigns, and offers to undo the archiving', async () => {
    await chooseAction('Autumn offer', 'Archive campaign')
    await expect.poll(() => rows().count()).toBe(1)
    await button('Undo').click()
    await row('Autumn offer').waitFor()
    await chooseAction('Autumn offer', 'Archive campaign')
    await page.getByText('Autumn offer archived.').waitFor()
    await page.getByLabel('Status').selectOption('archived')
    await row('Autumn offer').waitFor()
    await chooseAction('Autumn offer', 'Unarchive campaign')
    await page.getByText('Autumn offer is back in the list.').waitFor()
  })

  it('duplicates a campaign, opens the copy and deletes it after confirmation, by keyboard', async () => {
    await page.goto('/campaigns')
    await button('Actions for Spring trial').press('Enter')
    // A launched campaign can't be deleted.
    const duplicate = page.getByRole('menuitem', { name: 'Duplicate campaign' })
    await duplicate.waitFor()
    expect(await page.getByRole('menuitem', { name: 'Delete campaign' }).count()).toBe(0)
    await duplicate.press('Enter')
    await page.getByRole('heading', { name: 'Copy of Spring trial' }).waitFor()
    await page.waitForURL('**/steps')
    await button('Actions for Copy of Spring trial').press('Enter')
    await page.getByRole('menuitem', { name: 'Delete campaign' }).press('Enter')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete campaign' }).press('Enter')
    await page.waitForURL('**/campaigns')
    await row('Autumn offer').waitFor()
    await expect.poll(() => row('Copy of Spring trial').count()).toBe(0)
  })

  it('makes no requests to other hosts, violates no policy and throws no errors', () => {
    expect(browser.errors).toEqual([])
  })
})
