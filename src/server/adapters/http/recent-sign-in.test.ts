import { randomUUID } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestServer, type TestResponse, type TestServer } from '../../../../test/support/http/server.ts'
import { makeSignedIn, makeUser, PASSWORD, SignInBrowser } from '../../../../test/support/http/sign-in.ts'
import { storeGrant } from '../../domain/auth/grants.ts'
import type { Sql } from '../../kernel/db/database.ts'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const MINUTE = 60_000
let at = Date.UTC(2026, 10, 24, 11)
const wait = (ms: number) => {
  at += ms
  server.app.setNow(new Date(at))
}
beforeEach(() => wait(60 * MINUTE))

const createToken = (browser: SignInBrowser) => browser.send('POST', '/api-tokens', { name: 'CRM' })
const confirm = (browser: SignInBrowser, proof: object = { password: PASSWORD }) =>
  browser.send('POST', '/session/confirm', proof)

const expectRefused = ({ status, body }: TestResponse) => {
  expect(status).toBe(403)
  expect(body).toMatchObject({ error: 'Forbidden', details: [{ path: 'recentSignIn' }] })
}

/** Turns on an authenticator app and returns a function that generates its codes. */
async function enableTotp(browser: SignInBrowser) {
  const { body } = await browser.send('POST', '/user/totp')
  const { secret, setUp } = body as { secret: string; setUp: string }
  const getCode = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at })
  expect((await browser.send('POST', '/user/totp/confirm', { setUp, code: getCode() })).status).toBe(200)
  return getCode
}

describe('session with a sign-in over ten minutes ago', () => {
  it.each<[method: string, path: string, body?: object]>([
    ['POST', '/api-tokens', { name: 'CRM' }],
    ['POST', '/user/passkeys/options'],
    ['POST', '/user/passkeys', {}],
    ['DELETE', `/user/passkeys/${randomUUID()}`],
    ['POST', '/user/totp'],
    ['POST', '/user/totp/confirm', {}],
    ['POST', '/user/totp/turn-off'],
    ['PUT', '/single-sign-on', {}],
    ['DELETE', '/single-sign-on'],
  ])('must be confirmed before %s %s, regardless of the request body', async (method, path, body) => {
    const { browser } = await makeSignedIn(server)
    wait(10 * MINUTE)
    expect((await browser.send(method, path, body)).status).not.toBe(403)
    const { browser: late } = await makeSignedIn(server)
    wait(10 * MINUTE + 1)
    expectRefused(await late.send(method, path, body))
  })

  it('allows all other requests, including revocation, without confirmation', async () => {
    const { browser } = await makeSignedIn(server)
    const { id } = (await createToken(browser)).body as { id: string }
    wait(60 * MINUTE)
    expect((await browser.send('GET', '/user/sign-in')).status).toBe(200)
    expect((await browser.send('POST', '/reps', { name: 'Grace' })).status).toBe(200)
    expect((await browser.send('DELETE', `/api-tokens/${id}`)).status).toBe(200)
  })

  it('is confirmed with the password and keeps its lifetime but gets a new cookie', async () => {
    const { browser, userId } = await makeSignedIn(server)
    const { cookie, csrf } = browser
    const read = () => server.app.owner`select id, expires_at from sessions where user_id = ${userId}`
    const before = await read()
    wait(60 * MINUTE)
    expectRefused(await createToken(browser))
    expect((await confirm(browser)).body).toMatchObject({ user: { id: userId }, csrfToken: csrf })
    expect((await createToken(browser)).status).toBe(200)
    expect(await read()).toEqual(before)
    expect((await server.request('GET', '/campaigns', { headers: { cookie } })).status).toBe(401)
  })

  it('is confirmed with an authenticator app code', async () => {
    const { browser } = await makeSignedIn(server)
    const getCode = await enableTotp(browser)
    wait(60 * MINUTE)
    expect((await confirm(browser, { code: 'nothing' })).status).toBe(400)
    expectRefused(await createToken(browser))
    expect((await confirm(browser, { code: getCode() })).status).toBe(200)
    expect((await createToken(browser)).status).toBe(200)
  })

  it('is not confirmed with wrong, missing or ambiguous proof, by another site or without a session', async () => {
    const { browser } = await makeSignedIn(server)
    wait(60 * MINUTE)
    for (const [proof, path] of [
      [{ password: 'wrong' }, 'password'],
      [{}, ''],
      [{ password: PASSWORD, code: '123456' }, ''],
    ] as const) {
      const { status, body } = await confirm(browser, proof)
      expect([proof, status]).toEqual([proof, 400])
      expect(body).toMatchObject({ details: [{ path }] })
    }
    const foreign = await browser.send(
      'POST',
      '/session/confirm',
      { password: PASSWORD },
      { 'x-csrf-token': '' },
    )
    expect(foreign.status).toBe(403)
    expect((await confirm(new SignInBrowser(server))).status).toBe(401)
    expectRefused(await createToken(browser))
  })

  it('is not confirmed by a change of the sign-in methods', async () => {
    const { browser } = await makeSignedIn(server)
    wait(9 * MINUTE)
    await enableTotp(browser)
    wait(2 * MINUTE)
    expectRefused(await createToken(browser))
  })
})

