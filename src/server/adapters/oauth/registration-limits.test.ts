import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Caller, makeCaller } from '../../../../test/support/app.ts'
import { Browser } from '../../../../test/support/http/browser.ts'
import { connectBySdk } from '../../../../test/support/http/oauth-client.ts'
import { openTestServer, type TestServer } from '../../../../test/support/http/server.ts'
import { findFreePort } from '../../../../test/support/processes/ports.ts'
import { openRateLimits } from '../http/rate-limits.ts'
import { sessionCookieName } from '../http/session-cookie.ts'

const REDIRECT = 'http://localhost:7777/callback'

let server: TestServer
let origin: string
let user: Caller
beforeAll(async () => {
  origin = `http://localhost:${await findFreePort()}`
  const settings = { PUBLIC_URL: origin, RATE_LIMIT_PER_MINUTE: '100', TRUSTED_PROXIES: '127.0.0.1' }
  server = await openTestServer(settings)
  user = await makeCaller(server.app)
})
beforeEach(() => server.app.setNow(new Date()))
afterAll(() => server[Symbol.asyncDispose]())

let addresses = 0
const newAddress = () => `192.0.2.${++addresses}`
const register = async (metadata: object, from = newAddress()) => {
  const { status, body, headers } = await server.request('POST', '/register', {
    body: metadata,
    headers: { 'x-forwarded-for': from },
  })
  return { status, headers, ...(body as { client_id: string; error?: string }) }
}
const makeMetadata = (client_name: string) => ({ client_name, redirect_uris: [REDIRECT] })
const isStored = async (id: string) =>
  (await server.app.owner`select from oauth_clients where id = ${id}`).length === 1
const authorizeUrl = (client_id: string, parameters = {}) =>
  `${origin}/v1/authorize?${new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: REDIRECT,
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    ...parameters,
  })}`
const openBrowser = async (caller: Caller) => new Browser(origin, await server.createCookie(caller))

