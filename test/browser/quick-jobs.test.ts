import { readFile } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { receiveMail } from '../../src/server/engine/receive/receive-mail.ts'
import type { Caller } from '../support/app.ts'
import { giveCookie, hasChromium, openBrowser, type TestBrowser } from '../support/browser/chromium.ts'
import { type ActionCount, countActions } from '../support/browser/count-actions.ts'
import { hasFocus, tabTo } from '../support/browser/keyboard.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'
import { anAnswer } from '../support/mail/answers.ts'
import { aMailCampaign, openWorker } from '../support/mail/mail-campaign.ts'
import { ScriptedSmtp } from '../support/mail/scripted-smtp.ts'
import { readMails } from '../support/mail/sent-mail.ts'

describe.skipIf(!hasChromium())('a job of a moment', () => {
  let server: TestServer
  let browser: TestBrowser
  let owner: Caller
  let letter: string
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
    ;({ owner, letter } = await launchCampaign(server))
    browser = await openBrowser(server.url)
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  async function open(path: string, heading: string): Promise<{ page: Page; count: ActionCount }> {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    const count = await countActions(page)
    await giveCookie(page, server.url, await server.createCookie(owner))
    await page.goto(path)
    await page.getByRole('heading', { name: heading, exact: true }).waitFor()
    return { page, count }
  }

  it('shows everything that happened with a person found by part of their name, in 3 keys and text', async () => {
    const { page, count } = await open('/settings/profile', 'Profile')
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').waitFor()
    await page.keyboard.type('oppe')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Grace Hopper', exact: true }).waitFor()
    const timeline = page.getByRole('list', { name: 'Timeline' })
    for (const text of [
      /^(Hello|A question)$/,
      'Tuesday suits me.',
      'Asked for prices',
      'Met at the fair',
      'Spring',
    ])
      await timeline.getByText(text).first().waitFor()
    expect(count.keys).toBeLessThanOrEqual(3)
    expect(count.clicks).toBe(0)
  })

  it('shows everything that happened with a person found by mouse, in 2 clicks and text', async () => {
    const { page, count } = await open('/settings/profile', 'Profile')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.getByRole('dialog').getByRole('combobox').fill('oppe')
    await page.getByRole('option', { name: /^Grace Hopper/ }).click()
    await page.getByRole('heading', { name: 'Grace Hopper', exact: true }).waitFor()
    await page.getByRole('list', { name: 'Timeline' }).getByText('Tuesday suits me.').waitFor()
    expect(count).toEqual({ clicks: 2, keys: 0 })
  })

  const bounce = async (name: string): Promise<string> => {
    const [firstName = '', lastName = ''] = name.split(' ')
    const { data } = await owner.call('listProspects', {})
    const { id: prospectId, personId } = data.find(({ status }) => status === 'completed')!
    await owner.call('updatePerson', { personId, firstName, lastName })
    await server.app.owner`update email_sends set hard_bounced_at = now() where prospect_id = ${prospectId}`
    await server.app.owner`
      update prospects set status = 'bounced', status_reason = 'hard_bounce' where id = ${prospectId}`
    return prospectId
  }
  const expectResumed = async (page: Page, name: string, prospectId: string) => {
    await page.getByText(`${name} goes on with the sequence.`).waitFor()
    expect((await owner.call('getProspect', { prospectId })).status).toBe('active')
  }

  it('corrects the wrong address of a person so that the sequence goes on, in 4 clicks and text', async () => {
    const prospectId = await bounce('Alan Kay')
    const { page, count } = await open('/', 'Home')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.getByRole('dialog').getByRole('combobox').fill('kay')
    await page.getByRole('option', { name: /^Alan Kay/ }).click()
    await page.getByRole('button', { name: 'Correct address of Alan Kay' }).click()
    await page.getByRole('dialog').getByLabel('Email address').fill('kay@parc.example')
    await page.getByRole('button', { name: 'Save and continue' }).click()
    await expectResumed(page, 'Alan Kay', prospectId)
    expect(count.clicks).toBeLessThanOrEqual(4)
  })

  it('corrects the wrong address of a person by keyboard', async () => {
    const prospectId = await bounce('Adele Goldberg')
    const { page, count } = await open('/', 'Home')
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').waitFor()
    await page.keyboard.type('goldb')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Adele Goldberg', exact: true }).waitFor()
    await tabTo(page, page.getByRole('button', { name: 'Correct address of Adele Goldberg' }))
    await page.keyboard.press('Enter')
    const address = page.getByRole('dialog').getByLabel('Email address')
    await expect.poll(() => hasFocus(address)).toBe(true)
    await page.keyboard.press('Control+a')
    await page.keyboard.type('adele@parc.example')
    await page.keyboard.press('Enter')
    await expectResumed(page, 'Adele Goldberg', prospectId)
    expect(count.clicks).toBe(0)
  })

  async function expectExport(page: Page, act: () => Promise<void>): Promise<void> {
    const [download] = await Promise.all([page.waitForEvent('download'), act()])
    const csv = await readFile(await download.path(), 'utf8')
    const rows: Record<string, string>[] = parse(csv, { columns: true, bom: true })
    expect(rows.find(row => row.Step === `Step 1, ${letter}`)).toMatchObject({ Replied: '1' })
    expect(rows.reduce((sum, { Contacted }) => sum + Number(Contacted), 0)).toBe(6)
  }

  it('shows which variant of a step works best, as CSV, in 4 clicks', async () => {
    const { page, count } = await open('/', 'Home')
    await page.getByRole('link', { name: 'Campaigns', exact: true }).click()
    await page.getByRole('link', { name: 'Spring' }).click()
    await expectExport(page, () => page.getByRole('button', { name: 'Export CSV' }).click())
    expect(count.clicks).toBeLessThanOrEqual(4)
    expect(count.keys).toBe(0)
  })

  it('shows which variant of a step works best, as CSV, by keyboard', async () => {
    const { page, count } = await open('/', 'Home')
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').waitFor()
    await page.keyboard.type('spring')
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByRole('button', { name: 'Export CSV' }))
    await expectExport(page, () => page.keyboard.press('Enter'))
    expect(count.clicks).toBe(0)
  })

  it('pauses all sending in 2 clicks, and shows it until sending is resumed', async () => {
    const { page, count } = await open('/people', 'People')
    await page.locator('[popovertarget]').click()
    await page.getByRole('button', { name: 'Pause all sending' }).click()
    await page.getByText('All sending is paused').waitFor()
    expect(count.clicks).toBeLessThanOrEqual(2)
    expect((await owner.call('getAccount', {})).sendingPausedAt).toBeDefined()
    await page.goto('/settings/profile')
    await page.getByRole('button', { name: 'Resume sending' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Resume sending' }).click()
    await page.getByText('All sending is paused').waitFor({ state: 'detached' })
    expect((await owner.call('getAccount', {})).sendingPausedAt).toBeUndefined()
  })

  it('pauses all sending by keyboard, through the command palette', async () => {
    const { page, count } = await open('/people', 'People')
    await page.keyboard.press('Control+k')
    await page.getByRole('option', { name: 'Pause all sending' }).waitFor()
    await page.keyboard.type('pause all')
    await page.keyboard.press('Enter')
    await page.getByText('All sending is paused').waitFor()
    expect(count).toEqual({ clicks: 0, keys: 2 })
  })

  it('requests no other host, violates no policy and throws nothing', () => {
    expect(browser.faults).toEqual([])
  })
})

/**
 * Launches a campaign with two variants. Grace Hopper replies, and more happens with her. Returns the letter of her
 * variant.
 */
async function launchCampaign({ app }: TestServer): Promise<{ owner: Caller; letter: string }> {
  await using smtp = await ScriptedSmtp.open()
  const variants = ['Hello', 'A question'].map(subject => ({ subject, body: 'Are you hiring?' }))
  const { owner, mailboxIds } = await aMailCampaign(app, [smtp], 6, [{ channel: 'email', variants }])
  await using worker = openWorker(app)
  await worker.work()
  const [mail] = await readMails(smtp)
  await receiveMail(app, {
    ...{ accountId: owner.accountId, mailboxId: mailboxIds[0]! },
    ...{ raw: anAnswer(mail!, 'Tuesday suits me.'), receivedAt: new Date(), folder: 'inbox' as const },
  })
  const { data } = await owner.call('listPersons', { email: mail!.to })
  const personId = data[0]!.id
  await owner.call('updatePerson', { personId, firstName: 'Grace', lastName: 'Hopper' })
  await owner.call('logCall', {
    ...{ personId, phoneNumber: '+442079460019', outcome: 'answered' as const, notes: 'Asked for prices' },
  })
  await owner.call('createNote', { personId, text: 'Met at the fair' })
  return { owner, letter: mail!.mail.subject === 'Hello' ? 'A' : 'B' }
}
