import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { getSetupCode } from '../../src/server/domain/auth/sign-in.ts'
import { type Caller, makeCaller } from '../support/app.ts'
import { addSessionCookie, hasChromium, openBrowser, type TestBrowser } from '../support/browser/chromium.ts'
import { hasFocus, tabTo } from '../support/browser/keyboard.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { makeDesk, makeEmail, makeThread } from '../support/campaigns/inbox.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'

const password = 'a few words nobody guesses'

/** The tests run in order on a new installation: each continues where the previous one ended. */
describe.skipIf(!hasChromium())('the app, used by keyboard alone,', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    browser = await openBrowser(server.url)
    page = await browser.newPage({ permissions: ['clipboard-read', 'clipboard-write'] })
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const inDialog = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true })
  const heading = (name: string) => page.getByRole('heading', { name, exact: true })
  const press = (key: string) => page.keyboard.press(key)
  const pressOn = async (target: Locator) => {
    await tabTo(page, target)
    await press('Enter')
  }

  const fill = async (label: string, text: string) => {
    await tabTo(page, page.getByLabel(label, { exact: true }))
    await press('Control+a')
    await page.keyboard.type(text)
  }

  const choose = async (command: string) => {
    const palette = page.getByRole('dialog', { name: 'Command palette' })
    await press('Control+k')
    await palette.waitFor()
    await page.keyboard.type(command)
    await press('Enter')
    await palette.waitFor({ state: 'detached' })
  }

  it('lets the user set up Overture, sign out and sign in', async () => {
    await page.goto(`/setup?code=${getSetupCode(server.app)}`)
    await page.getByLabel('Your name').waitFor()
    expect(await hasFocus(page.getByLabel('Your name'))).toBe(true)
    await page.keyboard.type('Ada Byron')
    await fill('Email', 'ada@acme.example')
    await fill('Password', password)
    await fill('Company', 'Analytical')
    await pressOn(button('Create account'))
    await heading('Home').waitFor()

    await choose('sign out')
    await heading('Sign in').waitFor()
    await page.keyboard.type('ada@acme.example')
    await fill('Password', password)
    await press('Enter')
    await heading('Home').waitFor()
  })

  it('lets the user skip the navigation', async () => {
    await page.goto('/settings/profile')
    await heading('Profile').waitFor()
    await press('Tab')
    expect(await hasFocus(page.getByRole('link', { name: 'Skip to content' }))).toBe(true)
    await press('Enter')
    await press('Tab')
    expect(await page.evaluate(() => document.activeElement?.closest('main') !== null)).toBe(true)
  })

  it('creates, copies and revokes a token, and returns focus to the button that opened a dialog', async () => {
    await choose('api tokens')
    await heading('API tokens').waitFor()
    const create = button('Create token')
    await pressOn(create)
    await page.getByRole('dialog').waitFor()
    await press('Escape')
    await expect.poll(() => hasFocus(create)).toBe(true)

    await press('Enter')
    await expect.poll(() => hasFocus(page.getByLabel('Name', { exact: true }))).toBe(true)
    await page.keyboard.type('Reports')
    await press('Enter')
    const token = await page.getByRole('status', { name: 'API token' }).innerText()
    await pressOn(inDialog('Copy'))
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(token)
    await pressOn(inDialog('Done'))
    await expect.poll(() => hasFocus(create)).toBe(true)

    await pressOn(button('Revoke Reports'))
    await page.getByRole('alertdialog').waitFor()
    await pressOn(button('Revoke token'))
    await page.getByText('Reports revoked.').waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.closest('main') !== null)).toBe(true)
  })

  it('invites a member and changes the role of another', async () => {
    const [{ id }] = await server.app.owner<[{ id: string }]>`select id from accounts`
    const { userId } = await makeCaller(server.app, 'member', id)
    await server.app.owner`update users set name = 'Grace Hopper' where id = ${userId}`
    await choose('members')
    await heading('Members').waitFor()
    await pressOn(button('Invite member'))
    await expect.poll(() => hasFocus(page.getByLabel('Email'))).toBe(true)
    await page.keyboard.type('alan@acme.example')
    await press('Enter')
    await page.getByRole('status', { name: 'Invitation link' }).waitFor()
    await pressOn(inDialog('Done'))
    await expect.poll(() => hasFocus(button('Invite member'))).toBe(true)

    await tabTo(page, page.getByLabel('Role of Grace Hopper'))
    await press('ArrowDown')
    await page.getByText('Grace Hopper is now a manager.').waitFor()
  })

  it('moves between the rows of a table', async () => {
    const rows = page.getByRole('table', { name: 'Members' }).locator('tbody tr')
    await page.reload()
    await tabTo(page, rows.first())
    await press('ArrowDown')
    expect(await hasFocus(rows.last())).toBe(true)
    await press('Home')
    expect(await hasFocus(rows.first())).toBe(true)
    await press('End')
    await press('k')
    expect(await hasFocus(rows.first())).toBe(true)
  })

  it('switches accounts in the menu, and returns focus after the command palette closes', async () => {
    const [{ id: userId }] = await server.app.owner<[{ id: string }]>`
      select id from users where email = 'ada@acme.example'`
    const { accountId } = await makeCaller(server.app)
    await server.app.owner`
      insert into members (account_id, user_id, role) values (${accountId}, ${userId}, 'owner')`
    await page.reload()
    const menu = page.locator('[popovertarget]')
    await tabTo(page, menu)
    await press('Control+k')
    await page.getByRole('combobox', { name: 'Search people, campaigns, pages and actions' }).waitFor()
    await press('Escape')
    await expect.poll(() => hasFocus(menu)).toBe(true)
    await press('Enter')
    await pressOn(page.getByRole('button', { name: /^Acme/ }))
    await heading('Home').waitFor()
    await page.getByRole('button', { name: /^Acme/ }).waitFor()
  })

  it('makes no requests to other hosts, violates no policy and throws no errors', () => {
    expect(browser.errors).toEqual([])
  })
})

