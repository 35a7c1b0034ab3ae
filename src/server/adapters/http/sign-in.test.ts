import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openTestServer, type TestServer } from '../../../../test/support/http/server.ts'
import {
  aSignedIn,
  aUser,
  PASSWORD,
  type Session,
  SignInBrowser,
} from '../../../../test/support/http/sign-in.ts'
import { createUser } from '../../domain/accounts/users.ts'
import { makeResetToken } from '../../domain/auth/password-resets.ts'
import { setUpCode } from '../../domain/auth/sign-in.ts'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const signedIn = () => aSignedIn(server)

describe('signing in', () => {
  it('gives a cookie that scripts cannot read, and that opens the API', async () => {
    const { email, userId, accountId } = await aUser(server)
    const browser = new SignInBrowser(server)
    const reply = await browser.signIn(` ${email.toUpperCase()} `)
    expect(reply.body).toMatchObject({
      user: { id: userId, email, name: 'Ada' },
      accounts: [{ id: accountId, name: 'Acme', role: 'owner' }],
    })
    const [cookie] = reply.headers.getSetCookie()
    expect(cookie).toMatch(/^overture-session=[\w-]{43}; .*HttpOnly/)
    expect(cookie).toContain('SameSite=Lax')
    expect((await browser.send('GET', '/campaigns')).status).toBe(200)
    expect((await browser.send('POST', '/reps', { name: 'Grace' })).status).toBe(200)
  })

  it('answers a wrong password and an address that nobody has in the same words', async () => {
    const { email } = await aUser(server)
    const replies = [
      await new SignInBrowser(server).signIn(email, 'wrong'),
      await new SignInBrowser(server).signIn('nobody@acme.example'),
    ]
    for (const { status, body } of replies) {
      expect(status).toBe(401)
      expect(body).toMatchObject({ message: 'The address or the password is not right.' })
    }
  })

  it('writes who signed in and from where to the log, and where a refused attempt came from', async () => {
    const { email, userId } = await aUser(server)
    const log = vi.spyOn(server.app.log, 'info')
    await new SignInBrowser(server).signIn(email)
    await new SignInBrowser(server).signIn(email, 'wrong')
    const lines = log.mock.calls.map(([line]) => line)
    const address = expect.stringContaining('127.0.0.1')
    expect(lines).toContainEqual({ requestId: expect.any(String), userId, address })
    expect(lines).toContainEqual(expect.objectContaining({ operation: 'signIn', status: 401, address }))
    log.mockRestore()
  })

  it('ends the session that the browser had before', async () => {
    const { browser, email } = await signedIn()
    const old = browser.cookie
    await browser.signIn(email)
    expect(browser.cookie).not.toBe(old)
    const reply = await server.request('GET', '/campaigns', { headers: { cookie: old } })
    expect(reply.status).toBe(401)
  })

  it('keeps the cookie to https, this host and every path where the server has a public address', async () => {
    await using https = await openTestServer({ PUBLIC_URL: 'https://Outreach.acme.example' })
    const { email } = await createUser(https.app.db.auth, {
      email: 'a@b.example',
      name: 'Ada',
      password: PASSWORD,
      isEmailVerified: true,
    })
    const reply = await https.request('POST', '/session', {
      body: { email, password: PASSWORD },
      // As a browser says it, whatever letters the setting has.
      headers: { origin: 'https://outreach.acme.example' },
    })
    expect(reply.headers.getSetCookie()[0]).toMatch(/^__Host-overture-session=.*Path=\/; .*HttpOnly; Secure/)
  })
})

