import { randomUUIDv7 } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import {
  type OAuthFault,
  oauthFaultClasses,
  oauthFaults,
} from '../../../../test/support/mail/oauth-faults.ts'
import { makeOAuthUser } from '../../../../test/support/mail/oauth-grants.ts'
import { getOAuthSettings } from '../../../../test/support/mail/oauth-mail.ts'
import { type OAuthMode, OAuthServer, oauthClientId } from '../../../../test/support/mail/oauth-server.ts'
import { inAccount } from '../../kernel/context.ts'
import type { TokenErrorClass } from '../../protocols/mail-oauth/token-error.ts'
import { getAccessToken } from './access-token.ts'
import { storeConnection } from './mailbox-grants.ts'

const HOUR_MS = 3_600_000

const servers = {} as Record<OAuthMode, OAuthServer>
const apps = {} as Record<OAuthMode, TestApp>
beforeAll(async () => {
  for (const mode of ['google', 'microsoft', 'strict'] as const) {
    servers[mode] = await OAuthServer.open(mode)
    apps[mode] = await openTestApp({
      ALLOW_PRIVATE_HOSTS: '127.0.0.1',
      ...getOAuthSettings(servers[mode]),
    })
  }
})
beforeEach(() => {
  for (const server of Object.values(servers)) {
    server.onToken = () => undefined
    server.tokenRequests.length = 0
  }
  for (const app of Object.values(apps)) app.setNow(new Date())
})
afterEach(() => void vi.useRealTimers())
afterAll(async () => {
  for (const each of [...Object.values(apps), ...Object.values(servers)]) await each[Symbol.asyncDispose]()
})

/** Creates a mailbox that was connected just now. */
async function makeMailbox(mode: OAuthMode) {
  const [app, server] = [apps[mode], servers[mode]]
  const { accountId, call } = await makeCaller(app)
  const { id: repId } = await call('createRep', { name: 'Ada Byron' })
  const email = `ada-${randomUUIDv7()}@acme.example`
  const smtp = { host: '127.0.0.1', port: 1, tls: 'none' as const }
  const { id: mailboxId } = await call('createMailbox', { repId, kind: 'smtp', email, smtp })
  const kind = mode === 'google' ? ('google' as const) : ('microsoft' as const)
  const connect = async () => {
    const tokens = server.issueGrant(makeOAuthUser(email))
    const connection = { kind, clientId: oauthClientId, subject: email, login: email, tokens }
    await inAccount(app.db.work, accountId, tx =>
      storeConnection(app, tx, { accountId, mailboxId }, connection, app.now()),
    )
    return tokens
  }
  const tokens = await connect()
  return {
    app,
    server,
    email,
    tokens,
    connect,
    get: (options = {}) => getAccessToken(app, { accountId, mailboxId }, options),
    /** Gets the token as another process would. */
    getInOtherProcess: () => getAccessToken({ ...app }, { accountId, mailboxId }),
    advance: (ms: number) => app.setNow(new Date(app.now().getTime() + ms)),
    stored: async () => {
      const [grant] = await app.owner`select * from mailbox_grants where mailbox_id = ${mailboxId}`
      return grant!
    },
  }
}

const modes = ['google', 'microsoft', 'strict'] as const

