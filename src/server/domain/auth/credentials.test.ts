import { randomBytes, randomUUID } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Browser } from '../../../../test/support/http/browser.ts'
import { connectBySdk } from '../../../../test/support/http/oauth-client.ts'
import { openTestServer, type TestServer } from '../../../../test/support/http/server.ts'
import {
  makeSignedIn,
  PASSWORD,
  type Session,
  SignInBrowser,
  type TestUser,
} from '../../../../test/support/http/sign-in.ts'
import { findFreePort } from '../../../../test/support/processes/ports.ts'
import { createResetToken } from './password-resets.ts'

const NEW_PASSWORD = 'another long password'

let server: TestServer
let origin: string
beforeAll(async () => {
  origin = `http://localhost:${await findFreePort()}`
  server = await openTestServer({ PUBLIC_URL: origin })
})
afterAll(() => server[Symbol.asyncDispose]())

/** Creates a credential of every kind for the user of this browser. */
async function collectCredentials(browser: SignInBrowser, userId: string) {
  const created = await browser.send('POST', '/api-tokens', { name: 'kept' })
  expect(created.status, created.text).toBe(200)
  const { token } = created.body as { token: string }
  const { client, stored } = await connectBySdk(`${origin}/v1/mcp`, new Browser(origin, browser.cookie))
  await client.close()
  // Registering a passkey needs a device; see test/browser/second-step.test.ts.
  await server.app.owner`
    insert into passkeys (id, user_id, credential_id, public_key, counter, transports, name)
    values (${randomUUID()}, ${userId}, ${randomBytes(16)}, ${randomBytes(16)}, 0, '{}', 'kept')`
  const proposed = await browser.send('POST', '/user/totp', { password: PASSWORD })
  const { secret, setUp } = proposed.body as { secret: string; setUp: string }
  const authenticator = new TOTP({ secret: Secret.fromBase32(secret) })
  const code = authenticator.generate()
  expect((await browser.send('POST', '/user/totp/confirm', { setUp, code })).status).toBe(200)
  const { access_token: accessToken, refresh_token: refreshToken } = stored.tokens!
  return {
    browser,
    authenticator,
    token,
    accessToken,
    refreshToken: refreshToken!,
    clientId: (stored.client as { client_id: string }).client_id,
  }
}
type Credentials = Awaited<ReturnType<typeof collectCredentials>>

const makeUserWithCredentials = async () => {
  const user = await makeSignedIn(server)
  return { ...user, credentials: await collectCredentials(user.browser, user.userId) }
}

/** Returns the response status for each credential in this account. */
async function tryCredentials({ browser, token, accessToken }: Credentials, accountId: string) {
  const headers = { 'x-account-id': accountId }
  const app = await fetch(`${origin}/v1/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${accessToken}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    }),
  })
  return {
    token: (await server.request('GET', '/campaigns', { token, headers })).status,
    session: (await browser.send('GET', '/campaigns', undefined, headers)).status,
    app: app.status,
  }
}

/** Checks that all credentials are revoked. */
async function expectRevoked(credentials: Credentials, userId: string, accountId: string): Promise<void> {
  expect(await tryCredentials(credentials, accountId)).toEqual({ token: 401, session: 401, app: 401 })
  const refreshed = await fetch(`${origin}/v1/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: credentials.clientId,
      refresh_token: credentials.refreshToken,
    }),
  })
  expect(refreshed.status).toBe(400)
  const left = await server.app.owner`
    select (select count(*)::int from passkeys where user_id = ${userId}) as passkeys,
           (select count(*)::int from authenticator_apps where user_id = ${userId}) as apps`
  expect(left).toEqual([{ passkeys: 0, apps: 0 }])
}

async function reset({ email }: Pick<TestUser, 'email'>, password = NEW_PASSWORD): Promise<void> {
  const { db, keys, now } = server.app
  const { token } = (await createResetToken(db.auth, keys, { email, now: now() }))!
  const response = await new SignInBrowser(server).send('POST', '/password-reset/confirm', {
    token,
    password,
  })
  expect(response.status, response.text).toBe(200)
}

const inviteFrom = async (inviter: SignInBrowser, email: string): Promise<string> => {
  const { status, body, text } = await inviter.send('POST', '/invitations', { email, role: 'admin' })
  expect(status, text).toBe(200)
  return new URL((body as { link: string }).link).searchParams.get('token')!
}

const accept = (browser: SignInBrowser, token: string, password?: string) =>
  browser.send('POST', '/invitations/accept', { token, ...(password && { password }) })

/**
 * Plays the attacker: invites the victim's address with the role admin, accepts the invitation in the victim's name
 * through the link shown to the inviter, and creates credentials.
 */
async function preHijack() {
  const { browser: attacker, accountId } = await makeSignedIn(server)
  const email = `victim-${randomUUID()}@b.example`
  const link = await inviteFrom(attacker, email)
  const asVictim = new SignInBrowser(server)
  await asVictim.send('POST', '/invitations/user', { token: link, name: 'Victim', password: PASSWORD })
  await asVictim.signIn(email)
  const joined = await accept(asVictim, link)
  expect(joined.status, joined.text).toBe(200)
  const userId = (joined.body as Session).user.id
  const credentials = await collectCredentials(asVictim, userId)
  expect(await tryCredentials(credentials, accountId)).toEqual({ token: 200, session: 200, app: 200 })
  const { browser: company, accountId: companyId } = await makeSignedIn(server)
  return { email, userId, credentials, invitation: await inviteFrom(company, email), companyId }
}