describe('client registration', () => {
  it('stores at most 4 kB of metadata and ignores other fields', async () => {
    const uris = (length: number) =>
      Array.from({ length: 20 }, (_, i) => `https://a.example/${'a'.repeat(length)}${i}`)
    const refused = await register({ client_name: 'Large', redirect_uris: uris(200) })
    expect([refused.status, refused.error]).toEqual([400, 'invalid_client_metadata'])
    expect((await register({ ...makeMetadata('Padded'), padding: 'a'.repeat(20_000) })).status).toBe(400)
    const accepted = await register({
      ...makeMetadata('Described'),
      logo_uri: 'a'.repeat(8_000),
      redirect_uris: uris(100),
    })
    expect(accepted.status).toBe(201)
    const [stored] = await server.app.owner<{ bytes: number }[]>`
      select octet_length(metadata::text) as bytes from oauth_clients where id = ${accepted.client_id}`
    expect(stored!.bytes).toBeLessThan(4_096)
  })

  it('allows 20 clients a minute per address, not counting known applications', async () => {
    const from = newAddress()
    for (let n = 0; n < 20; n++) expect((await register(makeMetadata(`App ${n}`), from)).status).toBe(201)
    const refused = await register(makeMetadata('App 20'), from)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    const claude = { redirect_uris: ['https://claude.ai/api/mcp/auth_callback'] }
    expect(await register(claude, from)).toMatchObject({ status: 201, client_id: 'claude' })
    expect((await register(makeMetadata('App 20'))).status).toBe(201)
  })

  it('allows 600 clients a minute from all addresses together', async () => {
    await using limits = openRateLimits(server.app.config, server.app.log)
    for (let n = 0; n < 600; n++) await limits.countRegistration(`2001:db8:0:${n.toString(16)}::1`)
    await expect(limits.countRegistration('203.0.113.1')).rejects.toMatchObject({ code: 'TooManyRequests' })
  })

  it('deletes a client after an hour without a grant and returns the same ID when it registers again', async () => {
    const { client_id } = await register(makeMetadata('Unused'))
    server.app.setNow(new Date(Date.now() + 61 * 60_000))
    await register(makeMetadata('Another'))
    const tokenResponse = await server.request('POST', '/token', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `grant_type=refresh_token&refresh_token=a&client_id=${client_id}`,
    })
    expect([tokenResponse.status, tokenResponse.body]).toMatchObject([401, { error: 'invalid_client' }])
    expect((await register(makeMetadata('Unused'))).client_id).toBe(client_id)
    const { response } = await (await openBrowser(user)).open(authorizeUrl(client_id))
    expect(response.status).toBe(200)
  })

  it('keeps the 10,000 newest unused clients and all clients with a grant', async () => {
    const { stored, client } = await connectBySdk(`${origin}/v1/mcp`, await openBrowser(user))
    await client.close()
    const connected = (stored.client as { client_id: string }).client_id
    const { owner } = server.app
    await owner`
      insert into oauth_clients (id, metadata, updated_at)
      select 'flood ' || i, '{}', now() - i * interval '100 ms' from generate_series(0, 9999) i`
    await owner`update oauth_clients set updated_at = now() - interval '1 year' where id = ${connected}`
    const { client_id } = await register(makeMetadata('The newest'))
    const [unused] = await owner<{ count: number }[]>`
      select count(*)::int as count from oauth_clients where connected_at is null`
    expect(unused).toEqual({ count: 10_000 })
    expect(await isStored('flood 9999')).toBe(false)
    for (const id of [client_id, connected, 'flood 0']) expect(await isStored(id), id).toBe(true)
    await owner`delete from oauth_clients where id like 'flood %'`
  })

  it('deletes a client 90 days after its last grant was revoked or expired', async () => {
    const connect = async (redirectUri: string) => {
      const { stored, client } = await connectBySdk(`${origin}/v1/mcp`, await openBrowser(user), {
        redirectUri,
      })
      await client.close()
      return (stored.client as { client_id: string }).client_id
    }
    const revoked = await connect('http://localhost:7777/revoked')
    const expired = await connect('http://localhost:7777/expired')
    const inUse = await connect('http://localhost:7777/in-use')
    const { owner } = server.app
    await owner`update oauth_grants set revoked_at = now() where client_id = ${revoked}`
    await owner`update oauth_grants set expires_at = now() where client_id = ${expired}`
    // The client in use also has an expired grant.
    await owner`
      insert into oauth_grants (id, account_id, user_id, client_id, client_name, client_host, scopes, payload, expires_at)
      select gen_random_uuid(), account_id, user_id, client_id, client_name, client_host, scopes, payload, now()
        from oauth_grants where client_id = ${inUse}`
    const stored = async () => Promise.all([revoked, expired, inUse].map(isStored))
    const day = 24 * 60 * 60_000
    server.app.setNow(new Date(Date.now() + 89 * day))
    await register(makeMetadata('After 89 days'))
    expect(await stored()).toEqual([true, true, true])
    server.app.setNow(new Date(Date.now() + 91 * day))
    await register(makeMetadata('After 91 days'))
    expect(await stored()).toEqual([false, false, true])
  })

  it('keeps a client that registers again long after its last grant ended', async () => {
    const { client_id } = await register(makeMetadata('Again'))
    const browser = await openBrowser(await makeCaller(server.app))
    await browser.decide(authorizeUrl(client_id))
    const hour = 60 * 60_000
    const later = Date.now() + 365 * 24 * hour
    server.app.setNow(new Date(later))
    await register(makeMetadata('Swept'))
    await server.app.owner`update oauth_grants set revoked_at = now() where client_id = ${client_id}`
    await register(makeMetadata('Again'))
    server.app.setNow(new Date(later + 2 * hour))
    await register(makeMetadata('Swept again'))
    expect(await isStored(client_id)).toBe(true)
  })
})

