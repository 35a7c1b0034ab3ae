import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openTestServer, type TestServer } from '../../../../test/support/http/server.ts'
import {
  makeSignedIn,
  makeUser,
  PASSWORD,
  type Session,
  SignInBrowser,
} from '../../../../test/support/http/sign-in.ts'
import { createUser } from '../../domain/accounts/users.ts'
import { createResetToken } from '../../domain/auth/password-resets.ts'
import { getSetupCode } from '../../domain/auth/sign-in.ts'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const startSession = () => makeSignedIn(server)

describe('sign-in', () => {
  it('sets an HttpOnly cookie that authenticates API requests', async () => {
    const { email, userId, accountId } = await makeUser(server)
    const browser = new SignInBrowser(server)
    const response = await browser.signIn(` ${email.toUpperCase()} `)
    expect(response.body).toMatchObject({
      user: { id: userId, email, name: 'Ada' },
      accounts: [{ id: accountId, name: 'Acme', role: 'owner' }],
    })
    const [cookie] = response.headers.getSetCookie()
    expect(cookie).toMatch(/^overture-session=[\w-]{43}; .*HttpOnly/)
    expect(cookie).toContain('SameSite=Lax')
    expect((await browser.send('GET', '/campaigns')).status).toBe(200)
    expect((await browser.send('POST', '/reps', { name: 'Grace' })).status).toBe(200)
  })

  it('returns the same error for a wrong password and an unknown email address', async () => {
    const { email } = await makeUser(server)
    const responses = [
      await new SignInBrowser(server).signIn(email, 'wrong'),
      await new SignInBrowser(server).signIn('nobody@acme.example'),
    ]
    for (const { status, body } of responses) {
      expect(status).toBe(401)
      expect(body).toMatchObject({ message: 'Incorrect email address or password.' })
    }
  })

  it('logs the user and address on success, and the address on failure', async () => {
    const { email, userId } = await makeUser(server)
    const log = vi.spyOn(server.app.log, 'info')
    await new SignInBrowser(server).signIn(email)
    await new SignInBrowser(server).signIn(email, 'wrong')
    const lines = log.mock.calls.map(([line]) => line)
    const address = expect.stringContaining('127.0.0.1')
    expect(lines).toContainEqual({ requestId: expect.any(String), userId, address })
    expect(lines).toContainEqual(expect.objectContaining({ operation: 'signIn', status: 401, address }))
    log.mockRestore()
  })

  it('ends the previous session of the browser', async () => {
    const { browser, email } = await startSession()
    const old = browser.cookie
    await browser.signIn(email)
    expect(browser.cookie).not.toBe(old)
    const response = await server.request('GET', '/campaigns', { headers: { cookie: old } })
    expect(response.status).toBe(401)
  })

  it('sets a Secure __Host- cookie when the public URL is https', async () => {
    await using https = await openTestServer({ PUBLIC_URL: 'https://Outreach.acme.example' })
    const { email } = await createUser(https.app.db.auth, {
      email: 'a@b.example',
      name: 'Ada',
      password: PASSWORD,
      isEmailVerified: true,
    })
    const response = await https.request('POST', '/session', {
      body: { email, password: PASSWORD },
      // Browsers send host names in lower case, regardless of the case in PUBLIC_URL.
      headers: { origin: 'https://outreach.acme.example' },
    })
    expect(response.headers.getSetCookie()[0]).toMatch(
      /^__Host-overture-session=.*Path=\/; .*HttpOnly; Secure/,
    )
  })
})