describe.each(modes)('an access token of a provider like %s', mode => {
  it('is used until five minutes before it expires, then refreshed', async () => {
    const { get, advance, tokens, server } = await makeMailbox(mode)
    expect(await get()).toEqual({ token: tokens.accessToken })
    advance(HOUR_MS - 6 * 60_000)
    expect(await get()).toEqual({ token: tokens.accessToken })
    expect(server.tokenRequests).toHaveLength(0)
    advance(2 * 60_000)
    const refreshed = await get()
    expect(refreshed).toEqual({ token: expect.stringMatching(/^access-/) })
    expect(refreshed).not.toEqual({ token: tokens.accessToken })
    expect(await get()).toEqual(refreshed)
    expect(server.tokenRequests).toHaveLength(1)
  })

  it('can be refreshed repeatedly', async () => {
    const { get, advance } = await makeMailbox(mode)
    for (let hour = 0; hour < 4; hour += 1) {
      advance(HOUR_MS)
      expect(await get()).toEqual({ token: expect.any(String) })
    }
  })

  it('is requested once, however many callers need it at the same time', async () => {
    const { get, getInOtherProcess, advance, server } = await makeMailbox(mode)
    advance(HOUR_MS)
    const response = Promise.withResolvers<undefined>()
    server.onToken = () => response.promise
    const waiting = Array.from({ length: 12 }, (_, n) => (n % 3 === 0 ? getInOtherProcess() : get()))
    await vi.waitFor(() => expect(server.tokenRequests).toHaveLength(1))
    response.resolve(undefined)
    const found = await Promise.all(waiting)
    expect(new Set(found.map(each => 'token' in each && each.token)).size).toBe(1)
    expect(server.tokenRequests).toHaveLength(1)
  })

  it('is replaced when the mail server rejected it, unless another process has replaced it', async () => {
    const { get, tokens, server } = await makeMailbox(mode)
    const rejected = tokens.accessToken
    const replaced = await get({ rejected })
    expect(replaced).toEqual({ token: expect.not.stringMatching(rejected) })
    expect(await get({ rejected })).toEqual(replaced)
    expect(server.tokenRequests).toHaveLength(1)
  })

  it('is stored encrypted', async () => {
    const { stored, tokens } = await makeMailbox(mode)
    const { access_token: access, refresh_token: refresh } = await stored()
    for (const bytes of [access, refresh] as Buffer[]) {
      expect(bytes.toString('latin1')).not.toContain(tokens.accessToken)
      expect(bytes.toString('latin1')).not.toContain(tokens.refreshToken)
    }
  })
})

const errors = Object.entries(oauthFaultClasses) as [OAuthFault, TokenErrorClass][]

describe('an error response of the provider', () => {
  it.each(errors)('(%s) is of the class %s, and access works again afterwards', async (name, expected) => {
    const { get, advance, server, stored } = await makeMailbox('microsoft')
    advance(HOUR_MS)
    server.onToken = () => name
    const response = await get()
    expect(response).toMatchObject({ error: { class: expected }, retryAt: expect.any(Date) })
    const { error_reason: reason } = await stored()
    expect(reason).not.toMatch(/Trace ID|undefined|\n/)
    expect(await get()).toMatchObject({ error: { class: expected } })
    expect(server.tokenRequests, 'the backoff limits requests').toHaveLength(1)
    server.onToken = () => undefined
    advance(7 * HOUR_MS)
    expect(await get()).toEqual({ token: expect.any(String) })
    expect(await stored()).toMatchObject({ error_class: null, failure_count: 0 })
  })

  it('the tests cover every error of the OAuth test server', () => {
    expect(Object.keys(oauthFaults).sort()).toEqual(Object.keys(oauthFaultClasses).sort())
  })

  it.each([
    'cut',
    'lost',
    { status: 200, body: '<html>' },
    { status: 200, body: { token_type: 'x' } },
  ] as const)('is retried if it is not an OAuth response (%j), and no user has to act', async reaction => {
    const { get, advance, server } = await makeMailbox('microsoft')
    advance(HOUR_MS)
    server.onToken = () => reaction
    expect(await get()).toMatchObject({ error: { class: 'transient' } })
    server.onToken = () => undefined
    advance(60_000)
    expect(await get()).toEqual({ token: expect.any(String) })
  })

  it('does not end the use of a token that is still valid', async () => {
    const { get, advance, server, tokens } = await makeMailbox('google')
    advance(HOUR_MS - 60_000)
    server.onToken = () => 'unavailable'
    expect(await get()).toEqual({ token: tokens.accessToken })
    expect(await get()).toEqual({ token: tokens.accessToken })
    expect(server.tokenRequests).toHaveLength(1)
  })

  it('is ignored if the token was replaced in the meantime: the new token is used', async () => {
    const { get, advance, server, connect } = await makeMailbox('microsoft')
    advance(HOUR_MS)
    let isConnectedAgain = false
    server.onToken = async () => {
      if (isConnectedAgain) return undefined
      isConnectedAgain = true
      await connect()
      return 'revoked'
    }
    expect(await get()).toEqual({ token: expect.any(String) })
  })

  it('does not keep a person from retrying immediately, without waiting for the backoff', async () => {
    const { get, advance, server } = await makeMailbox('microsoft')
    advance(HOUR_MS)
    server.onToken = () => 'noConsent'
    expect(await get()).toMatchObject({ error: { class: 'admin' } })
    server.onToken = () => undefined
    expect(await get()).toMatchObject({ error: { class: 'admin' } })
    expect(await get({ ignoresBackoff: true })).toEqual({ token: expect.any(String) })
  })
})