describe.skipIf(!hasChromium())('the keyboard shortcuts of lists', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    const owner = await makeCaller(server.app)
    await fillLists(server, owner)
    browser = await openBrowser(server.url)
    page = await browser.newPage()
    await addSessionCookie(page, server.url, await server.createCookie(owner))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const press = (key: string) => page.keyboard.press(key)
  const rows = () => page.locator('[data-list] > li, [data-list] > tbody > tr')
  const focusedText = () => page.evaluate(() => document.activeElement?.textContent ?? '')

  it.each(['/campaigns', '/people', '/inbox', '/tasks', '/calls/requests', '/settings/members'])(
    'work on %s without a click',
    async path => {
      await page.goto(path)
      await rows().first().waitFor()
      await press('j')
      expect(await page.evaluate(() => document.activeElement?.closest('[data-list]') !== null)).toBe(true)
    },
  )

  it('include the arrow keys, even for the first row', async () => {
    await page.goto('/people')
    await rows().nth(1).waitFor()
    await press('ArrowDown')
    expect(await hasFocus(rows().first())).toBe(true)
    await press('ArrowDown')
    expect(await hasFocus(rows().nth(1))).toBe(true)
    await press('ArrowUp')
    expect(await hasFocus(rows().first())).toBe(true)
  })

  it('open a row, move the focus to the opened page, and return it to the row', async () => {
    await page.goto('/campaigns')
    await rows().nth(1).waitFor()
    for (const key of ['j', 'j']) await press(key)
    const name = (await rows().nth(1).getByRole('link').innerText()).trim()
    expect(await focusedText()).toContain(name)
    await press('Enter')
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
    await expect.poll(focusedText).toBe(name)
    await page.goBack()
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('TR')
    expect(await focusedText()).toContain(name)
  })

  it('select the first row', async () => {
    await page.goto('/people')
    await rows().first().waitFor()
    await press('x')
    await page.getByRole('region', { name: 'Selected rows' }).getByText('1 selected').waitFor()
  })

  it('open the conversation below the open conversation', async () => {
    await page.goto('/inbox')
    await rows().nth(1).waitFor()
    const waitUntilOpen = async (index: number) => {
      const path = await rows().nth(index).getByRole('link').getAttribute('href')
      await page.waitForURL(url => url.pathname === path)
    }
    for (const key of ['j', 'Enter']) await press(key)
    await waitUntilOpen(0)
    await press('j')
    await waitUntilOpen(1)
    await rows().nth(1).getByRole('link').press('ArrowUp')
    await waitUntilOpen(0)
  })

  it('open other pages, and are listed', async () => {
    await page.goto('/people')
    await rows().first().waitFor()
    for (const key of ['g', 'i']) await press(key)
    await page.getByRole('heading', { name: 'Inbox', exact: true }).waitFor()
    for (const key of ['g', 't']) await press(key)
    await page.getByRole('heading', { name: 'Tasks', exact: true }).waitFor()
    await press('?')
    const listed = page.getByRole('dialog').locator('dl > div')
    await listed.first().waitFor()
    const texts = (await listed.allInnerTexts()).map(text => text.replaceAll(/\s+/g, ' '))
    expect(texts).toContain('g then c Go to Campaigns')
    expect(texts).toContain('j or ↓ Next row')
    expect(texts).toContain('e Task: mark as done')
    // Keys do nothing while the dialog is open.
    for (const key of ['g', 'c']) await press(key)
    expect(new URL(page.url()).pathname).toBe('/tasks')
    await press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    for (const key of ['g', 'c']) await press(key)
    await page.getByRole('heading', { name: 'Campaigns', exact: true }).waitFor()
  })

  it('are typed as text in a field', async () => {
    await page.goto('/people')
    await rows().first().waitFor()
    await press('/')
    await page.keyboard.type('xjg c')
    expect(await page.evaluate(() => (document.activeElement as HTMLInputElement).value)).toBe('xjg c')
    expect(new URL(page.url()).pathname).toBe('/people')
  })
})

/** Stores at least two rows in each list. */
async function fillLists({ app }: TestServer, owner: Caller): Promise<void> {
  const { call } = owner
  const desk = await makeDesk(owner)
  const { prospectId, repId } = desk
  await call('createCampaign', { name: 'Autumn' })
  const { id: personId } = await call('createPerson', { firstName: 'Ada', phone: '+442079460001' })
  const { id: assistantId } = await call('createAssistant', { name: 'Desk', fromNumber: '+442079460018' })
  await call('updateAccount', { assistantsMayRequestCalls: true })
  for (const title of ['First', 'Second']) {
    const threadId = await makeThread(app, owner, { ...desk, subject: title })
    await makeEmail(app, owner, { ...desk, threadId, subject: title, type: 'received' })
    const dueAt = '2026-01-01T09:00:00Z'
    await call('createTask', { channel: 'other', title, dueAt, personId, repId })
    await call('recordLinkedinMessage', { prospectId, repId, type: 'received', text: title })
  }
  await call('requestCall', { assistantId, name: 'Grace', phoneNumber: '+442079460019', reason: 'Asked' })
}