describe('session', () => {
  it('ends immediately on sign-out', async () => {
    const { browser } = await startSession()
    const { cookie } = browser
    expect((await browser.send('DELETE', '/session')).status).toBe(200)
    expect((await server.request('GET', '/campaigns', { headers: { cookie } })).status).toBe(401)
  })

  it('rejects writes without its CSRF token or from another site', async () => {
    const { browser } = await startSession()
    const { browser: other } = await startSession()
    const write = (headers: Record<string, string>) =>
      browser.send('POST', '/reps', { name: 'Grace' }, headers)
    const foreign: Record<string, string>[] = [
      { 'x-csrf-token': '' },
      { 'x-csrf-token': other.csrf },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ]
    for (const headers of foreign) {
      expect([headers, (await write(headers)).status]).toEqual([headers, 403])
    }
    expect((await write({ 'x-csrf-token': other.csrf })).body).toMatchObject({
      details: [{ path: 'x-csrf-token' }],
    })
    expect((await write({ origin: server.url })).status).toBe(200)
  })

  it('can be read with HEAD as with GET, without a CSRF token', async () => {
    const { browser } = await startSession()
    for (const method of ['GET', 'HEAD'])
      expect((await browser.send(method, '/session', undefined, { 'x-csrf-token': '' })).status).toBe(200)
  })

  it('ends after a week without use and after thirty days in any case', async () => {
    const { browser } = await startSession()
    const age = (column: string, days: number) => server.app.owner`
      update sessions set ${server.app.owner.identifier(column)} = now() - ${days} * interval '1 day'
       where token_hash = sha256(${browser.getCookie('overture-session')!}::bytea)`
    await age('last_seen_at', 8)
    await server.app.owner`select pg_notify('access_changed', '')`
    await expect.poll(async () => (await browser.send('GET', '/campaigns')).status).toBe(401)
    const { browser: busy } = await startSession()
    await server.app.owner`
      update sessions set expires_at = now() - interval '1 s'
       where token_hash = sha256(${busy.getCookie('overture-session')!}::bytea)`
    await server.app.owner`select pg_notify('access_changed', '')`
    await expect.poll(async () => (await busy.send('GET', '/campaigns')).status).toBe(401)
  })

  it('is listed with the other sessions of its user, which can be ended individually', async () => {
    const { browser, email, userId } = await startSession()
    const phone = new SignInBrowser(server)
    await phone.send('POST', '/session', { email, password: PASSWORD }, { 'user-agent': 'Phone' })
    const { data } = (await browser.send('GET', '/sessions')).body as {
      data: { id: string; isCurrent: boolean }[]
    }
    expect(data.map(({ isCurrent }) => isCurrent).sort()).toEqual([false, true])
    const phoneSession = data.find(({ isCurrent }) => !isCurrent)!
    expect(phoneSession).toMatchObject({ userAgent: 'Phone' })
    expect((await browser.send('DELETE', `/sessions/${phoneSession.id}`)).status).toBe(200)
    await expect.poll(async () => (await phone.send('GET', '/campaigns')).status).toBe(401)
    const { browser: stranger } = await startSession()
    const [left] = await server.app.owner<{ id: string }[]>`select id from sessions where user_id = ${userId}`
    expect((await stranger.send('DELETE', `/sessions/${left!.id}`)).status).toBe(404)
  })

  it('uses the account joined first unless the request names another account', async () => {
    const { browser, userId } = await startSession()
    const second = await makeUser(server)
    await server.app.db.auth`
      insert into members (account_id, user_id, role) values (${second.accountId}, ${userId}, 'viewer')`
    const rename = (headers: Record<string, string>) =>
      browser.send('PATCH', '/account', { name: 'Acme 2' }, headers)
    expect((await rename({})).status).toBe(200)
    await expect.poll(async () => (await rename({ 'x-account-id': second.accountId })).status).toBe(403)
    expect((await rename({ 'x-account-id': randomUUID() })).status).toBe(401)
  })
})

describe('password', () => {
  it('can be changed by a user who knows it, which ends all other sessions and is audited', async () => {
    const { browser, email, userId } = await startSession()
    const phone = new SignInBrowser(server)
    await phone.signIn(email)
    const change = (currentPassword: string) =>
      browser.send('POST', '/user/password', { currentPassword, newPassword: 'another long one' })
    expect((await change('wrong')).status).toBe(400)
    expect((await change(PASSWORD)).status).toBe(200)
    expect((await browser.send('GET', '/audit-log')).body).toMatchObject({
      data: [
        {
          action: 'change_password',
          userEmail: email,
          actor: expect.stringMatching(/^session:/),
          auditedId: userId,
        },
      ],
    })
    expect((await phone.send('GET', '/campaigns')).status).toBe(401)
    expect((await new SignInBrowser(server).signIn(email)).status).toBe(401)
    expect((await new SignInBrowser(server).signIn(email, 'another long one')).status).toBe(200)
  })

  it('can be reset once with a link within an hour, which is audited', async () => {
    const { browser, email, userId } = await startSession()
    const { db, keys } = server.app
    const issueToken = async (now: Date) => (await createResetToken(db.auth, keys, { email, now }))!.token
    const set = (token: string) =>
      new SignInBrowser(server).send('POST', '/password-reset/confirm', {
        token,
        password: 'another long one',
      })
    expect((await set(await issueToken(new Date(Date.now() - 3_600_000)))).status).toBe(400)
    expect((await set(`${await issueToken(new Date())}x`)).status).toBe(400)
    const token = await issueToken(new Date())
    const find = () => server.request('GET', `/password-reset/confirm?token=${encodeURIComponent(token)}`)
    expect((await find()).body).toEqual({ email })
    expect((await set(token)).status).toBe(200)
    expect((await set(token)).body).toMatchObject({ message: expect.stringMatching(/^This link was used/) })
    expect((await find()).status).toBe(400)
    expect((await browser.send('GET', '/campaigns')).status).toBe(401)
    expect((await browser.signIn(email, 'another long one')).status).toBe(200)
    expect((await browser.send('GET', '/audit-log')).body).toMatchObject({
      data: [{ action: 'reset_password', userEmail: email, actor: 'sign-in', auditedId: userId }],
    })
  })
})

