import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller } from '../../../../test/support/app.ts'
import { Browser } from '../../../../test/support/http/browser.ts'
import { openTestServer, type TestServer } from '../../../../test/support/http/server.ts'
import { findFreePort } from '../../../../test/support/processes/ports.ts'

/**
 * Attacks described in RFC 9700 and related documents, by endpoint. Honest mistakes are in authorization-flow.test.ts.
 */

const REDIRECT = 'https://client.example/callback'
const verifier = randomBytes(32).toString('base64url')
const challenge = createHash('sha256').update(verifier).digest('base64url')

let server: TestServer
let owner: Caller
let origin: string
let browser: Browser
let clientId: string
beforeAll(async () => {
  origin = `http://localhost:${await findFreePort()}`
  server = await openTestServer({ PUBLIC_URL: origin })
  owner = await makeCaller(server.app)
  browser = new Browser(origin, await server.createCookie(owner))
  clientId = await register('Client')
})
afterAll(() => server[Symbol.asyncDispose]())

const register = async (client_name: string, redirect_uri = REDIRECT): Promise<string> => {
  const { body } = await server.request('POST', '/register', {
    body: { client_name, redirect_uris: [redirect_uri] },
  })
  return (body as { client_id: string }).client_id
}
const authorizeUrl = (extra = '', parameters: Record<string, string> = {}): string =>
  `${origin}/v1/authorize?${new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 's',
    ...parameters,
  })}${extra}`
const getCode = async (parameters = {}) =>
  new URL(await browser.decide(authorizeUrl('', parameters))).searchParams.get('code')!
const post = (path: string, body: BodyInit, headers: Record<string, string> = {}) =>
  fetch(`${origin}/v1${path}`, { method: 'POST', redirect: 'manual', body, headers })
const form = (fields: Record<string, string>) => new URLSearchParams(fields)
const codeExchange = (code: string) => ({
  grant_type: 'authorization_code',
  client_id: clientId,
  code,
  code_verifier: verifier,
  redirect_uri: REDIRECT,
})
const parseTokens = async (response: Response) =>
  (await response.json()) as { access_token?: string; refresh_token?: string }
const connect = async () => {
  const tokens = await parseTokens(await post('/token', form(codeExchange(await getCode()))))
  return tokens as { access_token: string; refresh_token: string }
}

describe('authorization endpoint', () => {
  it.each([
    ['with two clients', '&client_id=claude'],
    ['with two redirect URIs', '&redirect_uri=https%3A%2F%2Fevil.example%2F'],
    ['with two code challenges', '&code_challenge=a'],
    ['with two code challenge methods', '&code_challenge_method=plain'],
    ['with two states', '&state=t'],
    ['with two response types', '&response_type=token'],
    ['for a response in the fragment', '&response_mode=fragment'],
    ['for a response in a form', '&response_mode=form_post'],
    ['for a response in a web message', '&response_mode=web_message'],
    ['with an unknown response mode', '&response_mode=nonsense'],
    ['with a request object', '&request=eyJhbGciOiJub25lIn0.e30.'],
    ['with a pushed request URI', '&request_uri=urn%3Aietf%3Aparams%3Aoauth%3Arequest_uri%3Aa'],
    ['with prompt=none', '&prompt=none'],
    ['with an unsupported prompt', '&prompt=create'],
    ['with a second, foreign resource', '&resource=https%3A%2F%2Felsewhere.example%2F'],
    ['with a resource that has a fragment', '&resource=https%3A%2F%2Fa.example%2F%23a'],
    ['with a resource that is not a URI', '&resource=mcp'],
    ['with a resource on another port', `&resource=${encodeURIComponent('http://localhost:1/v1/mcp')}`],
    ['with a forged id_token_hint', '&id_token_hint=eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.'],
    ['with a negative max_age', '&max_age=-1'],
    ['with a quote in the scope', '&scope=%22'],
  ])('rejects a request %s without redirecting', async (_what, extra) => {
    const { response, leadsTo } = await browser.open(authorizeUrl(extra))
    expect(leadsTo).toBeUndefined()
    expect(response.status).toBe(400)
  })

  it.each([
    'https://client.example/callback?next=https://evil.example',
    'https://client.example/callback/',
    'https://client.example/callback%2f..%2fevil',
    'https://client.example/callback/../evil',
    'https://client.example:443/callback',
    'https://client.example.evil.example/callback',
    'https://client.example@evil.example/callback',
    'https://evil.example\\@client.example/callback',
    'https://evil.example/https://client.example/callback',
    'https://CLIENT.example/callback',
    'HTTPS://client.example/callback',
    'http://client.example/callback',
    '//client.example/callback',
    '/callback',
    'https://client.example/callback\r\nLocation: https://evil.example',
    'https://client.example/callback\u0000',
    'javascript:alert(1)//https://client.example/callback',
    'data:text/html,<script>alert(1)</script>',
  ])('rejects the redirect URI %j without redirecting', async redirect_uri => {
    const { response, leadsTo } = await browser.open(authorizeUrl('', { redirect_uri }))
    expect([response.status, leadsTo]).toEqual([400, undefined])
    expect(await response.text()).not.toContain('evil.example')
  })

  it.each([
    ['client', { client_id: 'a\0b' }],
    ['state', { state: 'a\0b' }],
    ['scope', { scope: 'outreach.read\0' }],
  ])('rejects a request with NUL in the %s', async (_what, parameters) => {
    const { response, leadsTo } = await browser.open(authorizeUrl('', parameters))
    expect([response.status, leadsTo]).toEqual([400, undefined])
  })

  it('returns the state unchanged and encoded', async () => {
    for (const state of ['a\r\nSet-Cookie: a=b', '<script>', '&code=forged&iss=https://evil.example', '#a']) {
      const back = await browser.decide(authorizeUrl('', { state }), 'deny')
      const { searchParams } = new URL(back)
      expect(searchParams.getAll('state')).toEqual([state])
      expect([searchParams.get('code'), searchParams.get('iss')]).toEqual([null, `${origin}/v1`])
    }
  })
})

