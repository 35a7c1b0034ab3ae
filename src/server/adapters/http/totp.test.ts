import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestServer, type Reply, type TestServer } from '../../../../test/support/http/server.ts'
import { aSignedIn, PASSWORD, SignInBrowser } from '../../../../test/support/http/sign-in.ts'

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

/** What the app shows, `steps` of half a minute from now. */
const shown = (secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at + steps * 30_000 })

const wrong = (secret: string): string =>
  shown(secret).replace(/./g, digit => String((Number(digit) + 5) % 10))

/** A user whose sign-in needs a code. */
async function withCodes() {
  const { browser, ...user } = await aSignedIn(server)
  const proposed = await browser.send('POST', '/user/codes')
  const { secret, setUp, uri } = proposed.body as { secret: string; setUp: string; uri: string }
  const code = shown(secret)
  const { body } = await browser.send('POST', '/user/codes/confirm', { setUp, code })
  const { recoveryCodes } = body as { recoveryCodes: string[] }
  wait(30)
  return { ...user, browser, secret, uri, setUp, code, recoveryCodes }
}

/** A browser whose password was right. */
async function afterPassword(email: string): Promise<SignInBrowser> {
  const browser = new SignInBrowser(server)
  expect((await browser.signIn(email)).body).toEqual({ isCodeNeeded: true })
  return browser
}

const give = (browser: SignInBrowser, code: string, address = '192.0.2.1'): Promise<Reply> =>
  browser.send('POST', '/session/code', { code }, { 'x-forwarded-for': address })

describe('a code of an authenticator app', () => {
  it('is asked for after the password, and there is no session before it', async () => {
    const { email, secret } = await withCodes()
    const browser = await afterPassword(email)
    expect(await browser.isSignedIn()).toBe(false)
    expect((await browser.send('GET', '/campaigns')).status).toBe(401)
    expect((await give(browser, wrong(secret))).body).toMatchObject({ details: [{ path: 'code' }] })
    expect(await browser.isSignedIn()).toBe(false)
    expect((await give(browser, shown(secret))).body).toMatchObject({ user: { email } })
    expect(await browser.isSignedIn()).toBe(true)
  })

  it('may be one step early or late, and no more', async () => {
    const { email, secret } = await withCodes()
    for (const [steps, status] of [
      [-2, 400],
      [2, 400],
      [-1, 200],
      [0, 200],
      [1, 200],
    ] as const) {
      wait(120)
      expect([steps, (await give(await afterPassword(email), shown(secret, steps))).status]).toEqual([
        steps,
        status,
      ])
    }
  })

  it('counts once, also when it turned codes on, and none before it counts any more', async () => {
    const { email, secret, code } = await withCodes()
    expect((await give(await afterPassword(email), code)).status).toBe(400)
    const present = shown(secret)
    const browsers = await Promise.all([afterPassword(email), afterPassword(email)])
    const replies = await Promise.all(browsers.map(browser => give(browser, present)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400])
    expect((await give(await afterPassword(email), shown(secret, -1))).status).toBe(400)
  })

  it('counts in the browser alone that gave the password, for ten minutes', async () => {
    const { email, secret } = await withCodes()
    expect((await give(new SignInBrowser(server), shown(secret))).status).toBe(401)
    const late = await afterPassword(email)
    wait(600)
    expect((await give(late, shown(secret))).status).toBe(401)
    const browser = await afterPassword(email)
    const thief = new SignInBrowser(server)
    thief.steal('overture-code', browser)
    expect((await give(browser, shown(secret))).status).toBe(200)
    wait(30)
    expect((await give(thief, shown(secret))).status).toBe(401)
  })

  it('is asked of nobody who has a new password since', async () => {
    const { email, secret, browser } = await withCodes()
    const before = await afterPassword(email)
    const change = { currentPassword: PASSWORD, newPassword: 'another long one' }
    expect((await browser.send('POST', '/user/password', change)).status).toBe(200)
    expect((await give(before, shown(secret))).status).toBe(401)
  })
})

