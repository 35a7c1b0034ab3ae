import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createResetToken } from '../../src/server/domain/auth/password-resets.ts'
import { getSetupCode } from '../../src/server/domain/auth/sign-in.ts'
import {
  expectUsable,
  hasChromium,
  openBrowser,
  signIn,
  type TestBrowser,
} from '../support/browser/chromium.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'

const ada = { email: 'ada@acme.example', password: 'a few words nobody guesses' }
const newPassword = 'words that are new to everybody'
const grace = { email: 'grace@acme.example', password: 'other words nobody guesses' }

/** The tests run in order on a new installation: each continues where the previous one ended. */
describe.skipIf(!hasChromium())('the sign-in and account flow', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    browser = await openBrowser(server.url)
    page = await browser.newPage({
      permissions: ['clipboard-read', 'clipboard-write'],
      timezoneId: 'Europe/Lisbon',
    })
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const dialogButton = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true })
  const heading = (name: string) => page.getByRole('heading', { name, exact: true })

  it('redirects to the setup page, which needs the link printed at startup', async () => {
    await page.goto('/settings/members')
    await page.getByText('Open the link that Overture printed').waitFor()
    await page.goto(`/setup?code=${getSetupCode(server.app)}`)
    await button('Create account').click()
    await page.getByText('This field is required').first().waitFor()
    await page.getByLabel('Your name').fill('Ada Byron')
    await page.getByLabel('Email').fill(ada.email)
    await page.getByLabel('Password', { exact: true }).fill(ada.password)
    await page.getByLabel('Company').fill('Analytical')
    // The browser's time zone is preselected; another zone is found by country and chosen by keyboard.
    const timezone = page.getByRole('combobox', { name: 'Time zone' })
    expect(await timezone.inputValue()).toMatch(/^Lisbon \(UTC\+0[01]:00\)$/)
    await timezone.fill('india')
    await page.getByRole('option', { name: 'Kolkata' }).waitFor()
    await page.keyboard.press('Enter')
    expect(await timezone.inputValue()).toBe('Kolkata (UTC+05:30)')
    // Searching without choosing an option keeps the time zone.
    await timezone.fill('lisb')
    await page.keyboard.press('Tab')
    expect(await timezone.inputValue()).toBe('Kolkata (UTC+05:30)')
    expect(await page.getByLabel('Country').inputValue()).toBe('PT')
    await page.getByLabel('Country').selectOption('United Kingdom')
    await page.getByLabel('Postal address').fill('12 St James Square, London')
    await page.getByLabel('Password', { exact: true }).press('Enter')
    await heading('Home').waitFor()
    const account = await page.evaluate(async () => (await fetch('/v1/account')).json())
    expect(account).toMatchObject({
      timezone: 'Asia/Kolkata',
      defaultCountry: 'GB',
      postalAddress: '12 St James Square, London',
      optOutLine: 'If this is not for you, tell us here.',
    })
  })

  it('signs out and in again, and opens the requested page', async () => {
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').fill('sign out')
    await page.keyboard.press('Enter')
    await heading('Sign in').waitFor()
    await page.goto('/settings/api-tokens')
    await signIn(page, { ...ada, password: 'wrong' })
    await page.getByText('Incorrect email address or password.').waitFor()
    await signIn(page, ada)
    await heading('API tokens').waitFor()
  })

  it('creates a token, which is shown once and works until it is revoked', async () => {
    await button('Create token').click()
    await page.getByLabel('Name', { exact: true }).fill('Reports')
    await dialogButton('Create token').click()
    const token = await page.getByRole('status', { name: 'API token' }).innerText()
    await dialogButton('Copy').click()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(token)
    await dialogButton('Done').click()
    expect(await page.content()).not.toContain(token)
    expect((await server.request('GET', '/campaigns', { token })).status).toBe(200)

    await button('Revoke Reports').click()
    await page.getByRole('button', { name: 'Revoke token' }).click()
    await page.getByText('Reports revoked.').waitFor()
    await expect.poll(async () => (await server.request('GET', '/campaigns', { token })).status).toBe(401)
  })

  it('asks the user to confirm their identity before creating a token when the sign-in is not recent', async () => {
    server.app.setNow(new Date(Date.now() + 11 * 60_000))
    await button('Create token').click()
    await page.getByLabel('Name', { exact: true }).fill('Exports')
    await dialogButton('Create token').click()
    const create = page.getByRole('dialog', { includeHidden: true }).filter({ hasText: 'Read-only' })
    const opacity = () => create.evaluate(element => getComputedStyle(element).opacity)
    await heading('Confirm it’s you').waitFor()
    await expect.poll(opacity, { message: 'the dialog below is visible' }).toBe('0')
    await expectUsable(page, 'confirm-dialog', [360, 768, 1280, 1920])
    await page.getByLabel('Your password').fill('wrong')
    await dialogButton('Confirm').click()
    await page.getByText('That password is incorrect.').waitFor()
    await page.keyboard.press('Escape')
    await heading('Confirm it’s you').waitFor({ state: 'detached' })
    await expect.poll(opacity).toBe('1')
    await dialogButton('Create token').click()
    await page.getByLabel('Your password').fill(ada.password)
    await page.getByLabel('Your password').press('Enter')
    const token = await page.getByRole('status', { name: 'API token' }).innerText()
    expect((await server.request('GET', '/campaigns', { token })).status).toBe(200)
    await dialogButton('Done').click()
    await button('Revoke Exports').waitFor()
  })

  it('invites a member by link, changes their role and undoes the change', async () => {
    await page.goto('/settings/members')
    await button('Invite member').click()
    await page.getByLabel('Email').fill(grace.email)
    await dialogButton('Invite member').click()
    const link = await page.getByRole('status', { name: 'Invitation link' }).innerText()
    await dialogButton('Done').click()

    const gracePage = await browser.newPage()
    await gracePage.goto(`/invitation${new URL(link).search}`)
    await gracePage.getByLabel('Your name').fill('Grace Hopper')
    await gracePage.getByLabel('Password', { exact: true }).fill(grace.password)
    await gracePage.getByRole('button', { name: 'Join account' }).click()
    await gracePage.getByRole('heading', { name: 'Home' }).waitFor()
    // Leaves the app, because an open page may detect the removal at any time and redirect to the sign-in page.
    await gracePage.goto('about:blank')

    await page.reload()
    const role = page.getByLabel('Role of Grace Hopper')
    await role.selectOption('manager')
    await page.getByText('Grace Hopper is now a manager.').waitFor()
    await button('Undo').click()
    await expect.poll(() => role.inputValue()).toBe('member')

    await button('Remove Grace Hopper').click()
    await page.getByRole('button', { name: 'Remove member' }).click()
    await page.getByText('Grace Hopper is no longer a member.').waitFor()
    await gracePage.goto('/campaigns')
    await gracePage.getByText('You don’t have access to an account').waitFor()
  })

  it('asks before leaving with unsaved changes', async () => {
    await page.goto('/settings/account')
    await page.getByLabel('Name', { exact: true }).fill('Analytical Engines')
    await page.getByRole('link', { name: 'Profile' }).click()
    await button('Stay on page').click()
    await button('Save account').click()
    await page.getByText('Account saved.').waitFor()
    await page.getByRole('link', { name: 'Profile' }).click()
    await heading('Profile').waitFor()
    await page.getByRole('button', { name: 'Analytical Engines' }).waitFor()
  })

  it('changes the password and stays signed in only in this browser', async () => {
    const other = await browser.newPage()
    await other.goto('/sign-in')
    await signIn(other, ada)
    await other.getByRole('heading', { name: 'Home' }).waitFor()
    await page.getByLabel('Current password').fill('wrong')
    await page.getByLabel('New password').fill(newPassword)
    await button('Change password').click()
    await page.getByText('That password is incorrect.').waitFor()
    await page.getByLabel('Current password').fill(ada.password)
    await button('Change password').click()
    await page.getByText('Password changed.').waitFor()
    await page.getByRole('link', { name: 'Sessions' }).click()
    await page.getByText('Current', { exact: true }).waitFor()
    await other.reload()
    await other.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  it('saves from another tab after the password is changed, but not after another user signs in', async () => {
    const tab = await page.context().newPage()
    await tab.goto('/settings/profile')
    const name = tab.getByLabel('Name', { exact: true })
    await name.fill('Ada King')
    const signInElsewhere = (user: { email: string; password: string }) =>
      page.evaluate(async data => {
        const headers = { 'content-type': 'application/json' }
        const body = JSON.stringify(data)
        return (await fetch('/v1/session', { method: 'POST', headers, body })).status
      }, user)
    const saveName = tab.getByRole('button', { name: 'Save name' })
    expect(await signInElsewhere({ ...ada, password: newPassword })).toBe(200)
    await saveName.click()
    await tab.getByText('Name saved.').waitFor()
    await name.fill('Ada Lovelace')
    expect(await signInElsewhere(grace)).toBe(200)
    await saveName.click()
    await tab.getByText('another session. Reload the page.').waitFor()
    const users = await server.app.owner`select name from users order by name`
    expect(users.map(user => user.name)).toEqual(['Ada King', 'Grace Hopper'])
  })

  it('shows the command that creates a reset link when the server sends no email', async () => {
    const fresh = await browser.newPage()
    await fresh.goto('/sign-in')
    await fresh.getByRole('link', { name: 'Forgot your password?' }).click()
    await fresh.getByText('This server does not send email.').waitFor()
    await fresh.getByText('overture user reset-password').waitFor()
    expect(await fresh.getByRole('button', { name: 'Send link' }).count()).toBe(0)
    await expectUsable(fresh, 'reset-without-mail', [360, 768, 1280, 1920])
    await fresh.context().close()
  })

  it('resets the password with a link that shows the user’s address, and confirms the change at sign-in', async () => {
    const { db, keys, now } = server.app
    const { token } = (await createResetToken(db.auth, keys, { email: ada.email, now: now() }))!
    const fresh = await browser.newPage()
    await fresh.goto(`/reset?token=${token}`)
    await fresh.getByText(`For ${ada.email}.`).waitFor()
    await expectUsable(fresh, 'reset', [360, 768, 1280, 1920])
    await fresh.getByLabel('New password').fill(ada.password)
    await fresh.getByRole('button', { name: 'Change password' }).click()
    await fresh.getByText('Your password was changed. Sign in with the new one.').waitFor()
    await expectUsable(fresh, 'reset-done', [360, 768, 1280, 1920])
    await signIn(fresh, { ...ada, password: 'wrong' })
    await fresh.getByText('Incorrect email address or password.').waitFor()
    expect(await fresh.getByText('Request ID', { exact: true }).count()).toBe(0)
    await expectUsable(fresh, 'sign-in-wrong', [360, 768, 1280, 1920])
    await signIn(fresh, ada)
    await fresh.getByRole('heading', { name: 'Home' }).waitFor()

    await fresh.goto(`/reset?token=${token}`)
    await fresh.getByText('This link was used, has expired or is incomplete.').waitFor()
    expect(await fresh.getByLabel('New password').count()).toBe(0)
    expect(await fresh.getByRole('button').count()).toBe(0)
    await expectUsable(fresh, 'reset-used', [360, 768, 1280, 1920])
    await fresh.getByRole('link', { name: 'Request a new link' }).click()
    await fresh.getByRole('heading', { name: 'Forgot your password?' }).waitFor()
    await fresh.context().close()
  })

  it('makes no requests to other hosts, violates no policy and throws no errors', () => {
    expect(browser.errors).toEqual([])
  })
})