it('limits wrong passwords in an open session to ten', async () => {
  await using limited = await openTestServer({ RATE_LIMIT_PER_MINUTE: '100', TRUSTED_PROXIES: '127.0.0.1' })
  const { browser } = await makeSignedIn(limited)
  const statuses: number[] = []
  for (let n = 0; n < 11; n++) statuses.push((await confirm(browser, { password: 'wrong' })).status)
  expect(statuses.indexOf(429)).toBe(10)
})

it('joining an account does not make a sign-in recent', async () => {
  const { browser, email } = await makeSignedIn(server)
  wait(11 * MINUTE)
  const { browser: owner } = await makeSignedIn(server)
  const { body } = await owner.send('POST', '/invitations', { email, role: 'member' })
  const token = new URL((body as { link: string }).link, server.url).searchParams.get('token')
  expect((await browser.send('POST', '/invitations/accept', { token })).status).toBe(200)
  expectRefused(await createToken(browser))
})

describe('request in progress while its session ends', () => {
  /** Locks the user, as a password reset does, until the request waits for the lock; then deletes the sessions. */
  async function endSessionDuring(
    userId: string,
    send: () => Promise<TestResponse>,
    change: (sql: Sql) => Promise<unknown> = async () => {},
  ): Promise<TestResponse> {
    let sent: Promise<TestResponse> | undefined
    await server.app.db.auth.begin(async sql => {
      const [{ pid }] = await sql<[{ pid: number }]>`
        select pg_backend_pid() as pid from users where id = ${userId} for update`
      sent = send()
      await expect
        .poll(async () => {
          const [{ count }] = await server.app.owner<[{ count: number }]>`
            select count(*)::int as count from pg_stat_activity where ${pid} = any(pg_blocking_pids(pid))`
          return count
        })
        .toBe(1)
      await change(sql)
      await sql`delete from sessions where user_id = ${userId}`
    })
    return sent!
  }

  it('does not sign in with a password that changes during the request', async () => {
    const { email, userId } = await makeUser(server)
    const browser = new SignInBrowser(server)
    const { status } = await endSessionDuring(
      userId,
      () => browser.signIn(email),
      sql => sql`update users set password_hash = null where id = ${userId}`,
    )
    expect(status).toBe(401)
    expect(await browser.isSignedIn()).toBe(false)
  })

  it('does not create an API token', async () => {
    const { browser, userId } = await makeSignedIn(server)
    expect((await endSessionDuring(userId, () => createToken(browser))).status).toBe(401)
  })

  it('does not change the password', async () => {
    const { browser, email, userId } = await makeSignedIn(server)
    const body = { currentPassword: PASSWORD, newPassword: 'the thief’s own words' }
    const { status } = await endSessionDuring(userId, () => browser.send('POST', '/user/password', body))
    expect(status).toBe(401)
    expect((await new SignInBrowser(server).signIn(email)).status).toBe(200)
  })

  it('does not turn on the authenticator app', async () => {
    const { browser, email, userId } = await makeSignedIn(server)
    const { body } = await browser.send('POST', '/user/totp')
    const { secret, setUp } = body as { secret: string; setUp: string }
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at })
    const { status } = await endSessionDuring(userId, () =>
      browser.send('POST', '/user/totp/confirm', { setUp, code }),
    )
    expect(status).toBe(401)
    expect((await new SignInBrowser(server).signIn(email)).body).toMatchObject({ user: { email } })
  })
})