describe('wrong codes of who knows the password', () => {
  let networks = 0
  const newAddress = () => `2001:db8:0:${(++networks).toString(16)}::1`

  /** Gives so many wrong codes, from new addresses unless all come from one; tells how each was answered. */
  async function guess(email: string, secret: string, count: number, address?: string): Promise<number[]> {
    const thief = await afterPassword(email)
    const statuses: number[] = []
    for (let n = 0; n < count; n++) {
      statuses.push((await give(thief, wrong(secret), address ?? newAddress())).status)
    }
    return statuses
  }

  it('end for a day after ten from one address, which leaves other addresses free', async () => {
    const { email, secret } = await withCodes()
    const address = newAddress()
    expect(await guess(email, secret, 11, address)).toEqual([...Array(10).fill(400), 429])
    const refused = await give(await afterPassword(email), shown(secret), address)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(23 * 3600)
    expect((await give(await afterPassword(email), shown(secret), newAddress())).status).toBe(200)
  })

  it('end after fifty from everywhere, and right ones do not count', async () => {
    const { email, secret } = await withCodes()
    expect((await give(await afterPassword(email), shown(secret))).status).toBe(200)
    expect(await guess(email, secret, 51)).toEqual([...Array(50).fill(400), 429])
    wait(30)
    expect((await give(await afterPassword(email), shown(secret), newAddress())).status).toBe(429)
  })

  it('keep nobody out who has a recovery code or a browser that they signed in with', async () => {
    const { email, secret, browser, recoveryCodes } = await withCodes()
    const address = newAddress()
    await guess(email, secret, 11, address)
    await guess(email, secret, 41)
    expect((await give(await afterPassword(email), recoveryCodes[0]!, address)).status).toBe(200)
    const confirmed = await browser.send('POST', '/session/confirm', { code: shown(secret) })
    expect(confirmed.status).toBe(200)
    wait(30)
    await browser.send('DELETE', '/session')
    expect((await browser.signIn(email)).body).toEqual({ isCodeNeeded: true })
    expect((await give(browser, shown(secret), address)).status).toBe(200)
  })

  it('are counted alike in a browser that was signed in before codes were on', async () => {
    const { browser, email } = await aSignedIn(server)
    const thief = new SignInBrowser(server)
    await thief.signIn(email)
    const { body } = await browser.send('POST', '/user/codes')
    const { secret, setUp } = body as { secret: string; setUp: string }
    await browser.send('POST', '/user/codes/confirm', { setUp, code: shown(secret) })
    wait(30)
    await guess(email, secret, 50)
    expect((await thief.signIn(email)).body).toEqual({ isCodeNeeded: true })
    expect((await give(thief, shown(secret), newAddress())).status).toBe(429)
  })

  it('are bounded in a known browser, too', async () => {
    const { email, secret, browser } = await withCodes()
    await browser.send('DELETE', '/session')
    await browser.signIn(email)
    const statuses: number[] = []
    for (let n = 0; n < 51; n++) statuses.push((await give(browser, wrong(secret), newAddress())).status)
    expect(statuses).toEqual([...Array(50).fill(400), 429])
  })
})

describe('a recovery code', () => {
  it('takes the place of a code, once, however it is typed', async () => {
    const { email, recoveryCodes, browser } = await withCodes()
    expect(recoveryCodes).toHaveLength(10)
    expect(new Set(recoveryCodes).size).toBe(10)
    const [first, second] = recoveryCodes as [string, string]
    expect((await give(await afterPassword(email), first)).status).toBe(200)
    expect((await give(await afterPassword(email), first)).status).toBe(400)
    expect(
      (await give(await afterPassword(email), ` ${second.toUpperCase().replaceAll('-', ' ')}`)).status,
    ).toBe(200)
    expect((await browser.send('GET', '/user/sign-in')).body).toEqual({
      hasPassword: true,
      recoveryCodesLeft: 8,
      passkeys: [],
      confirmWays: ['password', 'code'],
    })
  })

  it('of another user is none', async () => {
    const { recoveryCodes } = await withCodes()
    const { email } = await withCodes()
    expect((await give(await afterPassword(email), recoveryCodes[0]!)).status).toBe(400)
  })
})