describe('authorization request', () => {
  const countRecords = async () =>
    (await server.app.owner<{ count: number }[]>`select count(*)::int as count from oauth_records`)[0]!.count

  it('stores nothing before the user has signed in', async () => {
    const { client_id } = await register(makeMetadata('Asked by nobody'))
    const before = await countRecords()
    const url = authorizeUrl(client_id)
    const response = await new Browser(origin).request(url)
    expect(response.status).toBe(303)
    expect(new URLSearchParams(response.headers.get('location')!.split('?')[1]).get('next')).toBe(
      url.slice(origin.length),
    )
    expect(response.headers.getSetCookie()).toEqual([])
    expect(await countRecords()).toBe(before)
  })

  it('is limited to 20 a minute per user and to 8,000 characters', async () => {
    const browser = await openBrowser(await makeCaller(server.app))
    const { client_id } = await register(makeMetadata('Asked often'))
    const getStatus = async (parameters = {}) =>
      (await browser.request(authorizeUrl(client_id, parameters))).status
    expect(await getStatus({ state: 'a'.repeat(8_000) })).toBe(400)
    for (let n = 0; n < 20; n++) expect(await getStatus()).toBe(303)
    expect(await getStatus()).toBe(429)
  })

  /** Opens the consent page and returns the URL that resumes the authorization. */
  const openConsent = async (browser: Browser) => {
    const { client_id } = await register(makeMetadata('Resumed'))
    const response = await browser.request(authorizeUrl(client_id))
    return `${origin}/v1/authorize/${response.headers.get('location')!.split('/').at(-1)}`
  }

  it('resumes from the consent page only with a session', async () => {
    const browser = await openBrowser(await makeCaller(server.app))
    const resumeUrl = await openConsent(browser)
    browser.setCookie(`${sessionCookieName(server.app.config)}=none`)
    const before = await countRecords()
    const { status, headers } = await browser.request(resumeUrl)
    const { pathname } = new URL(resumeUrl)
    expect([status, headers.get('location')]).toEqual([303, `/sign-in?next=${encodeURIComponent(pathname)}`])
    expect(headers.getSetCookie()).toEqual([])
    expect(await countRecords()).toBe(before)
  })

  it('counts each resumption toward the limit of 20 a minute', async () => {
    const browser = await openBrowser(await makeCaller(server.app))
    let url = await openConsent(browser)
    const resume = async () => {
      const { status, headers } = await browser.request(url)
      url = `${origin}/v1/authorize/${headers.get('location')?.split('/').at(-1)}`
      return status
    }
    for (let n = 1; n < 20; n++) expect(await resume()).toBe(303)
    expect(await resume()).toBe(429)
  })

  it('counts each consent toward the limit of 20 a minute, so one page cannot create unlimited grants', async () => {
    const caller = await makeCaller(server.app)
    const browser = await openBrowser(caller)
    const { client_id } = await register(makeMetadata('Allowed often'))
    const { response, url } = await browser.open(authorizeUrl(client_id))
    const csrf = /name="csrf" value="([^"]+)"/.exec(await response.text())![1]!
    const allow = async () => {
      const form = new URLSearchParams({ csrf, decision: 'allow', account: caller.accountId })
      const headers = { 'content-type': 'application/x-www-form-urlencoded', origin }
      return (await browser.request(url, { method: 'POST', headers, body: form.toString() })).status
    }
    for (let n = 1; n < 20; n++) expect(await allow()).toBe(303)
    expect(await allow()).toBe(429)
    const grants = await server.app.owner`select from oauth_grants where user_id = ${caller.userId}`
    expect(grants).toHaveLength(19)
  })

  it('is replaced by exactly one new request when it is resumed many times concurrently', async () => {
    const browser = await openBrowser(await makeCaller(server.app))
    const resumeUrl = await openConsent(browser)
    const countInteractions = async () =>
      (await server.app.owner`select from oauth_records where kind = 'Interaction'`).length
    const before = await countInteractions()
    const responses = await Promise.all(Array.from({ length: 19 }, () => browser.request(resumeUrl)))
    expect(responses.map(({ status }) => status).sort()).toEqual([303, ...Array(18).fill(400)])
    expect(await countInteractions()).toBe(before)
  })
})