describe('confirmation methods', () => {
  it('are the sign-in methods that the user has set up', async () => {
    const { browser } = await makeSignedIn(server)
    const methods = async () =>
      ((await browser.send('GET', '/user/sign-in')).body as { confirmWays: string[] }).confirmWays
    expect(await methods()).toEqual(['password'])
    await enableTotp(browser)
    expect(await methods()).toEqual(['password', 'code'])
  })
})

describe('password change', () => {
  /** Creates a signed-in user with an API token and a connected app. */
  async function withTokenAndApp() {
    const { browser, userId, accountId, ...user } = await makeSignedIn(server)
    const token = await server.createToken({ userId })
    const clientId = randomUUID()
    await storeGrant(server.app.db.auth, {
      ...{
        id: randomUUID(),
        accountId,
        userId,
        clientId,
        clientName: 'Assistant',
        clientHost: 'acme.example',
      },
      ...{ scopes: [], payload: {}, expiresAt: new Date('2100-01-01') },
    })
    const change = (body: object) =>
      browser.send('POST', '/user/password', {
        currentPassword: PASSWORD,
        newPassword: 'another long one',
        ...body,
      })
    const remaining = async () => [
      (await server.request('GET', '/account', { token })).status,
      ((await browser.send('GET', '/connected-apps')).body as { data: [] }).data.length,
    ]
    return { ...user, accountId, browser, change, remaining }
  }

  it('revokes API tokens and connected apps on request, which is audited', async () => {
    const { browser, change, remaining } = await withTokenAndApp()
    expect((await change({ revokeTokensAndApps: true })).status).toBe(200)
    expect(await remaining()).toEqual([401, 0])
    const { data } = (await browser.send('GET', '/audit-log')).body as { data: { action: string }[] }
    expect(data.map(({ action }) => action).sort()).toEqual(['change_password', 'disconnect', 'revoke'])
  })

  it('keeps API tokens and connected apps by default', async () => {
    const { change, remaining } = await withTokenAndApp()
    expect((await change({})).status).toBe(200)
    expect(await remaining()).toEqual([200, 1])
  })

  it('makes a sign-in recent, because it requires the current password', async () => {
    const { browser, change } = await withTokenAndApp()
    wait(60 * MINUTE)
    expect((await change({})).status).toBe(200)
    expect((await createToken(browser)).status).toBe(200)
  })

  it('requires the current password even after a recent sign-in', async () => {
    const { change } = await withTokenAndApp()
    for (const currentPassword of ['wrong', undefined]) {
      const { status, body } = await change({ currentPassword })
      expect(status).toBe(400)
      expect(body).toMatchObject({ details: [{ path: 'currentPassword' }] })
    }
  })

  it('requires only a recent sign-in from a user without a password, such as one who uses single sign-on', async () => {
    const { userId, email } = await makeUser(server)
    await server.app.owner`update users set password_hash = null where id = ${userId}`
    const { cookie, 'x-csrf-token': csrf } = (await server.createCredentials({ userId })).session
    const set = () =>
      server.request('POST', '/user/password', {
        body: { newPassword: 'a first long one' },
        headers: { cookie: cookie!, 'x-csrf-token': csrf! },
      })
    wait(11 * MINUTE)
    expectRefused(await set())
    wait(-11 * MINUTE)
    expect((await set()).status).toBe(200)
    expect((await new SignInBrowser(server).signIn(email, 'a first long one')).status).toBe(200)
  })
})
