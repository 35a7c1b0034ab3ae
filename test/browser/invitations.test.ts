import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  addSessionCookie,
  expectUsable,
  hasChromium,
  openBrowser,
  type TestBrowser,
} from '../support/browser/chromium.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'
import { makeUser, PASSWORD } from '../support/http/sign-in.ts'
import { type MailServer, openMailServer } from '../support/mail/mail-server.ts'
import { findFreePort } from '../support/processes/ports.ts'

const widths = [360, 768, 1280, 1920]

describe.skipIf(!hasChromium())('an invitation in the browser', () => {
  let mailServer: MailServer
  let server: TestServer
  let browser: TestBrowser
  let ada: Page
  beforeAll(async () => {
    buildWeb()
    const origin = `http://localhost:${await findFreePort()}`
    mailServer = await openMailServer(origin)
    server = await openTestServer(mailServer.settings)
    browser = await openBrowser(origin)
    ada = await browser.newPage()
    await addSessionCookie(ada, origin, await server.createCookie(await makeUser(server)))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
    await mailServer?.[Symbol.asyncDispose]()
  })

  const inDialog = (name: string) => ada.getByRole('dialog').getByRole('button', { name, exact: true })

  const invite = async (email: string) => {
    await ada.goto('/settings/members')
    await ada.getByRole('button', { name: 'Invite member', exact: true }).click()
    await ada.getByLabel('Email').fill(email)
    await inDialog('Invite member').click()
  }

  /** Opens the link in the latest email. */
  const openInvitation = async (): Promise<Page> => {
    const [, link = ''] = /(\/invitation\?token=\S+)/.exec(mailServer.emails.at(-1)?.text ?? '') ?? []
    const page = await browser.newPage()
    await page.goto(link)
    return page
  }

  const fillIn = async (page: Page, password: string) => {
    await page.getByLabel('Your name').fill('Grace Hopper')
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Join account', exact: true }).click()
  }

  it('is sent by email, and its recipient sets a password and joins', async () => {
    await invite('grace@navy.example')
    await ada.getByText('Invitation sent to grace@navy.example.').waitFor()
    await ada.getByRole('table', { name: 'Invitations' }).getByText('grace@navy.example').waitFor()
    const grace = await openInvitation()
    await grace.getByRole('heading', { name: 'Join Acme' }).waitFor()
    await grace.getByLabel('Your name').waitFor()
    await expectUsable(grace, 'invitation', widths)
    await fillIn(grace, PASSWORD)
    await grace.getByRole('heading', { name: 'Home' }).waitFor()
  })

  it('opens the joined account for somebody who already uses another account', async () => {
    const { email, accountId } = await makeUser(server, 'hedy@lamarr.example')
    await server.app.owner`update accounts set name = 'Lamarr' where id = ${accountId}`
    await invite(email)
    await ada.getByText(`Invitation sent to ${email}.`).waitFor()
    const hedy = await openInvitation()
    await hedy.getByRole('link', { name: 'I already have a password' }).click()
    await hedy.getByLabel('Email').fill(email)
    await hedy.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await hedy.getByRole('button', { name: 'Sign in', exact: true }).click()
    await hedy.getByRole('button', { name: 'Join account', exact: true }).click()
    await hedy.getByRole('heading', { name: 'Home' }).waitFor()
    await hedy.getByRole('button', { name: /^Acme/ }).waitFor()
  })

  it('is saved and listed when its email could not be sent', async () => {
    mailServer.refused.add('nobody@navy.example')
    await invite('nobody@navy.example')
    await ada.getByText('The invitation is saved, but the email could not be sent.').waitFor()
    await inDialog('Close').click()
    await ada.getByRole('button', { name: 'Revoke invitation for nobody@navy.example' }).waitFor()
  })

  it('asks a user with an unverified address for a new password, and lists what the change revokes', async () => {
    const { email, userId } = await makeUser(server, 'alan@bletchley.example')
    await server.app.owner`update users set email_verified_at = null where id = ${userId}`
    await invite(email)
    await ada.getByText(`Invitation sent to ${email}.`).waitFor()
    const alan = await openInvitation()
    await fillIn(alan, 'not what alan has')
    await alan.getByText(`Incorrect password for ${email}.`).waitFor()
    await expectUsable(alan, 'invitation-user', widths)
    await fillIn(alan, PASSWORD)
    await alan.getByText('removes your API tokens, connected apps, passkeys and authenticator app').waitFor()
    await expectUsable(alan, 'invitation-unverified-user', widths)
    await alan.getByLabel('New password').fill('words that only alan knows')
    await alan.getByRole('button', { name: 'Join account', exact: true }).click()
    await alan.getByRole('heading', { name: 'Home' }).waitFor()
  })

  it('makes no requests to other hosts, violates no policy and throws no errors', () => {
    expect(browser.errors).toEqual([])
  })
})
