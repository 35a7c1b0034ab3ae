import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { notifyMembers } from '../../src/server/domain/notifications/notify-members.ts'
import { recordProblems } from '../../src/server/domain/reports/record-problems.ts'
import { type Caller, makeCaller } from '../support/app.ts'
import {
  addSessionCookie,
  expectUsable,
  hasChromium,
  openBrowser,
  type TestBrowser,
} from '../support/browser/chromium.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { makeDesk, makeEmail, makeThread } from '../support/campaigns/inbox.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'

const widths = [360, 768, 1440, 1920]

describe.skipIf(!hasChromium())('notifications in the web app', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let owner: Caller
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer({
      SYSTEM_SMTP_URL: 'smtp://127.0.0.1:9',
      SYSTEM_MAIL_FROM: 'overture@acme.example',
      PUBLIC_URL: 'http://127.0.0.1:4400',
    })
    browser = await openBrowser(server.url)
    owner = await makeCaller(server.app)
    page = await browser.newPage()
    await addSessionCookie(page, server.url, await server.createCookie(owner))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const check = async () => {
    await recordProblems(server.app, owner.accountId)
    await notifyMembers(server.app, owner.accountId, new AbortController().signal)
  }
  const rows = () => page.getByRole('list', { name: 'Notifications' }).getByRole('link')

  it('have an empty state', async () => {
    await page.goto('/notifications')
    await page.getByText('No notifications yet').waitFor()
    await expectUsable(page, 'notifications-empty')
  })

  it('appear while the page is open, with their number in the navigation', async () => {
    await page.setViewportSize({ width: 1280, height: 720 })
    const stream = page.waitForResponse(response => response.url().endsWith('/v1/session/events'))
    await page.goto('/notifications')
    await stream
    const desk = await makeDesk(owner)
    const threadId = await makeThread(server.app, owner, desk)
    await makeEmail(server.app, owner, { ...desk, threadId })
    await makeEmail(server.app, owner, { ...desk, threadId, type: 'received', subject: 'Re: Engines' })
    await owner.call('pauseSending', { reason: 'Wrong list' })
    await check()
    await page.getByRole('link', { name: /^Notifications 2/ }).waitFor()
    await rows().filter({ hasText: 'All sending is paused: Wrong list.' }).waitFor()
    await expectUsable(page, 'notifications', widths)
  })

  it('link to their page, which marks them as read', async () => {
    await page.setViewportSize({ width: 1280, height: 720 })
    await rows().filter({ hasText: 'replied' }).press('Enter')
    await page.waitForURL('**/inbox/*')
    await page.getByRole('link', { name: /^Notifications 1/ }).waitFor()
    await expect
      .poll(async () =>
        (await owner.call('listNotifications', { unread: true })).data.map(({ kind }) => kind),
      )
      .toEqual(['problem'])
    await page.goto('/notifications')
    await page.getByRole('button', { name: 'Mark all as read' }).click()
    await expect.poll(async () => (await owner.call('listNotifications', { unread: true })).data).toEqual([])
    await page.getByRole('link', { name: 'Notifications', exact: true }).waitFor()
  })

  it('are configured by kind in the settings, which also set the time of the digest', async () => {
    await page.getByRole('link', { name: 'Choose notifications' }).click()
    const kind = (name: string) =>
      page
        .getByRole('list', { name: 'Kinds of notifications' })
        .getByRole('listitem')
        .filter({ hasText: name })
    const read = () => owner.call('getNotificationSettings', {})
    const checkbox = kind('Completed campaign').getByRole('checkbox')
    // The first change is saved while the second one is still being saved.
    const held = Promise.withResolvers<void>()
    await page.route(/\/notification-settings$/, async route => {
      if (route.request().postDataJSON()?.kinds?.campaign) await held.promise
      await route.continue()
    })
    await kind('New reply').getByRole('combobox').selectOption('In the daily digest')
    await checkbox.uncheck()
    await page.getByText('Saved.').waitFor()
    expect([await checkbox.isChecked(), (await read()).kinds.campaign.isInApp]).toEqual([false, true])
    held.resolve()
    await expect.poll(async () => (await read()).kinds.campaign.isInApp).toBe(false)
    expect((await read()).kinds.reply.email).toBe('digest')
    await page.getByLabel('Sent at').selectOption('07:00')
    await expect.poll(async () => (await read()).digestHour).toBe(7)
    await page.getByText('Everything that needs your attention, and yesterday’s numbers.').waitFor()
    await expectUsable(page, 'settings-notifications', widths)
  })

  it('make no requests to other hosts, violate no policy and throw no errors', () => {
    expect(browser.errors).toEqual([])
  })
})
