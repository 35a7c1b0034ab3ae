import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  barriersOf,
  hasChromium,
  openBrowser,
  signIn,
  type TestBrowser,
  takePicture,
} from '../support/chromium.ts'
import { openTestServer, type TestServer } from '../support/server.ts'
import { aUser, PASSWORD, type TestUser } from '../support/sign-in.ts'
import { buildWeb } from '../support/web-build.ts'

/** One after the other: each goes on where the one before ended. */
describe.skipIf(!hasChromium())('somebody who wants more than a password', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let ada: TestUser & { password: string }
  let secret: string
  let recoveryCodes: string[]
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer()
    ada = { ...(await aUser(server)), password: PASSWORD }
    browser = await openBrowser(server.url)
    page = await browser.newPage({ reducedMotion: 'reduce' })
    await page.goto('/sign-in?next=/settings/sign-in')
    await signIn(page, ada)
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const dialogButton = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true })
  /** A step later each time, for a code counts once. */
  const nextCode = () => {
    const at = server.app.now().getTime() + 30_000
    server.app.setNow(new Date(at))
    return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at })
  }

  const expectNoBarriers = async (at: Page) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await at.emulateMedia({ colorScheme })
      for (const width of [360, 1440]) {
        await at.setViewportSize({ width, height: 900 })
        expect(await barriersOf(at), `${colorScheme} ${width}`).toEqual([])
        expect(
          await at.evaluate(() => document.documentElement.scrollWidth - innerWidth),
        ).toBeLessThanOrEqual(0)
        await takePicture(at, `second-step-${(await at.title()).split(' ')[0]}-${width}-${colorScheme}`)
      }
    }
  }

  it('turns on codes of an app, and gets recovery codes once', async () => {
    await button('Turn on codes').click()
    await page.getByLabel('Your password').fill('wrong')
    await dialogButton('Continue').click()
    await page.getByText('Is not your password').waitFor()
    await page.getByLabel('Your password').fill(PASSWORD)
    await dialogButton('Continue').click()
    await page.getByRole('img', { name: /^The key/ }).waitFor()
    await expectNoBarriers(page)
    secret = await page.getByRole('status', { name: 'Key', exact: true }).innerText()
    await page.getByLabel('Code that the app shows').fill('123')
    await dialogButton('Turn on codes').click()
    await page.getByText('Is not the one that the app shows now').waitFor()
    await page.getByLabel('Code that the app shows').fill(nextCode())
    await dialogButton('Turn on codes').click()
    const codes = await page.getByRole('status', { name: 'Recovery codes' }).innerText()
    recoveryCodes = codes.split('\n')
    expect(recoveryCodes).toHaveLength(10)
    await dialogButton('Done').click()
    await page.getByText('10 of 10 recovery codes are left.').waitFor()
  })

  it('is asked for a code from then on, and comes where they wanted to go', async () => {
    const other = await browser.newPage({ reducedMotion: 'reduce' })
    for (const give of [nextCode, () => recoveryCodes[0]!]) {
      await other.goto('/sign-in?next=/settings/members')
      await signIn(other, ada)
      await other.getByRole('heading', { name: 'Enter your code' }).waitFor()
      await expectNoBarriers(other)
      await other.getByLabel('Code').fill(recoveryCodes[0]!.replaceAll(/./g, 'x'))
      await other.getByRole('button', { name: 'Continue' }).click()
      await other.getByText('Is not the one that the app shows now').waitFor()
      await other.getByLabel('Code').fill(give())
      await other.getByRole('button', { name: 'Continue' }).click()
      await other.getByRole('heading', { name: 'Members' }).waitFor()
    }
  })

  it('turns them off', async () => {
    await page.reload()
    await page.getByText('9 of 10 recovery codes are left.').waitFor()
    await button('Turn off codes').click()
    await page.getByLabel('Your password, or a code').fill(nextCode())
    await dialogButton('Turn off codes').click()
    await page.getByText('Codes are off.').first().waitFor()
    const other = await browser.newPage({ reducedMotion: 'reduce' })
    await other.goto('/sign-in')
    await signIn(other, ada)
    await other.getByRole('heading', { name: 'Campaigns' }).waitFor()
  })

  it('never made a page ask another host, break its policy or throw', () => {
    expect(browser.faults).toEqual([])
  })
})
