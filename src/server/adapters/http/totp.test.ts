import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestServer, type TestResponse, type TestServer } from '../../../../test/support/http/server.ts'
import { makeSignedIn, PASSWORD, SignInBrowser } from '../../../../test/support/http/sign-in.ts'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer({ TRUSTED_PROXIES: '127.0.0.1' })
})
afterAll(() => server[Symbol.asyncDispose]())

const START = Date.UTC(2026, 10, 24, 11)
let at = START
const wait = (seconds: number) => {
  at += seconds * 1000
  server.app.setNow(new Date(at))
}
beforeEach(() => wait(3600))

/** Returns the code that the app shows, offset by `steps` of 30 seconds. */
const getCode = (secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at + steps * 30_000 })

const wrongCode = (secret: string): string =>
  getCode(secret).replace(/./g, digit => String((Number(digit) + 5) % 10))

/** Creates a user whose sign-in requires a code. */
async function makeUserWithTotp() {
  const { browser, ...user } = await makeSignedIn(server)
  const proposed = await browser.send('POST', '/user/totp')
  const { secret, setUp, uri } = proposed.body as { secret: string; setUp: string; uri: string }
  const code = getCode(secret)
  const { body } = await browser.send('POST', '/user/totp/confirm', { setUp, code })
  const { recoveryCodes } = body as { recoveryCodes: string[] }
  wait(30)
  return { ...user, browser, secret, uri, setUp, code, recoveryCodes }
}

/** Returns a browser that has sent the correct password and must send a code next. */
async function sendPassword(email: string): Promise<SignInBrowser> {
  const browser = new SignInBrowser(server)
  expect((await browser.signIn(email)).body).toEqual({ isCodeNeeded: true })
  return browser
}

const submitCode = (browser: SignInBrowser, code: string, address = '192.0.2.1'): Promise<TestResponse> =>
  browser.send('POST', '/session/code', { code }, { 'x-forwarded-for': address })

describe('authenticator app code', () => {
  it('is required after the password, before there is a session', async () => {
    const { email, secret } = await makeUserWithTotp()
    const browser = await sendPassword(email)
    expect(await browser.isSignedIn()).toBe(false)
    expect((await browser.send('GET', '/campaigns')).status).toBe(401)
    expect((await submitCode(browser, wrongCode(secret))).body).toMatchObject({ details: [{ path: 'code' }] })
    expect(await browser.isSignedIn()).toBe(false)
    expect((await submitCode(browser, getCode(secret))).body).toMatchObject({ user: { email } })
    expect(await browser.isSignedIn()).toBe(true)
  })

  it('may be at most one step early or late', async () => {
    const { email, secret } = await makeUserWithTotp()
    for (const [steps, status] of [
      [-2, 400],
      [2, 400],
      [-1, 200],
      [0, 200],
      [1, 200],
    ] as const) {
      wait(120)
      expect([steps, (await submitCode(await sendPassword(email), getCode(secret, steps))).status]).toEqual([
        steps,
        status,
      ])
    }
  })

  it('works once, even if used for setup, and invalidates earlier codes', async () => {
    const { email, secret, code } = await makeUserWithTotp()
    expect((await submitCode(await sendPassword(email), code)).status).toBe(400)
    const current = getCode(secret)
    const browsers = await Promise.all([sendPassword(email), sendPassword(email)])
    const responses = await Promise.all(browsers.map(browser => submitCode(browser, current)))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400])
    expect((await submitCode(await sendPassword(email), getCode(secret, -1))).status).toBe(400)
  })

  it('works only in the browser that sent the password, for ten minutes', async () => {
    const { email, secret } = await makeUserWithTotp()
    expect((await submitCode(new SignInBrowser(server), getCode(secret))).status).toBe(401)
    const late = await sendPassword(email)
    wait(600)
    expect((await submitCode(late, getCode(secret))).status).toBe(401)
    const browser = await sendPassword(email)
    const thief = new SignInBrowser(server)
    thief.copyCookie('overture-code', browser)
    expect((await submitCode(browser, getCode(secret))).status).toBe(200)
    wait(30)
    expect((await submitCode(thief, getCode(secret))).status).toBe(401)
  })

  it('is rejected when the password has changed since the first step', async () => {
    const { email, secret, browser } = await makeUserWithTotp()
    const before = await sendPassword(email)
    const change = { currentPassword: PASSWORD, newPassword: 'another long one' }
    expect((await browser.send('POST', '/user/password', change)).status).toBe(200)
    expect((await submitCode(before, getCode(secret))).status).toBe(401)
  })
})

