import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  expectUsable,
  hasChromium,
  openBrowser,
  signIn,
  type TestBrowser,
} from '../support/browser/chromium.ts'
import { addTestDevice, type TestDevice } from '../support/browser/passkeys.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'
import { makeUser, PASSWORD, type TestUser } from '../support/http/sign-in.ts'
import { findFreePort } from '../support/processes/ports.ts'

/** The tests run in order: each continues where the previous one ended. */
describe.skipIf(!hasChromium())('the two-step verification and passkey flow', () => {
  let server: TestServer
  let browser: TestBrowser
  let page: Page
  let ada: TestUser & { password: string }
  let secret: string
  let recoveryCodes: string[]
  let device: TestDevice
  beforeAll(async () => {
    buildWeb()
    // Passkeys require a host name instead of an IP address.
    server = await openTestServer({ PUBLIC_URL: `http://localhost:${await findFreePort()}` })
    const url = server.app.config.publicUrl!
    ada = { ...(await makeUser(server)), password: PASSWORD }
    browser = await openBrowser(url)
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
  const signOut = async () => {
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').fill('sign out')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  }
  /** Returns a new code after moving the clock one period forward, because each code is valid once. */
  const nextCode = () => {
    const at = server.app.now().getTime() + 30_000
    server.app.setNow(new Date(at))
    return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at })
  }

  const expectAccessible = async (target: Page) =>
    expectUsable(target, `second-step-${(await target.title()).split(' ')[0]}`)

  it('turns on two-step verification and shows recovery codes once', async () => {
    await button('Turn on two-step verification').click()
    await dialogButton('Continue').click()
    await page.getByRole('img', { name: /^QR code/ }).waitFor()
    await expectAccessible(page)
    secret = await page.getByRole('status', { name: 'Key', exact: true }).innerText()
    await page.getByLabel('Code from the app').fill('123')
    await dialogButton('Turn on two-step verification').click()
    await page.getByText('Must be the code that the app shows now').waitFor()
    await page.getByLabel('Code from the app').fill(nextCode())
    await dialogButton('Turn on two-step verification').click()
    const codes = await page.getByRole('status', { name: 'Recovery codes' }).innerText()
    recoveryCodes = codes.split('\n')
    expect(recoveryCodes).toHaveLength(10)
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    await dialogButton('Done').click()
    await page.getByText('10 of 10 recovery codes left.').waitFor()
  })

  it('asks for a code at sign-in and then opens the requested page', async () => {
    const other = await browser.newPage({ reducedMotion: 'reduce' })
    for (const getCode of [nextCode, () => recoveryCodes[0]!]) {
      await other.goto('/sign-in?next=/settings/members')
      await signIn(other, ada)
      await other.getByRole('heading', { name: 'Enter your code' }).waitFor()
      await expectAccessible(other)
      await other.getByLabel('Code').fill(recoveryCodes[0]!.replaceAll(/./g, 'x'))
      await other.getByRole('button', { name: 'Continue' }).click()
      await other.getByText('Must be the current code').waitFor()
      await other.getByLabel('Code').fill(getCode())
      await other.getByRole('button', { name: 'Continue' }).click()
      await other.getByRole('heading', { name: 'Members' }).waitFor()
    }
  })

  it('adds a passkey and signs in with it alone, without a code', async () => {
    device = await addTestDevice(page)
    await page.reload()
    await button('Add passkey').click()
    await expectAccessible(page)
    await page.getByLabel('Name', { exact: true }).fill('Laptop')
    await dialogButton('Add passkey').click()
    await page.getByText('Laptop added.').waitFor()
    await page.getByText('Never used').waitFor()
    await expectAccessible(page)
    await signOut()
    await button('Sign in with a passkey').click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    await page.goto('/settings/sign-in')
    await page.getByText('just now').last().waitFor()
  })

  it('asks the user to confirm their identity with a passkey before changing sign-in methods', async () => {
    server.app.setNow(new Date(server.app.now().getTime() + 11 * 60_000))
    await button('Turn off two-step verification').click()
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: 'Turn off two-step verification' })
      .click()
    await page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await page.getByText('Nothing was changed. Try again and confirm it’s you.').waitFor()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click()
    await button('Remove Laptop').click()
    await button('Remove passkey').click()
    await dialogButton('Use a passkey').click()
    await page.getByText('Laptop removed.').waitFor()
    await button('Add passkey').click()
    await page.getByLabel('Name', { exact: true }).fill('Laptop')
    await dialogButton('Add passkey').click()
    await page.getByText('Laptop added.').waitFor()
  })

  it('accepts each passkey challenge once and in one browser only', async () => {
    await signOut()
    const sent = page.waitForRequest(request => request.url().endsWith('/v1/session/passkey'))
    await button('Sign in with a passkey').click()
    const data = (await sent).postDataJSON()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    const attacker = await browser.newPage({ reducedMotion: 'reduce' })
    for (const { request } of [page, attacker]) {
      const again = await request.post('/v1/session/passkey', { data })
      expect(again.status()).toBe(401)
      await request.post('/v1/session/passkey/options')
      expect((await request.post('/v1/session/passkey', { data })).status()).toBe(401)
    }
  })

  it('rejects a copied passkey and a device without user verification', async () => {
    const before = await device.copy()
    await signOut()
    await device.setVerified(false)
    await button('Sign in with a passkey').click()
    await page.getByText('The passkey wasn’t used').waitFor()
    await expectAccessible(page)
    await device.setVerified(true)
    await button('Sign in with a passkey').click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    await signOut()
    await device.restore(before)
    await button('Sign in with a passkey').click()
    await page.getByText('This passkey was not accepted.').waitFor()
    await signIn(page, ada)
    await page.getByLabel('Code').fill(nextCode())
    await button('Continue').click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
  })

  it('removes a passkey, which can then no longer be used to sign in', async () => {
    await page.goto('/settings/sign-in')
    await button('Remove Laptop').click()
    await button('Remove passkey').click()
    await page.getByText('Laptop removed.').waitFor()
    await page.getByText('No passkeys yet').waitFor()
    await signOut()
    await button('Sign in with a passkey').click()
    await page.getByText('This passkey was not accepted.').waitFor()
    await page.goto('/sign-in?next=/settings/sign-in')
    await signIn(page, ada)
    await page.getByLabel('Code').fill(nextCode())
    await button('Continue').click()
    await page.getByRole('heading', { name: 'Sign-in' }).waitFor()
  })

  it('turns off two-step verification', async () => {
    await page.reload()
    await page.getByText('9 of 10 recovery codes left.').waitFor()
    await button('Turn off two-step verification').click()
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: 'Turn off two-step verification' })
      .click()
    await page.getByText('Two-step verification turned off.').first().waitFor()
    const other = await browser.newPage({ reducedMotion: 'reduce' })
    await other.goto('/sign-in')
    await signIn(other, ada)
    await other.getByRole('heading', { name: 'Home' }).waitFor()
  })

  it('makes no requests to other hosts, violates no policy and throws no errors', () => {
    expect(browser.errors).toEqual([])
  })
})
