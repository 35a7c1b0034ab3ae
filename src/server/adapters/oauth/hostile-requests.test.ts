import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aCaller, type Caller } from '../../../../test/support/app.ts'
import { Browser } from '../../../../test/support/http/browser.ts'
import { openTestServer, type TestServer } from '../../../../test/support/http/server.ts'
import { freePort } from '../../../../test/support/processes/ports.ts'

/** What RFC 9700 and its kin warn of, by the address that it is tried at; connect.test.ts has what goes wrong honestly. */

const REDIRECT = 'https://client.example/callback'
const verifier = randomBytes(32).toString('base64url')
const challenge = createHash('sha256').update(verifier).digest('base64url')

let server: TestServer
let owner: Caller
let origin: string
let browser: Browser
let clientId: string
beforeAll(async () => {
  origin = `http://localhost:${await freePort()}`
  server = await openTestServer({ PUBLIC_URL: origin })
  owner = await aCaller(server.app)
  browser = new Browser(origin, await server.cookieOf(owner))
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
const codeFor = async (parameters = {}) =>
  new URL(await browser.allow(authorizeUrl('', parameters))).searchParams.get('code')!
const post = (path: string, body: BodyInit, headers: Record<string, string> = {}) =>
  fetch(`${origin}/v1${path}`, { method: 'POST', redirect: 'manual', body, headers })
const form = (fields: Record<string, string>) => new URLSearchParams(fields)
const exchanging = (code: string) => ({
  grant_type: 'authorization_code',
  client_id: clientId,
  code,
  code_verifier: verifier,
  redirect_uri: REDIRECT,
})
const tokensOf = async (answer: Response) =>
  (await answer.json()) as { access_token?: string; refresh_token?: string }
const connected = async () => {
  const tokens = await tokensOf(await post('/token', form(exchanging(await codeFor()))))
  return tokens as { access_token: string; refresh_token: string }
}

describe('an authorization gives no code and leads nowhere unknown', () => {
  it.each([
    ['that names its client twice', '&client_id=claude'],
    ['that names its redirect URI twice', '&redirect_uri=https%3A%2F%2Fevil.example%2F'],
    ['that names its challenge twice', '&code_challenge=a'],
    ['that names its method twice', '&code_challenge_method=plain'],
    ['that names its state twice', '&state=t'],
    ['that names its kind of answer twice', '&response_type=token'],
    ['with the answer in the fragment', '&response_mode=fragment'],
    ['with the answer in a form', '&response_mode=form_post'],
    ['with the answer in a message', '&response_mode=web_message'],
    ['with a mode that is none', '&response_mode=nonsense'],
    ['as a request object', '&request=eyJhbGciOiJub25lIn0.e30.'],
    ['that was pushed', '&request_uri=urn%3Aietf%3Aparams%3Aoauth%3Arequest_uri%3Aa'],
    ['that asks nobody', '&prompt=none'],
    ['with a prompt that is none', '&prompt=create'],
    ['with a resource beside ours', '&resource=https%3A%2F%2Felsewhere.example%2F'],
    ['with a resource that has a fragment', '&resource=https%3A%2F%2Fa.example%2F%23a'],
    ['with a resource that is no address', '&resource=mcp'],
    ['with a resource almost ours', `&resource=${encodeURIComponent('http://localhost:1/v1/mcp')}`],
    ['with a hint of a forged identity', '&id_token_hint=eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.'],
    ['with an age that is none', '&max_age=-1'],
    ['with a scope that holds a quote', '&scope=%22'],
  ])('%s', async (_what, extra) => {
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
  ])('for a code to %j', async redirect_uri => {
    const { response, leadsTo } = await browser.open(authorizeUrl('', { redirect_uri }))
    expect([response.status, leadsTo]).toEqual([400, undefined])
    expect(await response.text()).not.toContain('evil.example')
  })

  it.each([
    ['client', { client_id: 'a\0b' }],
    ['state', { state: 'a\0b' }],
    ['scope', { scope: 'outreach.read\0' }],
  ])('with a NUL in its %s, which no text has', async (_what, parameters) => {
    const { response, leadsTo } = await browser.open(authorizeUrl('', parameters))
    expect([response.status, leadsTo]).toEqual([400, undefined])
  })

  it('and hands a state back as it came, whatever is in it', async () => {
    for (const state of ['a\r\nSet-Cookie: a=b', '<script>', '&code=forged&iss=https://evil.example', '#a']) {
      const back = await browser.allow(authorizeUrl('', { state }), 'deny')
      const { searchParams } = new URL(back)
      expect(searchParams.getAll('state')).toEqual([state])
      expect([searchParams.get('code'), searchParams.get('iss')]).toEqual([null, `${origin}/v1`])
    }
  })
})

describe('a token is not given', () => {
  const code = () => codeFor()
  it.each([
    [
      'for a password',
      async () => form({ grant_type: 'password', client_id: clientId, username: 'a', password: 'b' }),
    ],
    ['to a client for itself', async () => form({ grant_type: 'client_credentials', client_id: clientId })],
    [
      'for an assertion',
      async () =>
        form({
          grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
          client_id: clientId,
          assertion: 'e30.e30.',
        }),
    ],
    [
      'for a device',
      async () =>
        form({
          grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
          client_id: clientId,
          device_code: 'a',
        }),
    ],
    [
      'for another token',
      async () =>
        form({
          grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
          client_id: clientId,
          subject_token: 'a',
        }),
    ],
    ['for no reason', async () => form({ client_id: clientId, code: await code() })],
    ['to nobody', async () => form({ ...exchanging(await code()), client_id: '' })],
    ['to a client that is none', async () => form({ ...exchanging(await code()), client_id: 'nobody' })],
    ['without the verifier', async () => form({ ...exchanging(await code()), code_verifier: '' })],
    [
      'for the challenge as a verifier',
      async () => form({ ...exchanging(await code()), code_verifier: challenge }),
    ],
    [
      'for half a verifier',
      async () => form({ ...exchanging(await code()), code_verifier: verifier.slice(0, 20) }),
    ],
    ['without the redirect URI', async () => form({ ...exchanging(await code()), redirect_uri: '' })],
    [
      'for another redirect URI',
      async () => form({ ...exchanging(await code()), redirect_uri: 'https://evil.example/' }),
    ],
    [
      'for another resource',
      async () => form({ ...exchanging(await code()), resource: 'https://elsewhere.example/' }),
    ],
    [
      'for a refresh token in place of a code',
      async () => form(exchanging((await connected()).refresh_token)),
    ],
    [
      'for an access token in place of a refresh token',
      async () =>
        form({
          grant_type: 'refresh_token',
          client_id: clientId,
          refresh_token: (await connected()).access_token,
        }),
    ],
    [
      'for a code in place of a refresh token',
      async () => form({ grant_type: 'refresh_token', client_id: clientId, refresh_token: await code() }),
    ],
    ['for two codes', async () => `${form(exchanging(await code()))}&code=${await code()}`],
    ['for two verifiers', async () => `${form(exchanging(await code()))}&code_verifier=a`],
    ['to two clients', async () => `${form(exchanging(await code()))}&client_id=claude`],
    ['for nothing', async () => ''],
    [
      'to a client with a NUL in its name',
      async () => form({ ...exchanging(await code()), client_id: '\0' }),
    ],
  ] as [string, () => Promise<URLSearchParams | string>][])('%s', async (_what, body) => {
    const answer = await post('/token', `${await body()}`, {
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect([400, 401]).toContain(answer.status)
    expect(await answer.json()).toMatchObject({ error: expect.any(String) })
    expect(answer.headers.get('cache-control')).toContain('no-store')
  })

  it('for what does not come as a form, or comes in the address', async () => {
    const fields = exchanging(await codeFor())
    const type = (name: string) => ({ 'content-type': name })
    expect((await post('/token', JSON.stringify(fields), type('application/json'))).status).toBe(400)
    expect((await post('/token', `${form(fields)}`, type('text/plain'))).status).toBe(400)
    expect((await post(`/token?${form(fields)}`, '', type('application/x-www-form-urlencoded'))).status).toBe(
      400,
    )
    expect((await fetch(`${origin}/v1/token?${form(fields)}`)).status).toBe(405)
    // None of these used the code up.
    expect((await post('/token', form(fields))).status).toBe(200)
  })

  it('to a client that shows a secret in a header, because none has one', async () => {
    const basic = { authorization: `Basic ${btoa(`${clientId}:secret`)}` }
    expect((await post('/token', form(exchanging(await codeFor())), basic)).status).toBe(401)
  })

  it('to another client that got hold of a code, which ends the code too', async () => {
    const thief = await register('Thief')
    const code = await codeFor()
    expect((await post('/token', form({ ...exchanging(code), client_id: thief }))).status).toBe(400)
  })
})

describe('what is not offered is not there', () => {
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
  ])('%s', async path => {
    for (const method of ['GET', 'POST']) {
      const { status } = await server.request(method, path)
      expect([401, 404, 405]).toContain(status)
    }
  })
})

describe('the consent page', () => {
  const opened = async (by = browser) => {
    const { response, url } = await by.open(authorizeUrl())
    const html = await response.text()
    return { url, headers: response.headers, csrf: /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? '' }
  }
  const answering = (url: string, csrf: string, headers: Record<string, string>) =>
    browser.request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: `${form({ csrf, decision: 'allow' })}`,
    })

  it.each([
    ['another origin', { origin: 'https://evil.example' }],
    ['another port', { origin: 'http://localhost:1' }],
    ['the same host with https', { origin: 'https://localhost' }],
    ['an origin that is withheld', { origin: 'null' }],
    ['a host that begins like ours', { origin: 'http://localhost.evil.example' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a neighbour of ours', { 'sec-fetch-site': 'same-site' }],
    ['nowhere', { 'sec-fetch-site': 'none' }],
  ])('takes no answer from %s', async (_what, headers) => {
    const { url, csrf } = await opened()
    const answer = await answering(url, csrf, headers as Record<string, string>)
    expect([answer.status, answer.headers.get('location')]).toEqual([403, null])
  })

  it.each([
    ['no', () => ''],
    ['an invented', () => 'nonsense'],
    ['an altered', (csrf: string) => `${csrf.slice(0, -2)}AA`],
    ['half a', (csrf: string) => csrf.slice(0, csrf.length / 2)],
  ])('takes no answer with %s token', async (_what, change) => {
    const { url, csrf } = await opened()
    expect((await answering(url, change(csrf), { origin })).status).toBe(403)
  })

  it.each([
    ['as JSON', 'application/json', () => JSON.stringify({ decision: 'allow' })],
    ['as text', 'text/plain', () => 'decision=allow'],
    ['in parts', 'multipart/form-data; boundary=a', () => '--a--'],
    ['too long', 'application/x-www-form-urlencoded', () => 'a'.repeat(20_000)],
  ])('takes no answer %s', async (_what, type, body) => {
    const { url } = await opened()
    const answer = await browser.request(url, {
      method: 'POST',
      headers: { 'content-type': type, origin },
      body: body(),
    })
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.status).toBeLessThan(500)
  })

  it('is nobody’s who only knows its address, nor of whom it was not opened for', async () => {
    const { url } = await opened()
    const stranger = new Browser(origin, await server.cookieOf(await aCaller(server.app)))
    expect((await stranger.request(url)).status).toBe(400)
    await opened(stranger)
    expect((await stranger.request(url)).status).toBe(400)
  })

  it('stands in no frame, is kept nowhere and tells no other site where it was', async () => {
    const { headers } = await opened()
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    expect(headers.get('cache-control')).toContain('no-store')
    expect(headers.get('referrer-policy')).toBe('same-origin')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })
})