/** Signs in with the password and a code from the authenticator app, both set up by the attacker. */
async function signInWithCode(email: string, { authenticator }: Credentials): Promise<SignInBrowser> {
  const browser = new SignInBrowser(server)
  await browser.signIn(email)
  // The current code was already used.
  const code = authenticator.generate({ timestamp: Date.now() + 30_000 })
  expect((await browser.send('POST', '/session/code', { code })).status).toBe(200)
  return browser
}

describe("a stranger who accepted an invitation in another person's name", () => {
  it('loses all access once that person sets a password by link and joins an account', async () => {
    const { email, userId, credentials, invitation, companyId } = await preHijack()
    await reset({ email })
    const victim = new SignInBrowser(server)
    await victim.signIn(email, NEW_PASSWORD)
    // The reset link verified the address, so no new password is required.
    expect((await accept(victim, invitation)).status).toBe(200)
    expect((await victim.send('GET', '/campaigns', undefined, { 'x-account-id': companyId })).status).toBe(
      200,
    )
    await expectRevoked(credentials, userId, companyId)
    expect((await new SignInBrowser(server).signIn(email)).status).toBe(401)
  })

  it('loses all access once that person joins an account with a new password, without a reset', async () => {
    const { email, userId, credentials, invitation, companyId } = await preHijack()
    const victim = await signInWithCode(email, credentials)
    const refused = await accept(victim, invitation)
    expect(refused.body).toMatchObject({ error: 'ValidationError', details: [{ path: 'password' }] })
    const same = await accept(victim, invitation, PASSWORD)
    expect(same.body).toMatchObject({ error: 'ValidationError', details: [{ path: 'password' }] })
    expect((await accept(victim, invitation, NEW_PASSWORD)).status).toBe(200)
    expect((await victim.send('GET', '/campaigns', undefined, { 'x-account-id': companyId })).status).toBe(
      200,
    )
    await expectRevoked(credentials, userId, companyId)
    expect((await new SignInBrowser(server).signIn(email)).status).toBe(401)
    expect((await new SignInBrowser(server).signIn(email, NEW_PASSWORD)).status).toBe(200)
  })

  it('gains no access to the next account either, because a link shown to the inviter does not verify an address', async () => {
    const { email, credentials, invitation } = await preHijack()
    const victim = await signInWithCode(email, credentials)
    expect((await accept(victim, invitation, NEW_PASSWORD)).status).toBe(200)
    const { browser: third } = await makeSignedIn(server)
    const next = await inviteFrom(third, email)
    expect((await accept(victim, next)).body).toMatchObject({ details: [{ path: 'password' }] })
    expect((await accept(victim, next, NEW_PASSWORD)).body).toMatchObject({ details: [{ path: 'password' }] })
  })
})

describe('a user with a verified address', () => {
  it('keeps their password, API tokens and apps when joining another account', async () => {
    const { email, browser, credentials } = await makeUserWithCredentials()
    const { browser: company, accountId } = await makeSignedIn(server)
    const invitation = await inviteFrom(company, email)
    expect((await accept(browser, invitation, NEW_PASSWORD)).body).toMatchObject({
      details: [{ path: 'password' }],
    })
    expect((await accept(browser, invitation)).status).toBe(200)
    expect(await tryCredentials(credentials, accountId)).toEqual({ token: 200, session: 200, app: 200 })
  })
})

describe('a password reset', () => {
  it('revokes every API token, connected app, passkey, authenticator app and session of the user immediately', async () => {
    const { credentials, ...user } = await makeUserWithCredentials()
    expect(await tryCredentials(credentials, user.accountId)).toEqual({ token: 200, session: 200, app: 200 })
    await reset(user)
    await expectRevoked(credentials, user.userId, user.accountId)
    const browser = new SignInBrowser(server)
    // No code is required: the reset removed the authenticator app, which may have been set up by a stranger.
    expect((await browser.signIn(user.email, NEW_PASSWORD)).body).toMatchObject({ user: { id: user.userId } })
    expect((await browser.send('GET', '/user/sign-in')).body).toMatchObject({
      hasPassword: true,
      passkeys: [],
    })
    expect((await browser.send('GET', '/connected-apps')).body).toMatchObject({ data: [] })
  })

  it('records in the audit log what it revoked', async () => {
    const user = await makeUserWithCredentials()
    await reset(user)
    const browser = new SignInBrowser(server)
    await browser.signIn(user.email, NEW_PASSWORD)
    const { data } = (await browser.send('GET', '/audit-log')).body as {
      data: { action: string; auditedType: string }[]
    }
    expect(data.map(({ action, auditedType }) => `${action} ${auditedType}`)).toEqual(
      expect.arrayContaining([
        'disconnect oauth_grant',
        'remove_passkey passkey',
        'reset_password user',
        'revoke api_token',
        'disable_totp user',
      ]),
    )
  })
})