describe('wrong codes after the correct password', () => {
  let networks = 0
  const newAddress = () => `2001:db8:0:${(++networks).toString(16)}::1`

  /** Sends wrong codes, each from a new address by default, and returns the response statuses. */
  async function guess(email: string, secret: string, count: number, address?: string): Promise<number[]> {
    const thief = await sendPassword(email)
    const statuses: number[] = []
    for (let n = 0; n < count; n++) {
      statuses.push((await submitCode(thief, wrongCode(secret), address ?? newAddress())).status)
    }
    return statuses
  }

  it('lock out an address for a day after ten, but no other address', async () => {
    const { email, secret } = await makeUserWithTotp()
    const address = newAddress()
    expect(await guess(email, secret, 11, address)).toEqual([...Array(10).fill(400), 429])
    const refused = await submitCode(await sendPassword(email), getCode(secret), address)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(23 * 3600)
    expect((await submitCode(await sendPassword(email), getCode(secret), newAddress())).status).toBe(200)
  })

  it('lock out all addresses after fifty, not counting correct codes', async () => {
    const { email, secret } = await makeUserWithTotp()
    expect((await submitCode(await sendPassword(email), getCode(secret))).status).toBe(200)
    expect(await guess(email, secret, 51)).toEqual([...Array(50).fill(400), 429])
    wait(30)
    expect((await submitCode(await sendPassword(email), getCode(secret), newAddress())).status).toBe(429)
  })

  it('do not lock out recovery codes or known browsers', async () => {
    const { email, secret, browser, recoveryCodes } = await makeUserWithTotp()
    const address = newAddress()
    await guess(email, secret, 11, address)
    await guess(email, secret, 41)
    expect((await submitCode(await sendPassword(email), recoveryCodes[0]!, address)).status).toBe(200)
    const confirmed = await browser.send('POST', '/session/confirm', { code: getCode(secret) })
    expect(confirmed.status).toBe(200)
    wait(30)
    await browser.send('DELETE', '/session')
    expect((await browser.signIn(email)).body).toEqual({ isCodeNeeded: true })
    expect((await submitCode(browser, getCode(secret), address)).status).toBe(200)
  })

  it('count toward the limit in a browser known from before the authenticator app was turned on', async () => {
    const { browser, email } = await makeSignedIn(server)
    const thief = new SignInBrowser(server)
    await thief.signIn(email)
    const { body } = await browser.send('POST', '/user/totp')
    const { secret, setUp } = body as { secret: string; setUp: string }
    await browser.send('POST', '/user/totp/confirm', { setUp, code: getCode(secret) })
    wait(30)
    await guess(email, secret, 50)
    expect((await thief.signIn(email)).body).toEqual({ isCodeNeeded: true })
    expect((await submitCode(thief, getCode(secret), newAddress())).status).toBe(429)
  })

  it('are limited to fifty in a known browser', async () => {
    const { email, secret, browser } = await makeUserWithTotp()
    await browser.send('DELETE', '/session')
    await browser.signIn(email)
    const statuses: number[] = []
    for (let n = 0; n < 51; n++)
      statuses.push((await submitCode(browser, wrongCode(secret), newAddress())).status)
    expect(statuses).toEqual([...Array(50).fill(400), 429])
  })
})

describe('recovery code', () => {
  it('replaces a code once, in any spelling', async () => {
    const { email, recoveryCodes, browser } = await makeUserWithTotp()
    expect(recoveryCodes).toHaveLength(10)
    expect(new Set(recoveryCodes).size).toBe(10)
    const [first, second] = recoveryCodes as [string, string]
    expect((await submitCode(await sendPassword(email), first)).status).toBe(200)
    expect((await submitCode(await sendPassword(email), first)).status).toBe(400)
    expect(
      (await submitCode(await sendPassword(email), ` ${second.toUpperCase().replaceAll('-', ' ')}`)).status,
    ).toBe(200)
    expect((await browser.send('GET', '/user/sign-in')).body).toEqual({
      hasPassword: true,
      recoveryCodesLeft: 8,
      passkeys: [],
      confirmWays: ['password', 'code'],
    })
  })

  it('is rejected if it belongs to another user', async () => {
    const { recoveryCodes } = await makeUserWithTotp()
    const { email } = await makeUserWithTotp()
    expect((await submitCode(await sendPassword(email), recoveryCodes[0]!)).status).toBe(400)
  })
})