describe('a session', () => {
  it('is over after signing out, at once', async () => {
    const { browser } = await signedIn()
    const { cookie } = browser
    expect((await browser.send('DELETE', '/session')).status).toBe(200)
    expect((await server.request('GET', '/campaigns', { headers: { cookie } })).status).toBe(401)
  })

  it('writes nothing without its token, which is told, or for a page of another site', async () => {
    const { browser } = await signedIn()
    const { browser: other } = await signedIn()
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

  it('ends when nobody used it for a week, and after thirty days in any case', async () => {
    const { browser } = await signedIn()
    const age = (column: string, days: number) => server.app.owner`
      update sessions set ${server.app.owner.identifier(column)} = now() - ${days} * interval '1 day'
       where token_hash = sha256(${browser.valueOf('overture-session')!}::bytea)`
    await age('last_seen_at', 8)
    await server.app.owner`select pg_notify('access_changed', '')`
    await expect.poll(async () => (await browser.send('GET', '/campaigns')).status).toBe(401)
    const { browser: busy } = await signedIn()
    await server.app.owner`
      update sessions set expires_at = now() - interval '1 s'
       where token_hash = sha256(${busy.valueOf('overture-session')!}::bytea)`
    await server.app.owner`select pg_notify('access_changed', '')`
    await expect.poll(async () => (await busy.send('GET', '/campaigns')).status).toBe(401)
  })

  it('is listed with the others of its user, and each can be ended from there', async () => {
    const { browser, email, userId } = await signedIn()
    const phone = new SignInBrowser(server)
    await phone.send('POST', '/session', { email, password: PASSWORD }, { 'user-agent': 'Phone' })
    const { data } = (await browser.send('GET', '/sessions')).body as {
      data: { id: string; isCurrent: boolean }[]
    }
    expect(data.map(({ isCurrent }) => isCurrent).sort()).toEqual([false, true])
    const phones = data.find(({ isCurrent }) => !isCurrent)!
    expect(phones).toMatchObject({ userAgent: 'Phone' })
    expect((await browser.send('DELETE', `/sessions/${phones.id}`)).status).toBe(200)
    await expect.poll(async () => (await phone.send('GET', '/campaigns')).status).toBe(401)
    const { browser: stranger } = await signedIn()
    const [left] = await server.app.owner<{ id: string }[]>`select id from sessions where user_id = ${userId}`
    expect((await stranger.send('DELETE', `/sessions/${left!.id}`)).status).toBe(404)
  })

  it('acts on the account joined first, or on the one it names', async () => {
    const { browser, userId } = await signedIn()
    const second = await aUser(server)
    await server.app.db.auth`
      insert into members (account_id, user_id, role) values (${second.accountId}, ${userId}, 'viewer')`
    const rename = (headers: Record<string, string>) =>
      browser.send('PATCH', '/account', { name: 'Acme 2' }, headers)
    expect((await rename({})).status).toBe(200)
    await expect.poll(async () => (await rename({ 'x-account-id': second.accountId })).status).toBe(403)
    expect((await rename({ 'x-account-id': randomUUID() })).status).toBe(401)
  })
})

describe('a password', () => {
  it('is changed by who knows it, which signs out everywhere else and stands in the audit log', async () => {
    const { browser, email, userId } = await signedIn()
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

  it('is set anew by a link, within an hour, once, which the audit log tells', async () => {
    const { browser, email, userId } = await signedIn()
    const { db, keys } = server.app
    const linkOf = async (now: Date) => (await makeResetToken(db.auth, keys, { email, now }))!.token
    const set = (token: string) =>
      new SignInBrowser(server).send('POST', '/password-reset/confirm', {
        token,
        password: 'another long one',
      })
    expect((await set(await linkOf(new Date(Date.now() - 3_600_000)))).status).toBe(400)
    expect((await set(`${await linkOf(new Date())}x`)).status).toBe(400)
    const token = await linkOf(new Date())
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

describe('an invitation', () => {
  const invite = async (browser: SignInBrowser, email: string, role = 'manager') => {
    const { status, body } = await browser.send('POST', '/invitations', { email, role })
    expect(status).toBe(200)
    return new URL((body as { link: string }).link, server.url).searchParams.get('token')!
  }

  it('makes its address a user, who joins once', async () => {
    const { browser, accountId } = await signedIn()
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

  it('does not tell whoever has the link whether its address has a user, and changes nothing of that user', async () => {
    const { browser } = await signedIn()
    const { email } = await signedIn()
    const probe = async (invited: string) => {
      const token = await invite(browser, invited)
      const stranger = new SignInBrowser(server)
      const requests = [
        ['GET', `/invitations/accept?token=${token}`],
        ['POST', '/invitations/accept', { token }],
        ['POST', '/invitations/user', { token, name: 'Mallory', password: 'the password of Mallory' }],
        ['GET', `/invitations/accept?token=${token}`],
      ] as const
      const replies = []
      for (const [method, path, body] of requests) replies.push(await stranger.send(method, path, body))
      const { data } = (await browser.send('GET', '/audit-log')).body as { data: { action: string }[] }
      return {
        replies: replies.map(({ status, text }) => [
          status,
          text.replaceAll(invited, 'X').replace(/"requestId":"[^"]*"/, ''),
        ]),
        audited: data.slice(0, 2).map(({ action }) => action),
      }
    }
    const ofUser = await probe(email)
    expect(ofUser).toEqual(await probe(`nobody-${randomUUID()}@acme.example`))
    expect(ofUser.replies.map(([status]) => status)).toEqual([200, 401, 200, 200])
    expect((await new SignInBrowser(server).signIn(email, 'the password of Mallory')).status).toBe(401)
    expect((await new SignInBrowser(server).signIn(email)).body).toMatchObject({ user: { name: 'Ada' } })
  })

  it('is accepted by the user of its address, and by nobody else', async () => {
    const { browser, accountId } = await signedIn()
    const { browser: grace, email } = await signedIn()
    const { browser: stranger } = await signedIn()
    const token = await invite(browser, email)
    const accept = (who: SignInBrowser) => who.send('POST', '/invitations/accept', { token })
    expect((await accept(new SignInBrowser(server))).status).toBe(401)
    expect((await accept(stranger)).status).toBe(401)
    const { body } = await accept(grace)
    expect((body as Session).accounts.map(({ id }) => id)).toContain(accountId)
  })

  it('is void once it is taken back, made again, or a week old', async () => {
    const { browser, accountId } = await signedIn()
    const email = `grace-${randomUUID()}@acme.example`
    const first = await invite(browser, email)
    const second = await invite(browser, email)
    const look = async (token: string) =>
      (await new SignInBrowser(server).send('GET', `/invitations/accept?token=${token}`)).status
    expect([await look(first), await look(second)]).toEqual([404, 200])
    await server.app.owner`
      update invitations set expires_at = now() - interval '1 s' where account_id = ${accountId}`
    expect(await look(second)).toBe(404)
    const third = await invite(browser, email)
    const { data } = (await browser.send('GET', '/invitations')).body as { data: { id: string }[] }
    expect(data).toHaveLength(1)
    expect((await browser.send('DELETE', `/invitations/${data[0]!.id}`)).status).toBe(200)
    expect(await look(third)).toBe(404)
    expect(await look('nonsense')).toBe(404)
  })
})

describe('the first owner', () => {
  const owner = {
    name: 'Ada',
    email: 'ada@acme.example',
    password: PASSWORD,
    accountName: 'Acme',
    timezone: 'Europe/London',
    postalAddress: '1 High Street, London',
  }

  it('is made by the link that the start printed, once', async () => {
    await using fresh = await openTestServer()
    const setUp = (code: string) => fresh.request('POST', '/setup', { body: { ...owner, code } })
    expect((await fresh.request('GET', '/setup')).body).toEqual({ isNeeded: true })
    expect((await setUp('guessed')).status).toBe(401)
    const code = setUpCode(fresh.app)
    const replies = await Promise.all([setUp(code), setUp(code)])
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
    expect((await fresh.request('GET', '/setup')).body).toEqual({ isNeeded: false })
    const [cookie] = replies.find(({ status }) => status === 200)!.headers.getSetCookie()
    const account = await fresh.request('GET', '/account', { headers: { cookie: cookie!.split(';')[0]! } })
    expect(account.body).toMatchObject({
      name: 'Acme',
      timezone: 'Europe/London',
      postalAddress: owner.postalAddress,
    })
  })
})
