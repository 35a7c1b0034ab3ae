import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCaller } from '../support/app.ts'
import { addSessionCookie, hasChromium, openBrowser, type TestBrowser } from '../support/browser/chromium.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import {
  listTasks,
  makeTaskCampaign,
  planAll,
  type TaskCampaign,
} from '../support/campaigns/task-campaign.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'

const hostile = '<img src=x onerror=alert(1)>'
const people = ['Ada', 'Ben', 'Cleo', 'Dora'].map(firstName => ({
  firstName,
  linkedinUrl: `linkedin.com/in/${firstName.toLowerCase()}-${hostile.length}`,
}))
const steps = [
  { channel: 'linkedin_connect', body: `Hi {{ firstName }} ${hostile}` },
  { channel: 'linkedin_view', delay: { amount: 0, unit: 'minutes' } },
] as const

/** The tests run in order: each continues where the previous one ended. */
describe.skipIf(!hasChromium())('the tasks page', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let campaign: TaskCampaign
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    campaign = await makeTaskCampaign(server.app, [...steps], people)
    browser = await openBrowser(server.url)
    page = await browser.newPage({ permissions: ['clipboard-read', 'clipboard-write'] })
    await addSessionCookie(page, server.url, await server.createCookie(campaign.owner))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const card = (name: string) => page.getByRole('article', { name: `Invite on LinkedIn: ${name}` })
  const waitUntilGone = (name: string) => card(name).waitFor({ state: 'detached' })
  const getTask = async (name: string) =>
    (await listTasks(campaign)).find(({ personName, step }) => personName === name && step === 1)!
  const getProspect = async (name: string) =>
    campaign.owner.call('getProspect', { prospectId: (await getTask(name)).prospectId })

  it('counts tasks in the navigation and shows their person, campaign and text', async () => {
    await page.goto('/campaigns')
    await page.getByRole('link', { name: 'Tasks 4 to do' }).click()
    await card('Ada').getByText('Spring, step 1').waitFor()
    expect(await card('Ada').getByLabel('Invitation note').inputValue()).toBe(`Hi Ada ${hostile}`)
    const profile = card('Ada').getByRole('link', { name: 'Open profile of Ada, in a new tab' })
    expect(await profile.evaluate((link: HTMLAnchorElement) => [link.href, link.target, link.rel])).toEqual([
      (await getTask('Ada')).linkedinUrl,
      '_blank',
      'noreferrer',
    ])
  })

  it('copies a task’s edited text, completes the task with this text, and continues the sequence', async () => {
    const note = card('Ada').getByLabel('Invitation note')
    await note.fill('Hello Ada, shall we?')
    // Leaving with unsaved edits asks for confirmation.
    await page.getByRole('link', { name: 'Skipped' }).click()
    await page.getByRole('button', { name: 'Stay on page' }).click()
    expect(await note.inputValue()).toBe('Hello Ada, shall we?')
    await card('Ada').getByRole('button', { name: 'Copy text' }).click()
    await card('Ada').getByText('Copied').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('Hello Ada, shall we?')
    await page.getByRole('button', { name: 'Mark as invited: Ada' }).click()
    await waitUntilGone('Ada')
    await page.getByText('Done: Ada.').waitFor()
    await page.getByRole('link', { name: 'Tasks 3 to do' }).waitFor()
    expect(await getTask('Ada')).toMatchObject({ status: 'completed', text: 'Hello Ada, shall we?' })
    expect(await getProspect('Ada')).toMatchObject({ step: 1, next: { step: 2 } })
    await planAll(server.app)
    await page.reload()
    await page.getByRole('article', { name: 'Visit LinkedIn profile: Ada' }).waitFor()
  })

  it('completes and skips tasks by keyboard', async () => {
    await page.getByRole('button', { name: 'Mark as visited: Ada' }).click()
    await page.getByText('Done: Ada.').waitFor()
    await card('Ben').waitFor()
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
    const order = (await page.getByRole('article').allInnerTexts()).map(
      text => people.find(({ firstName }) => text.includes(`\n${firstName}\n`))!.firstName,
    )
    const [first, second] = order as [string, string]
    await page.keyboard.press('j')
    await page.keyboard.press('y')
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toBe(`Hi ${first} ${hostile}`)
    // A held key repeats but acts on one card only.
    for (let n = 0; n < 5; n++) await page.keyboard.down('e')
    await page.keyboard.up('e')
    await waitUntilGone(first)
    await page.getByText(`Done: ${first}.`).waitFor()
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.querySelector('h2')?.textContent))
      .toBe(second)
    await page.keyboard.press('s')
    await page.getByLabel('Reason').fill('A customer already')
    await page.getByRole('button', { name: 'Skip task' }).click()
    await waitUntilGone(second)
    expect(await getTask(first)).toMatchObject({ status: 'completed', text: `Hi ${first} ${hostile}` })
    expect(await getTask(second)).toMatchObject({ status: 'skipped', statusReason: 'A customer already' })
    expect(await getProspect(second)).toMatchObject({ next: { step: 2 } })
    await page.goto('/tasks?status=skipped')
    await card(second).getByText('A customer already').waitFor()
  })

  it('shows why a task could not be completed, and holds the task while its campaign is paused', async () => {
    await page.goto('/tasks')
    const [{ personName: name, id: taskId, linkedinUrl } = { id: '' }] = await listTasks(campaign, {
      status: 'open',
    })
    await card(name!).waitFor()
    const identifiers = [{ identifier: linkedinUrl! }]
    await campaign.owner.call('addOptOuts', { identifiers, pauseActiveProspects: false })
    await page.getByRole('button', { name: `Mark as invited: ${name}` }).click()
    await card(name!).getByRole('alert').getByText('Do Not Contact list').waitFor()
    expect(await campaign.owner.call('getTask', { taskId })).toMatchObject({ status: 'open' })
    await campaign.owner.call('pauseCampaign', { campaignId: campaign.campaignId })
    await page.reload()
    await page.getByText('No tasks to do right now. The tasks below are due later or on hold.').waitFor()
    await card(name!).getByText('The campaign is paused').waitFor()
    expect(await page.getByRole('link', { name: 'Tasks', exact: true }).count()).toBe(1)
  })

  it('asks before leaving with edits to a task that is due later', async () => {
    await campaign.owner.call('resumeCampaign', { campaignId: campaign.campaignId })
    const [{ personName: name, id: taskId } = { id: '' }] = await listTasks(campaign, { status: 'open' })
    const dueAt = new Date(Date.now() + 3_600_000).toISOString()
    await campaign.owner.call('updateTask', { taskId, dueAt })
    await page.goto('/tasks')
    await page.getByRole('heading', { name: 'Due later or on hold' }).waitFor()
    const note = card(name!).getByLabel('Invitation note')
    await note.fill('Shall we meet next week?')
    await page.getByRole('link', { name: 'Skipped' }).click()
    await page.getByRole('button', { name: 'Stay on page' }).click()
    expect(await note.inputValue()).toBe('Shall we meet next week?')
    await page.getByRole('link', { name: 'Skipped' }).click()
    await page.getByRole('button', { name: 'Leave page' }).click()
    await page.waitForURL('**/tasks?status=skipped')
  })

  it('marks an invitation as accepted', async () => {
    await page.goto('/tasks?status=completed')
    await page.getByRole('button', { name: 'Mark as accepted: Ada' }).click()
    await card('Ada').getByText('Accepted', { exact: true }).waitFor()
    expect(await getTask('Ada')).toHaveProperty('acceptedAt')
  })

  it('filters tasks by rep and shows them read-only to a viewer', async () => {
    await campaign.owner.call('createRep', { name: 'Hedy Lamarr' })
    const viewer = await makeCaller(server.app, 'viewer', campaign.owner.accountId)
    const viewerPage = await browser.newPage()
    await addSessionCookie(viewerPage, server.url, await server.createCookie(viewer))
    await viewerPage.goto('/tasks')
    await viewerPage.getByRole('article').first().waitFor()
    expect(await viewerPage.getByRole('button', { name: /Mark as invited|Skip/ }).count()).toBe(0)
    await viewerPage.getByLabel('Rep').selectOption('Hedy Lamarr')
    await viewerPage.getByText('No matching tasks').waitFor()
    await viewerPage.getByLabel('Rep').selectOption('Grace Hopper')
    await viewerPage.getByRole('article').first().waitFor()
    await viewerPage.close()
  })

  it('is in the bottom bar on a phone, and minor pages are in the menu', async () => {
    await page.setViewportSize({ width: 360, height: 740 })
    const bar = page.getByRole('navigation', { name: 'Main' })
    const heights = await bar
      .getByRole('listitem')
      .filter({ visible: true })
      .evaluateAll(items => items.map(item => item.querySelector('span > span')!.clientHeight))
    expect(heights).toHaveLength(5)
    expect(new Set(heights).size).toBe(1)
    await bar.getByRole('button', { name: 'More' }).click()
    await page.getByRole('link', { name: 'Calls' }).click()
    await page.getByRole('heading', { name: 'Calls' }).waitFor()
    expect(await page.getByRole('button', { name: 'Sign out' }).isVisible()).toBe(false)
  })

  it('makes no requests to other hosts, violates no policy and throws no errors', () => {
    expect(browser.errors).toEqual([])
  })
})