describe('authenticator app', () => {
  it('is turned on only with a correct code from the same user within an hour', async () => {
    const { browser, email } = await makeSignedIn(server)
    const { body } = await browser.send('POST', '/user/totp')
    const { secret, uri, setUp } = body as { secret: string; uri: string; setUp: string }
    expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(uri).toContain(`otpauth://totp/Overture:${encodeURIComponent(email)}?`)
    expect(uri).toContain(`secret=${secret}`)
    const confirm = (who: SignInBrowser, code: string) =>
      who.send('POST', '/user/totp/confirm', { setUp, code })
    expect((await confirm(browser, wrongCode(secret))).status).toBe(400)
    expect((await confirm((await makeSignedIn(server)).browser, getCode(secret))).status).toBe(400)
    const { body: own } = await browser.send('GET', '/user/sign-in')
    expect(own).toEqual({ hasPassword: true, passkeys: [], confirmWays: ['password'] })
    wait(3600)
    await browser.send('POST', '/session/confirm', { password: PASSWORD })
    expect((await confirm(browser, getCode(secret))).status).toBe(400)
  })

  it('ends sessions opened without a code and renews the current one', async () => {
    const { browser, email } = await makeSignedIn(server)
    const phone = new SignInBrowser(server)
    await phone.signIn(email)
    const { body } = await browser.send('POST', '/user/totp')
    const { secret, setUp } = body as { secret: string; setUp: string }
    const { cookie } = browser
    expect((await browser.send('POST', '/user/totp/confirm', { setUp, code: getCode(secret) })).status).toBe(
      200,
    )
    expect(await browser.isSignedIn()).toBe(true)
    expect(browser.cookie).not.toBe(cookie)
    expect(await phone.isSignedIn()).toBe(false)
    const { status } = await server.request('GET', '/campaigns', { headers: { cookie } })
    expect(status).toBe(401)
  })

  it('cannot be replaced without turning it off first', async () => {
    const { browser } = await makeUserWithTotp()
    const { body } = await browser.send('POST', '/user/totp')
    const { secret, setUp } = body as { secret: string; setUp: string }
    const { status } = await browser.send('POST', '/user/totp/confirm', { setUp, code: getCode(secret) })
    expect(status).toBe(409)
  })

  it('can be turned off after a recent sign-in, which is audited', async () => {
    const { browser, email } = await makeUserWithTotp()
    expect((await browser.send('POST', '/user/totp/turn-off')).status).toBe(200)
    expect((await new SignInBrowser(server).signIn(email)).body).toMatchObject({ user: { email } })
    const { body } = await browser.send('GET', '/audit-log')
    const { data } = body as { data: object[] }
    expect(data).toMatchObject([
      { action: 'disable_totp', userEmail: email, actor: expect.stringMatching(/^session:/) },
      { action: 'enable_totp', userEmail: email, actor: expect.stringMatching(/^session:/) },
    ])
  })

  it('stores no readable secrets or codes in the database', async () => {
    const { secret, recoveryCodes, email } = await makeUserWithTotp()
    await sendPassword(email)
    const rows = await server.app.owner<{ row: string }[]>`
      select encode(secret, 'escape') as row from authenticator_apps
      union all select encode(code_hash, 'escape') from recovery_codes
      union all select t::text from sign_in_attempts t`
    const all = rows.map(({ row }) => row).join('\n')
    for (const text of [secret, ...recoveryCodes]) expect(all).not.toContain(text)
  })

  it('cannot be managed with an API token', async () => {
    const { userId } = await makeUserWithTotp()
    const token = await server.createToken({ userId })
    for (const [method, path] of [
      ['GET', '/user/sign-in'],
      ['POST', '/user/totp'],
      ['POST', '/user/totp/turn-off'],
    ] as const) {
      const { status } = await server.request(method, path, { token, ...(method === 'POST' && { body: {} }) })
      expect([path, status]).toEqual([path, 401])
    }
  })
})