it('an access token is refreshed after a process was killed during its refresh', async () => {
  const { get, advance, app, stored } = await makeMailbox('google')
  advance(HOUR_MS)
  const { mailbox_id: mailboxId } = await stored()
  const leaseEnd = new Date(app.now().getTime() + 20_000)
  await app.owner`
    update mailbox_grants set refreshing_until = ${leaseEnd}, epoch = epoch + 1 where mailbox_id = ${mailboxId}`
  const waiting = get()
  advance(21_000)
  expect(await waiting).toEqual({ token: expect.any(String) })
})

it('a second process requests no access token while the first waits for the response, however slow the machine is', async () => {
  const { get, getInOtherProcess, advance, server, app, stored } = await makeMailbox('strict')
  advance(HOUR_MS)
  const response = Promise.withResolvers<undefined>()
  server.onToken = () => response.promise
  vi.useFakeTimers({ toFake: ['setInterval'] })
  const waiting = get()
  await vi.waitFor(() => expect(server.tokenRequests).toHaveLength(1))
  for (let seconds = 0; seconds < 60; seconds += 6) {
    advance(6_000)
    vi.advanceTimersByTime(6_000)
    await vi.waitFor(async () =>
      expect((await stored()).refreshing_until.getTime()).toBeGreaterThan(app.now().getTime() + 14_000),
    )
  }
  const otherToken = getInOtherProcess()
  response.resolve(undefined)
  expect(await otherToken).toEqual(await waiting)
  expect(server.tokenRequests).toHaveLength(1)
})

it('an access token is stored once the database can be reached again, without a second request to the provider', async () => {
  const { get, advance, server, app } = await makeMailbox('strict')
  advance(HOUR_MS)
  const response = Promise.withResolvers<undefined>()
  server.onToken = () => response.promise
  const waiting = get()
  await vi.waitFor(() => expect(server.tokenRequests).toHaveLength(1))
  await app.owner.begin(async tx => {
    await tx`lock table mailbox_grants`
    response.resolve(undefined)
    await vi.waitFor(async () => {
      const ended = await app.owner`
        select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`
      expect(ended.count).toBe(1)
    })
  })
  expect(await waiting).toEqual({ token: expect.any(String) })
  expect(server.tokenRequests).toHaveLength(1)
  advance(HOUR_MS)
  expect(await get(), 'the replaced refresh token works').toEqual({ token: expect.any(String) })
})

it('a refresh token is not used with a client other than the one it was issued to', async () => {
  const { get, advance, server, app, stored } = await makeMailbox('google')
  const { mailbox_id: mailboxId } = await stored()
  await app.owner`update mailbox_grants set client_id = 'client-0' where mailbox_id = ${mailboxId}`
  advance(HOUR_MS)
  expect(await get()).toMatchObject({ error: { class: 'user', code: 'client_changed' } })
  expect(server.tokenRequests).toHaveLength(0)
})
