import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aCaller } from '../support/app.ts'
import { giveCookie, hasChromium, openBrowser, type TestBrowser } from '../support/browser/chromium.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { aTaskCampaign, planAll, type TaskCampaign, tasksOf } from '../support/campaigns/task-campaign.ts'
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

/** One after the other: each goes on where the one before ended. */
describe.skipIf(!hasChromium())('the tasks of a rep', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let campaign: TaskCampaign
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    campaign = await aTaskCampaign(server.app, [...steps], people)
    browser = await openBrowser(server.url)
    page = await browser.newPage({ permissions: ['clipboard-read', 'clipboard-write'] })
    await giveCookie(page, server.url, await server.cookieOf(campaign.owner))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const card = (name: string) => page.getByRole('article', { name: `Invite on LinkedIn: ${name}` })
  const isGone = (name: string) => card(name).waitFor({ state: 'detached' })
  const taskOf = async (name: string) =>
    (await tasksOf(campaign)).find(({ personName, step }) => personName === name && step === 1)!
  const prospectOf = async (name: string) =>
    campaign.owner.call('getProspect', { prospectId: (await taskOf(name)).prospectId })

  it('are counted in the rail, and tell whom, in which campaign and with which words', async () => {
    await page.goto('/campaigns')
    await page.getByRole('link', { name: 'Tasks 4 to do' }).click()
    await card('Ada').getByText('Spring, step 1').waitFor()
    expect(await card('Ada').getByLabel('Note with the invitation').inputValue()).toBe(`Hi Ada ${hostile}`)
    const profile = card('Ada').getByRole('link', { name: 'Open profile of Ada, in a new tab' })
    expect(await profile.evaluate((link: HTMLAnchorElement) => [link.href, link.target, link.rel])).toEqual([
      (await taskOf('Ada')).linkedinUrl,
      '_blank',
      'noreferrer',
    ])
  })

  it('are copied, done in the words that were really sent, and the prospect goes on', async () => {
    const note = card('Ada').getByLabel('Note with the invitation')
    await note.fill('Hello Ada, shall we?')
    // Where else one goes, one is asked first.
    await page.getByRole('link', { name: 'Skipped' }).click()
    await page.getByRole('button', { name: 'Stay' }).click()
    expect(await note.inputValue()).toBe('Hello Ada, shall we?')
    await card('Ada').getByRole('button', { name: 'Copy text' }).click()
    await card('Ada').getByText('Copied').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('Hello Ada, shall we?')
    await page.getByRole('button', { name: 'Invitation sent: Ada' }).click()
    await isGone('Ada')
    await page.getByText('Done: Ada.').waitFor()
    await page.getByRole('link', { name: 'Tasks 3 to do' }).waitFor()
    expect(await taskOf('Ada')).toMatchObject({ status: 'completed', text: 'Hello Ada, shall we?' })
    expect(await prospectOf('Ada')).toMatchObject({ step: 1, next: { step: 2 } })
    await planAll(server.app)
    await page.reload()
    await page.getByRole('article', { name: 'Look at their profile: Ada' }).waitFor()
  })

  it('are done and skipped by keyboard, one after the other', async () => {
    await page.getByRole('button', { name: 'Looked at: Ada' }).click()
    await page.getByText('Done: Ada.').waitFor()
    await card('Ben').waitFor()
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
    const order = (await page.getByRole('article').allInnerTexts()).map(
      text => people.find(({ firstName }) => text.includes(`\n${firstName}\n`))!.firstName,
    )
    const [first, second] = order as [string, string]
    await page.keyboard.press('j')
    await page.keyboard.press('c')
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toBe(`Hi ${first} ${hostile}`)
    // Held down, it repeats itself, and acts on one card all the same.
    for (let n = 0; n < 5; n++) await page.keyboard.down('d')
    await page.keyboard.up('d')
    await isGone(first)
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.querySelector('h2')?.textContent))
      .toBe(second)
    await page.keyboard.press('s')
    await page.getByLabel('Reason').fill('A customer already')
    await page.getByRole('button', { name: 'Skip task' }).click()
    await isGone(second)
    expect(await taskOf(first)).toMatchObject({ status: 'completed', text: `Hi ${first} ${hostile}` })
    expect(await taskOf(second)).toMatchObject({ status: 'skipped', statusReason: 'A customer already' })
    expect(await prospectOf(second)).toMatchObject({ next: { step: 2 } })
    await page.goto('/tasks?status=skipped')
    await card(second).getByText('A customer already').waitFor()
  })

  it('come back with the reason when they could not be done, and wait while they are paused', async () => {
    await page.goto('/tasks')
    const [{ personName: name, id: taskId, linkedinUrl } = { id: '' }] = await tasksOf(campaign, {
      status: 'open',
    })
    await card(name!).waitFor()
    const identifiers = [{ identifier: linkedinUrl! }]
    await campaign.owner.call('addOptOuts', { identifiers, pauseActiveProspects: false })
    await page.getByRole('button', { name: `Invitation sent: ${name}` }).click()
    await card(name!).getByRole('alert').getByText('Do Not Contact list').waitFor()
    expect(await campaign.owner.call('getTask', { taskId })).toMatchObject({ status: 'open' })
    await campaign.owner.call('pauseCampaign', { campaignId: campaign.campaignId })
    await page.reload()
    await page.getByText('Nothing is to be done now; what is below waits.').waitFor()
    await card(name!).getByText('The campaign is paused').waitFor()
    expect(await page.getByRole('link', { name: 'Tasks', exact: true }).count()).toBe(1)
  })

  it('that invite are told as accepted once they are', async () => {
    await page.goto('/tasks?status=completed')
    await page.getByRole('button', { name: 'They accepted: Ada' }).click()
    await card('Ada').getByText('accepted', { exact: true }).waitFor()
    expect(await taskOf('Ada')).toHaveProperty('acceptedAt')
  })

  it('are narrowed to those of a rep by who sees several, and only looked at by a viewer', async () => {
    await campaign.owner.call('createRep', { name: 'Hedy Lamarr' })
    const viewer = await aCaller(server.app, 'viewer', campaign.owner.accountId)
    const theirs = await browser.newPage()
    await giveCookie(theirs, server.url, await server.cookieOf(viewer))
    await theirs.goto('/tasks')
    await theirs.getByRole('article').first().waitFor()
    expect(await theirs.getByRole('button', { name: /Invitation sent|Skip/ }).count()).toBe(0)
    await theirs.getByLabel('Rep').selectOption('Hedy Lamarr')
    await theirs.getByText('Nothing to do').waitFor()
    await theirs.getByLabel('Rep').selectOption('Grace Hopper')
    await theirs.getByRole('article').first().waitFor()
    await theirs.close()
  })

  it('lie one press away on a phone, beside what matters most; the rest is in the menu', async () => {
    await page.setViewportSize({ width: 360, height: 740 })
    const bar = page.getByRole('navigation', { name: 'Main' })
    const heights = await bar
      .getByRole('listitem')
      .filter({ visible: true })
      .evaluateAll(items => items.map(item => item.querySelector('span:nth-of-type(2)')!.clientHeight))
    expect(heights).toHaveLength(4)
    expect(new Set(heights).size).toBe(1)
    await bar.getByRole('button', { name: 'More' }).click()
    await page.getByRole('link', { name: 'Do Not Contact' }).click()
    await page.getByRole('heading', { name: 'Do Not Contact' }).waitFor()
    expect(await page.getByRole('button', { name: 'Sign out' }).isVisible()).toBe(false)
  })

  it('asked no other host, broke no policy and threw nothing', () => {
    expect(browser.faults).toEqual([])
  })
})