describe('invitation', () => {
  const invite = async (browser: SignInBrowser, email: string, role = 'manager') => {
    const { status, body } = await browser.send('POST', '/invitations', { email, role })
    expect(status).toBe(200)
    return new URL((body as { link: string }).link, server.url).searchParams.get('token')!
  }

  it('lets a new user sign up and join once', async () => {
    const { browser, accountId } = await startSession()
    const email = `grace-${randomUUID()}@acme.example`
    const token = await invite(browser, email)
    const grace = new SignInBrowser(server)
    const shown = await grace.send('GET', `/invitations/accept?token=${token}`)
    expect(shown.body).toEqual({ accountName: 'Acme', email, role: 'manager' })
    await grace.send('POST', '/invitations/user', { token, name: 'Grace', password: PASSWORD })
    await grace.signIn(email)
    const accept = () => grace.send('POST', '/invitations/accept', { token })
    expect((await accept()).body).toMatchObject({
      user: { email },
      accounts: [{ id: accountId, role: 'manager' }],
    })
    expect((await grace.send('GET', '/members')).body).toMatchObject({
      data: [{ name: 'Grace' }, { name: 'Ada' }],
    })
    expect((await accept()).status).toBe(404)
  })

  it('does not disclose whether its email address belongs to a user, and does not change that user', async () => {
    const { browser } = await startSession()
    const { email } = await startSession()
    const probe = async (invited: string) => {
      const token = await invite(browser, invited)
      const stranger = new SignInBrowser(server)
      const requests = [
        ['GET', `/invitations/accept?token=${token}`],
        ['POST', '/invitations/accept', { token }],
        ['POST', '/invitations/user', { token, name: 'Mallory', password: 'the password of Mallory' }],
        ['GET', `/invitations/accept?token=${token}`],
      ] as const
      const responses = []
      for (const [method, path, body] of requests) responses.push(await stranger.send(method, path, body))
      const { data } = (await browser.send('GET', '/audit-log')).body as { data: { action: string }[] }
      return {
        responses: responses.map(({ status, text }) => [
          status,
          text.replaceAll(invited, 'X').replace(/"requestId":"[^"]*"/, ''),
        ]),
        audited: data.slice(0, 2).map(({ action }) => action),
      }
    }
    const knownUser = await probe(email)
    expect(knownUser).toEqual(await probe(`nobody-${randomUUID()}@acme.example`))
    expect(knownUser.responses.map(([status]) => status)).toEqual([200, 401, 200, 200])
    expect((await new SignInBrowser(server).signIn(email, 'the password of Mallory')).status).toBe(401)
    expect((await new SignInBrowser(server).signIn(email)).body).toMatchObject({ user: { name: 'Ada' } })
  })

  it('can be accepted only by the user with its email address', async () => {
    const { browser, accountId } = await startSession()
    const { browser: grace, email } = await startSession()
    const { browser: stranger } = await startSession()
    const token = await invite(browser, email)
    const accept = (who: SignInBrowser) => who.send('POST', '/invitations/accept', { token })
    expect((await accept(new SignInBrowser(server))).status).toBe(401)
    expect((await accept(stranger)).status).toBe(401)
    const { body } = await accept(grace)
    expect((body as Session).accounts.map(({ id }) => id)).toContain(accountId)
  })

  it('is invalid once it is withdrawn, replaced or a week old', async () => {
    const { browser, accountId } = await startSession()
    const email = `grace-${randomUUID()}@acme.example`
    const first = await invite(browser, email)
    const second = await invite(browser, email)
    const getInvitationStatus = async (token: string) =>
      (await new SignInBrowser(server).send('GET', `/invitations/accept?token=${token}`)).status
    expect([await getInvitationStatus(first), await getInvitationStatus(second)]).toEqual([404, 200])
    await server.app.owner`
      update invitations set expires_at = now() - interval '1 s' where account_id = ${accountId}`
    expect(await getInvitationStatus(second)).toBe(404)
    const third = await invite(browser, email)
    const { data } = (await browser.send('GET', '/invitations')).body as { data: { id: string }[] }
    expect(data).toHaveLength(1)
    expect((await browser.send('DELETE', `/invitations/${data[0]!.id}`)).status).toBe(200)
    expect(await getInvitationStatus(third)).toBe(404)
    expect(await getInvitationStatus('nonsense')).toBe(404)
  })
})

describe('setup', () => {
  const owner = {
    name: 'Ada',
    email: 'ada@acme.example',
    password: PASSWORD,
    accountName: 'Acme',
    timezone: 'Europe/London',
    postalAddress: '1 High Street, London',
  }

  it('creates the first owner once, with the link printed at startup', async () => {
    await using fresh = await openTestServer()
    const setUp = (code: string) => fresh.request('POST', '/setup', { body: { ...owner, code } })
    expect((await fresh.request('GET', '/setup')).body).toEqual({ isNeeded: true })
    expect((await setUp('guessed')).status).toBe(401)
    const code = getSetupCode(fresh.app)
    const responses = await Promise.all([setUp(code), setUp(code)])
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409])
    expect((await fresh.request('GET', '/setup')).body).toEqual({ isNeeded: false })
    const [cookie] = responses.find(({ status }) => status === 200)!.headers.getSetCookie()
    const account = await fresh.request('GET', '/account', { headers: { cookie: cookie!.split(';')[0]! } })
    expect(account.body).toMatchObject({
      name: 'Acme',
      timezone: 'Europe/London',
      postalAddress: owner.postalAddress,
    })
  })
})
