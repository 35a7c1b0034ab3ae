import { parse } from 'csv-parse/sync'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { receiveMail } from '../../../../src/server/engine/receive/receive-mail.ts'
import type { Caller } from '../../app.ts'
import type { TestServer } from '../../http/server.ts'
import { makeReply } from '../../mail/answers.ts'
import { makeMailCampaign, openWorker } from '../../mail/mail-campaign.ts'
import { ScriptedSmtp } from '../../mail/scripted-smtp.ts'
import { readMails } from '../../mail/sent-mail.ts'
import { addSessionCookie, type TestBrowser } from '../chromium.ts'
import { type ActionCount, countActions } from '../count-actions.ts'
import { hasFocus, tabTo, typeOver } from '../keyboard.ts'

/** An account with a campaign, and its owner's browser. `letter` names the variant that Grace Hopper replied to. */
export type Office = { server: TestServer; browser: TestBrowser; owner: Caller; letter: string }

async function open(
  { server, browser, owner }: Office,
  path: string,
  heading: string,
): Promise<AsyncDisposable & { page: Page; count: ActionCount }> {
  const page = await browser.newPage({ baseURL: server.url, viewport: { width: 1440, height: 900 } })
  const count = await countActions(page)
  await addSessionCookie(page, server.url, await server.createCookie(owner))
  await page.goto(path)
  await page.getByRole('heading', { name: heading, exact: true }).waitFor()
  return { page, count, [Symbol.asyncDispose]: () => page.context().close() }
}

/** Types into the search field of the open command palette. */
async function search(page: Page, text: string): Promise<void> {
  await page.getByRole('dialog').getByRole('combobox').waitFor()
  await page.keyboard.type(text)
}

export async function findPersonByKeyboard(office: Office): Promise<void> {
  await using opened = await open(office, '/settings/profile', 'Profile')
  const { page, count } = opened
  await page.keyboard.press('Control+k')
  await search(page, 'oppe')
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
}

export async function findPersonByMouse(office: Office): Promise<void> {
  await using opened = await open(office, '/settings/profile', 'Profile')
  const { page, count } = opened
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await search(page, 'oppe')
  await page.getByRole('option', { name: /^Grace Hopper/ }).click()
  await page.getByRole('heading', { name: 'Grace Hopper', exact: true }).waitFor()
  await page.getByRole('list', { name: 'Timeline' }).getByText('Tuesday suits me.').waitFor()
  expect(count).toEqual({ clicks: 2, keys: 0 })
}

async function bounce({ server, owner }: Office, name: string): Promise<string> {
  const [firstName = '', lastName = ''] = name.split(' ')
  const { data } = await owner.call('listProspects', {})
  const { id: prospectId, personId } = data.find(({ status }) => status === 'completed')!
  await owner.call('updatePerson', { personId, firstName, lastName })
  await server.app.owner`update email_sends set hard_bounced_at = now() where prospect_id = ${prospectId}`
  await server.app.owner`
    update prospects set status = 'bounced', status_reason = 'hard_bounce' where id = ${prospectId}`
  return prospectId
}

async function expectResumed({ owner }: Office, page: Page, name: string, prospectId: string): Promise<void> {
  await page.getByText(`${name} continues the sequence.`).waitFor()
  expect((await owner.call('getProspect', { prospectId })).status).toBe('active')
}

export async function correctAddressByMouse(office: Office): Promise<void> {
  const prospectId = await bounce(office, 'Alan Kay')
  await using opened = await open(office, '/', 'Home')
  const { page, count } = opened
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await search(page, 'kay')
  await page.getByRole('option', { name: /^Alan Kay/ }).click()
  await page.getByRole('button', { name: 'Correct address for Alan Kay' }).click()
  await typeOver(page.getByRole('dialog').getByLabel('Email address'), 'kay@parc.example')
  await page.getByRole('button', { name: 'Save and continue' }).click()
  await expectResumed(office, page, 'Alan Kay', prospectId)
  expect(count.clicks).toBeLessThanOrEqual(4)
}

export async function correctAddressByKeyboard(office: Office): Promise<void> {
  const prospectId = await bounce(office, 'Adele Goldberg')
  await using opened = await open(office, '/', 'Home')
  const { page, count } = opened
  await page.keyboard.press('Control+k')
  await search(page, 'goldb')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Adele Goldberg', exact: true }).waitFor()
  await tabTo(page, page.getByRole('button', { name: 'Correct address for Adele Goldberg' }))
  await page.keyboard.press('Enter')
  const address = page.getByRole('dialog').getByLabel('Email address')
  await expect.poll(() => hasFocus(address)).toBe(true)
  await page.keyboard.press('Control+a')
  await page.keyboard.type('adele@parc.example')
  await page.keyboard.press('Enter')
  await expectResumed(office, page, 'Adele Goldberg', prospectId)
  expect(count.clicks).toBe(0)
}