describe('codes', () => {
  it('are turned on by who has the secret in an app', async () => {
    const { browser, email } = await aSignedIn(server)
    const { body } = await browser.send('POST', '/user/codes')
    const { secret, uri, setUp } = body as { secret: string; uri: string; setUp: string }
    expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(uri).toContain(`otpauth://totp/Overture:${encodeURIComponent(email)}?`)
    expect(uri).toContain(`secret=${secret}`)
    const confirm = (who: SignInBrowser, code: string) =>
      who.send('POST', '/user/codes/confirm', { setUp, code })
    expect((await confirm(browser, wrong(secret))).status).toBe(400)
    expect((await confirm((await aSignedIn(server)).browser, shown(secret))).status).toBe(400)
    const { body: own } = await browser.send('GET', '/user/sign-in')
    expect(own).toEqual({ hasPassword: true, passkeys: [], confirmWays: ['password'] })
    wait(3600)
    await browser.send('POST', '/session/confirm', { password: PASSWORD })
    expect((await confirm(browser, shown(secret))).status).toBe(400)
  })

  it('end the sessions that were opened without one, and give this browser a new one', async () => {
    const { browser, email } = await aSignedIn(server)
    const phone = new SignInBrowser(server)
    await phone.signIn(email)
    const { body } = await browser.send('POST', '/user/codes')
    const { secret, setUp } = body as { secret: string; setUp: string }
    const { cookie } = browser
    expect((await browser.send('POST', '/user/codes/confirm', { setUp, code: shown(secret) })).status).toBe(
      200,
    )
    expect(await browser.isSignedIn()).toBe(true)
    expect(browser.cookie).not.toBe(cookie)
    expect(await phone.isSignedIn()).toBe(false)
    const { status } = await server.request('GET', '/campaigns', { headers: { cookie } })
    expect(status).toBe(401)
  })

  it('are not taken over by who found a session: another app needs them turned off first', async () => {
    const { browser } = await withCodes()
    const { body } = await browser.send('POST', '/user/codes')
    const { secret, setUp } = body as { secret: string; setUp: string }
    const { status } = await browser.send('POST', '/user/codes/confirm', { setUp, code: shown(secret) })
    expect(status).toBe(409)
  })

  it('are turned off after a recent sign-in, which the audit log tells', async () => {
    const { browser, email } = await withCodes()
    expect((await browser.send('POST', '/user/codes/turn-off')).status).toBe(200)
    expect((await new SignInBrowser(server).signIn(email)).body).toMatchObject({ user: { email } })
    const { body } = await browser.send('GET', '/audit-log')
    const { data } = body as { data: object[] }
    expect(data).toMatchObject([
      { action: 'turn_off_codes', userEmail: email, actor: expect.stringMatching(/^session:/) },
      { action: 'turn_on_codes', userEmail: email, actor: expect.stringMatching(/^session:/) },
    ])
  })

  it('keep nothing that opens anything readable in the database', async () => {
    const { secret, recoveryCodes, email } = await withCodes()
    await afterPassword(email)
    const rows = await server.app.owner<{ row: string }[]>`
      select encode(secret, 'escape') as row from authenticator_apps
      union all select encode(code_hash, 'escape') from recovery_codes
      union all select t::text from sign_in_attempts t`
    const all = rows.map(({ row }) => row).join('\n')
    for (const text of [secret, ...recoveryCodes]) expect(all).not.toContain(text)
  })

  it('are nothing to an API token', async () => {
    const { userId } = await withCodes()
    const token = await server.tokenOf({ userId })
    for (const [method, path] of [
      ['GET', '/user/sign-in'],
      ['POST', '/user/codes'],
      ['POST', '/user/codes/turn-off'],
    ] as const) {
      const { status } = await server.request(method, path, { token, ...(method === 'POST' && { body: {} }) })
      expect([path, status]).toEqual([path, 401])
    }
  })
})