describe('token endpoint', () => {
  const code = () => getCode()
  it.each([
    [
      'with the password grant',
      async () => form({ grant_type: 'password', client_id: clientId, username: 'a', password: 'b' }),
    ],
    [
      'with the client credentials grant',
      async () => form({ grant_type: 'client_credentials', client_id: clientId }),
    ],
    [
      'with a JWT assertion',
      async () =>
        form({
          grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
          client_id: clientId,
          assertion: 'e30.e30.',
        }),
    ],
    [
      'with a device code',
      async () =>
        form({
          grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
          client_id: clientId,
          device_code: 'a',
        }),
    ],
    [
      'with a token exchange',
      async () =>
        form({
          grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
          client_id: clientId,
          subject_token: 'a',
        }),
    ],
    ['without a grant type', async () => form({ client_id: clientId, code: await code() })],
    ['with an empty client ID', async () => form({ ...codeExchange(await code()), client_id: '' })],
    ['from an unknown client', async () => form({ ...codeExchange(await code()), client_id: 'nobody' })],
    ['with an empty code verifier', async () => form({ ...codeExchange(await code()), code_verifier: '' })],
    [
      'with the challenge as the verifier',
      async () => form({ ...codeExchange(await code()), code_verifier: challenge }),
    ],
    [
      'with half of the verifier',
      async () => form({ ...codeExchange(await code()), code_verifier: verifier.slice(0, 20) }),
    ],
    ['with an empty redirect URI', async () => form({ ...codeExchange(await code()), redirect_uri: '' })],
    [
      'with another redirect URI',
      async () => form({ ...codeExchange(await code()), redirect_uri: 'https://evil.example/' }),
    ],
    [
      'for another resource',
      async () => form({ ...codeExchange(await code()), resource: 'https://elsewhere.example/' }),
    ],
    ['with a refresh token as the code', async () => form(codeExchange((await connect()).refresh_token))],
    [
      'with an access token as the refresh token',
      async () =>
        form({
          grant_type: 'refresh_token',
          client_id: clientId,
          refresh_token: (await connect()).access_token,
        }),
    ],
    [
      'with a code as the refresh token',
      async () => form({ grant_type: 'refresh_token', client_id: clientId, refresh_token: await code() }),
    ],
    ['with two codes', async () => `${form(codeExchange(await code()))}&code=${await code()}`],
    ['with two verifiers', async () => `${form(codeExchange(await code()))}&code_verifier=a`],
    ['with two clients', async () => `${form(codeExchange(await code()))}&client_id=claude`],
    ['with an empty body', async () => ''],
    ['with NUL in the client ID', async () => form({ ...codeExchange(await code()), client_id: '\0' })],
  ] as [string, () => Promise<URLSearchParams | string>][])('rejects a request %s', async (_what, body) => {
    const response = await post('/token', `${await body()}`, {
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect([400, 401]).toContain(response.status)
    expect(await response.json()).toMatchObject({ error: expect.any(String) })
    expect(response.headers.get('cache-control')).toContain('no-store')
  })

  it('rejects other content types and parameters in the URL without using up the code', async () => {
    const fields = codeExchange(await getCode())
    const type = (name: string) => ({ 'content-type': name })
    expect((await post('/token', JSON.stringify(fields), type('application/json'))).status).toBe(400)
    expect((await post('/token', `${form(fields)}`, type('text/plain'))).status).toBe(400)
    expect((await post(`/token?${form(fields)}`, '', type('application/x-www-form-urlencoded'))).status).toBe(
      400,
    )
    expect((await fetch(`${origin}/v1/token?${form(fields)}`)).status).toBe(405)
    expect((await post('/token', form(fields))).status).toBe(200)
  })

  it('rejects client authentication with a secret, because all clients are public', async () => {
    const basic = { authorization: `Basic ${btoa(`${clientId}:secret`)}` }
    expect((await post('/token', form(codeExchange(await getCode())), basic)).status).toBe(401)
  })

  it('rejects the code of another client', async () => {
    const thief = await register('Thief')
    const code = await getCode()
    expect((await post('/token', form({ ...codeExchange(code), client_id: thief }))).status).toBe(400)
  })
})

describe('unsupported endpoint', () => {
  it.each([
    '/v1/userinfo',
    '/v1/me',
    '/v1/introspect',
    '/v1/token/introspection',
    '/v1/token/revocation',
    '/v1/device',
    '/v1/device/auth',
    '/v1/par',
    '/v1/request',
    '/v1/session/end',
    '/v1/reg',
    '/v1/register/claude',
    '/v1/backchannel',
    '/v1/challenge',
  ])('does not exist: %s', async path => {
    for (const method of ['GET', 'POST']) {
      const { status } = await server.request(method, path)
      expect([401, 404, 405]).toContain(status)
    }
  })
})

describe('consent page', () => {
  const openConsent = async (by = browser) => {
    const { response, url } = await by.open(authorizeUrl())
    const html = await response.text()
    return { url, headers: response.headers, csrf: /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? '' }
  }
  const submit = (url: string, csrf: string, headers: Record<string, string>) =>
    browser.request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: `${form({ csrf, decision: 'allow' })}`,
    })

  it.each([
    ['another origin', { origin: 'https://evil.example' }],
    ['another port', { origin: 'http://localhost:1' }],
    ['the same host with https', { origin: 'https://localhost' }],
    ['an opaque origin', { origin: 'null' }],
    ['a host with our name as a prefix', { origin: 'http://localhost.evil.example' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['the same site', { 'sec-fetch-site': 'same-site' }],
    ['a direct navigation', { 'sec-fetch-site': 'none' }],
  ])('rejects a form sent from %s', async (_what, headers) => {
    const { url, csrf } = await openConsent()
    const response = await submit(url, csrf, headers as Record<string, string>)
    expect([response.status, response.headers.get('location')]).toEqual([403, null])
  })

  it.each([
    ['no', () => ''],
    ['an invented', () => 'nonsense'],
    ['an altered', (csrf: string) => `${csrf.slice(0, -2)}AA`],
    ['a truncated', (csrf: string) => csrf.slice(0, csrf.length / 2)],
  ])('rejects a form with %s CSRF token', async (_what, change) => {
    const { url, csrf } = await openConsent()
    expect((await submit(url, change(csrf), { origin })).status).toBe(403)
  })

  it.each([
    ['as JSON', 'application/json', () => JSON.stringify({ decision: 'allow' })],
    ['as text', 'text/plain', () => 'decision=allow'],
    ['as multipart', 'multipart/form-data; boundary=a', () => '--a--'],
    ['that is too long', 'application/x-www-form-urlencoded', () => 'a'.repeat(20_000)],
  ])('rejects a form %s', async (_what, type, body) => {
    const { url } = await openConsent()
    const response = await browser.request(url, {
      method: 'POST',
      headers: { 'content-type': type, origin },
      body: body(),
    })
    expect(response.status).toBeGreaterThanOrEqual(400)
    expect(response.status).toBeLessThan(500)
  })

  it('does not open in a browser that did not start the authorization', async () => {
    const { url } = await openConsent()
    const stranger = new Browser(origin, await server.createCookie(await makeCaller(server.app)))
    expect((await stranger.request(url)).status).toBe(400)
    await openConsent(stranger)
    expect((await stranger.request(url)).status).toBe(400)
  })

  it('forbids framing, caching and referrers to other sites', async () => {
    const { headers } = await openConsent()
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    expect(headers.get('cache-control')).toContain('no-store')
    expect(headers.get('referrer-policy')).toBe('same-origin')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })
})