async function expectExport(
  { browser, letter }: Office,
  page: Page,
  act: () => Promise<void>,
): Promise<void> {
  const csv = await browser.readDownload(page, act)
  const rows: Record<string, string>[] = parse(csv, { columns: true, bom: true })
  expect(rows.find(row => row.Step === `Step 1, ${letter}`)).toMatchObject({ Replied: '1' })
  expect(rows.reduce((sum, { Contacted }) => sum + Number(Contacted), 0)).toBe(6)
}

export async function exportResultsByMouse(office: Office): Promise<void> {
  await using opened = await open(office, '/', 'Home')
  const { page, count } = opened
  await page.getByRole('link', { name: 'Campaigns', exact: true }).click()
  await page.getByRole('link', { name: 'Spring' }).click()
  await expectExport(office, page, () => page.getByRole('button', { name: 'Export CSV' }).click())
  expect(count.clicks).toBeLessThanOrEqual(4)
  expect(count.keys).toBe(0)
}

export async function exportResultsByKeyboard(office: Office): Promise<void> {
  await using opened = await open(office, '/', 'Home')
  const { page, count } = opened
  await page.keyboard.press('Control+k')
  await search(page, 'spring')
  await page.keyboard.press('Enter')
  await tabTo(page, page.getByRole('button', { name: 'Export CSV' }))
  await expectExport(office, page, () => page.keyboard.press('Enter'))
  expect(count.clicks).toBe(0)
}

const isPaused = async ({ owner }: Office): Promise<boolean> =>
  (await owner.call('getAccount', {})).sendingPausedAt !== undefined

async function resume(office: Office, page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Resume sending' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Resume sending' }).click()
  await page.getByText('All sending is paused').waitFor({ state: 'detached' })
  expect(await isPaused(office)).toBe(false)
}

export async function pauseByMouse(office: Office): Promise<void> {
  await using opened = await open(office, '/people', 'People')
  const { page, count } = opened
  await page.locator('[popovertarget]').click()
  await page.getByRole('button', { name: 'Pause all sending' }).click()
  await page.getByText('All sending is paused').waitFor()
  expect(count.clicks).toBeLessThanOrEqual(2)
  expect(await isPaused(office)).toBe(true)
  await page.goto('/settings/profile')
  await resume(office, page)
}

export async function pauseByKeyboard(office: Office): Promise<void> {
  await using opened = await open(office, '/people', 'People')
  const { page, count } = opened
  await page.keyboard.press('Control+k')
  await page.getByRole('option', { name: 'Pause all sending' }).waitFor()
  await page.keyboard.type('pause all')
  await page.keyboard.press('Enter')
  await page.getByText('All sending is paused').waitFor()
  expect(count).toEqual({ clicks: 0, keys: 2 })
  await resume(office, page)
}

/** Launches a campaign with two variants. Grace Hopper replies, and gets a call and a note. */
export async function openOffice(server: TestServer, browser: TestBrowser): Promise<Office> {
  await using smtp = await ScriptedSmtp.open()
  const variants = ['Hello', 'A question'].map(subject => ({ subject, body: 'Are you hiring?' }))
  const steps = [{ channel: 'email' as const, variants }]
  const { owner, mailboxIds } = await makeMailCampaign(server.app, [smtp], 6, steps)
  await using worker = openWorker(server.app)
  await worker.work()
  const [mail] = await readMails(smtp)
  await receiveMail(server.app, {
    ...{ accountId: owner.accountId, mailboxId: mailboxIds[0]! },
    ...{ raw: makeReply(mail!, 'Tuesday suits me.'), receivedAt: new Date(), folder: 'inbox' as const },
  })
  const { data } = await owner.call('listPersons', { email: mail!.to })
  const personId = data[0]!.id
  await owner.call('updatePerson', { personId, firstName: 'Grace', lastName: 'Hopper' })
  await owner.call('logCall', {
    ...{ personId, phoneNumber: '+442079460019', outcome: 'answered' as const, notes: 'Asked for prices' },
  })
  await owner.call('createNote', { personId, text: 'Met at the fair' })
  return { server, browser, owner, letter: mail!.mail.subject === 'Hello' ? 'A' : 'B' }
}
