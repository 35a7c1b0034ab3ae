import { createHash, randomBytes } from 'node:crypto'
import * as oauth from 'oauth4webapi'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aCaller, type Caller } from '../../../../test/support/app.ts'
import { Browser } from '../../../../test/support/http/browser.ts'
import { connectBySdk } from '../../../../test/support/http/oauth-client.ts'
import { openTestServer, type TestServer } from '../../../../test/support/http/server.ts'
import { freePort } from '../../../../test/support/processes/ports.ts'
import { rotateSigningKeys } from './keys.ts'

let server: TestServer
let owner: Caller
let origin: string
let issuer: string
let browser: Browser
beforeAll(async () => {
  origin = `http://localhost:${await freePort()}`
  issuer = `${origin}/v1`
  server = await openTestServer({ PUBLIC_URL: origin })
  owner = await aCaller(server.app)
  browser = new Browser(origin, await server.cookieOf(owner))
})
afterAll(() => server[Symbol.asyncDispose]())

const REDIRECT = 'http://localhost:7777/callback'
const form = (path: string, fields: Record<string, string>, headers = {}) =>
  fetch(`${issuer}${path}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields),
  })
const register = (metadata: object) =>
  fetch(`${issuer}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(metadata),
  })
const registered = async (metadata: object = { client_name: 'Test', redirect_uris: [REDIRECT] }) =>
  ((await (await register(metadata)).json()) as { client_id: string }).client_id

const verifier = randomBytes(32).toString('base64url')
const challenge = createHash('sha256').update(verifier).digest('base64url')
const authorizeUrl = (clientId: string, parameters: Record<string, string | undefined> = {}): string => {
  const url = new URL(`${issuer}/authorize`)
  const all = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    resource: `${issuer}/mcp`,
    scope: 'outreach.read outreach.write offline_access',
    state: 'a state',
    ...parameters,
  }
  for (const [name, value] of Object.entries(all)) if (value !== undefined) url.searchParams.set(name, value)
  return url.href
}
const codeFor = async (clientId: string, parameters = {}) => {
  const back = new URL(await browser.allow(authorizeUrl(clientId, parameters)))
  return back.searchParams.get('code')!
}
const exchange = (clientId: string, code: string, fields: Record<string, string> = {}) =>
  form('/token', {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    code_verifier: verifier,
    redirect_uri: REDIRECT,
    ...fields,
  })
type Tokens = { access_token: string; refresh_token: string; scope: string; expires_in: number }
const connected = async (): Promise<Tokens & { clientId: string }> => {
  const clientId = await registered()
  const response = await exchange(clientId, await codeFor(clientId))
  expect(response.status).toBe(200)
  return { ...((await response.json()) as Tokens), clientId }
}
const refresh = (clientId: string, refresh_token: string, fields = {}) =>
  form('/token', { grant_type: 'refresh_token', client_id: clientId, refresh_token, ...fields })
const discover = (token: string, path = '/v1/mcp') =>
  fetch(origin + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
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

describe('a client', () => {
  it.each([
    ['auto', '/v1/mcp'],
    ['legacy', '/v1/mcp'],
    ['auto', '/mcp'],
  ] as const)('of the SDK (%s) connects with nothing but the URL %s', async (mode, path) => {
    const { client, kept, asked } = await connectBySdk(origin + path, browser, { mode })
    expect(asked.searchParams.get('resource')).toBe(origin + path)
    expect((await client.callTool({ name: 'whoami' })).structuredContent).toMatchObject({
      id: owner.accountId,
    })
    expect(kept.tokens?.refresh_token).toBeTruthy()
    await client.close()
  })

  it('that is strict about every document and answer connects too', async () => {
    const options = { [oauth.allowInsecureRequests]: true }
    const found = await oauth.processDiscoveryResponse(
      new URL(issuer),
      await oauth.discoveryRequest(new URL(issuer), { ...options, algorithm: 'oauth2' }),
    )
    const client = (await oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(found, { redirect_uris: [REDIRECT] }, options),
    )) as oauth.Client
    const back = new URL(await browser.allow(authorizeUrl(client.client_id)))
    const parameters = oauth.validateAuthResponse(found, client, back, 'a state')
    const tokens = await oauth.processAuthorizationCodeResponse(
      found,
      client,
      await oauth.authorizationCodeGrantRequest(
        found,
        client,
        oauth.None(),
        parameters,
        REDIRECT,
        verifier,
        options,
      ),
    )
    const refreshed = await oauth.processRefreshTokenResponse(
      found,
      client,
      await oauth.refreshTokenGrantRequest(found, client, oauth.None(), tokens.refresh_token!, options),
    )
    const claims = await oauth.validateJwtAccessToken(
      found,
      new Request(`${issuer}/mcp`, { headers: { authorization: `Bearer ${refreshed.access_token}` } }),
      `${issuer}/mcp`,
      options,
    )
    expect(claims).toMatchObject({
      iss: issuer,
      sub: owner.userId,
      client_id: client.client_id,
      grant_id: expect.any(String),
    })
    expect(claims.exp - claims.iat).toBe(1800)
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(found, client, oauth.None(), refreshed.access_token, options),
    )
    expect((await discover(refreshed.access_token)).status).toBe(401)
  })

  it('that names no scope and no resource gets what there is, for MCP', async () => {
    const clientId = await registered()
    const code = await codeFor(clientId, { scope: undefined, resource: undefined })
    const tokens = (await (await exchange(clientId, code)).json()) as Tokens
    expect(tokens.scope.split(' ').sort()).toEqual(['outreach.read', 'outreach.write'])
    expect((await discover(tokens.access_token)).status).toBe(200)
  })

  it('that asks to read gets no more', async () => {
    const clientId = await registered()
    const tokens = (await (
      await exchange(clientId, await codeFor(clientId, { scope: 'outreach.read' }))
    ).json()) as Tokens
    expect(tokens.scope).toBe('outreach.read')
  })

  it('that the person refuses is told so, with state and issuer', async () => {
    const back = new URL(await browser.allow(authorizeUrl(await registered()), 'deny'))
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      error: 'access_denied',
      state: 'a state',
      iss: issuer,
    })
  })

  it('on a computer may come back on another port', async () => {
    const clientId = await registered()
    const redirect_uri = 'http://localhost:1234/callback'
    const code = await codeFor(clientId, { redirect_uri })
    expect((await exchange(clientId, code, { redirect_uri })).status).toBe(200)
  })
})

it('a connection stands in the audit log, with what it does afterwards', async () => {
  const { client } = await connectBySdk(`${origin}/v1/mcp`, browser)
  await client.callTool({
    name: 'add_opt_outs',
    arguments: { identifiers: [{ identifier: 'a@logged.example' }] },
  })
  await client.close()
  const rows = await server.app.owner<{ actor: string; action: string }[]>`
    select actor, action from audit_log where user_id = ${owner.userId} order by at desc, id desc limit 2`
  expect(rows[0]?.actor).toMatch(/^oauth:/)
  expect(rows[1]).toMatchObject({ actor: 'sign-in', action: 'connect' })
})

describe('registration', () => {
  it('gives the same client for the same words, and known applications theirs', async () => {
    const metadata = {
      client_name: 'Cursor',
      redirect_uris: ['cursor://anysphere.cursor-mcp/oauth/callback'],
    }
    expect(await registered(metadata)).toBe(await registered(metadata))
    expect(await registered({ redirect_uris: ['https://claude.ai/api/mcp/auth_callback'] })).toBe('claude')
    expect(
      await registered({ redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'] }),
    ).toBe('chatgpt')
    expect(
      await registered({
        redirect_uris: ['https://claude.ai/api/mcp/auth_callback', 'https://evil.example/'],
      }),
    ).not.toBe('claude')
    const answer = await register(metadata)
    expect(answer.status).toBe(201)
    expect(await answer.json()).toMatchObject({
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    })
  })

  it.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,hello',
    'vbscript:a',
    'file:///etc/passwd',
    'blob:https://a.example/1',
    'about:blank',
    'view-source:https://a.example/',
    'http://a.example/callback',
    'http://127.0.0.1.a.example/callback',
    'http://localhost@a.example/callback',
    'http://2130706433.a.example/',
    'https://a.example/callback#fragment',
    'https://user@a.example/callback',
    'https://user:word@a.example/callback',
    'https://localhost/callback',
    'https://127.0.0.1/callback',
    'https://a.example\\@b.example/',
    'https://*.a.example/callback',
    'https://a.example/call back',
    ' https://a.example/callback',
    'https://a.example/\u202ecallback',
    '//a.example/callback',
    '/callback',
    'callback',
    '',
  ])('refuses to lead codes to %j', async uri => {
    const answer = await register({ redirect_uris: ['https://a.example/callback', uri] })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      error: 'invalid_redirect_uri',
      error_description: expect.any(String),
    })
  })

  it.each([
    [{}],
    [{ redirect_uris: [] }],
    [{ redirect_uris: 'https://a.example/' }],
    [{ redirect_uris: [1] }],
    [{ redirect_uris: [{ toString: 1 }] }],
    [{ redirect_uris: Array.from({ length: 21 }, (_, i) => `https://a.example/${i}`) }],
    [{ redirect_uris: [`https://a.example/${'a'.repeat(2000)}`] }],
    [{ redirect_uris: ['https://a.example/'], grant_types: ['client_credentials'] }],
    [{ redirect_uris: ['https://a.example/'], response_types: ['token'] }],
    [[]],
    [null],
  ])('refuses %j', async metadata => {
    expect((await register(metadata as object)).status).toBe(400)
  })

  it('forgets who was never let in, and tells that client so', async () => {
    const gone = await registered({ redirect_uris: ['https://gone.example/'] })
    const kept = await connected()
    await server.app.db.auth`update oauth_clients set updated_at = now() - interval '61 minutes'`
    await registered({ redirect_uris: ['https://another.example/'] })
    const answer = await form('/token', { grant_type: 'refresh_token', client_id: gone, refresh_token: 'a' })
    expect(answer.status).toBe(401)
    expect(await answer.json()).toMatchObject({ error: 'invalid_client' })
    expect((await refresh(kept.clientId, kept.refresh_token)).status).toBe(200)
  })
})

describe('an authorization is refused', () => {
  const onAPage: [what: string, parameters: Record<string, string | undefined>, error: string][] = [
    ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['with plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['with PKCE of no method', { code_challenge_method: undefined }, 'invalid_request'],
    ['with a challenge that is none', { code_challenge: 'short' }, 'invalid_request'],
    ['for a token right away', { response_type: 'token' }, 'unsupported_response_type'],
    ['for an ID token', { response_type: 'id_token' }, 'unsupported_response_type'],
    ['for a code and a token', { response_type: 'code token' }, 'unsupported_response_type'],
    ['for what nobody knows', { response_type: 'a_fish' }, 'unsupported_response_type'],
    ['for another resource', { resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
    ['for the API as a resource', { resource: 'RESOURCE' }, 'invalid_target'],
    ['without asking anybody', { prompt: 'none' }, 'login_required'],
    ['with a request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
    ['with a request elsewhere', { request_uri: 'https://elsewhere.example/' }, 'request_uri_not_supported'],
  ]
  it.each(onAPage)('%s', async (_what, parameters, error) => {
    const resource = parameters.resource === 'RESOURCE' ? { resource: issuer } : {}
    const { response, leadsTo } = await browser.open(
      authorizeUrl(await registered(), { ...parameters, ...resource }),
    )
    expect(leadsTo).toBeUndefined()
    expect(response.status).toBe(400)
    expect(await response.text()).toContain(`(${error})`)
  })

  it('for scopes that are none, which the client learns once a person has answered', async () => {
    const back = new URL(await browser.allow(authorizeUrl(await registered(), { scope: 'everything' })))
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      error: 'access_denied',
      state: 'a state',
      iss: issuer,
    })
  })

  it.each([
    'http://localhost:7777/callback/',
    'http://localhost:7777/callback?a=b',
    'http://localhost:7777/callback/../evil',
    'http://localhost:7777/Callback',
    'http://localhost.evil.example:7777/callback',
    'http://localhost:7777@evil.example/callback',
    'http://evil.example/callback',
    'https://localhost:7777/callback',
    'javascript:alert(1)',
    'http://localhost:7777/callback#a',
    '',
  ])('on a page, without leading anywhere, when the code should go to %j', async redirect_uri => {
    const { response, leadsTo } = await browser.open(authorizeUrl(await registered(), { redirect_uri }))
    expect(leadsTo).toBeUndefined()
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('The application was not connected')
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  })

  it('on a page when the client is unknown', async () => {
    const { response, leadsTo } = await browser.open(authorizeUrl('nobody'))
    expect([response.status, leadsTo]).toEqual([400, undefined])
  })
})

describe('a code', () => {
  it.each([
    ['with another verifier', { code_verifier: randomBytes(32).toString('base64url') }],
    ['with a verifier too short', { code_verifier: 'a' }],
    ['with another redirect URI', { redirect_uri: 'http://localhost:7777/other' }],
    ['for another resource', { resource: 'https://elsewhere.example/mcp' }],
    ['that was altered', { code: 'altered' }],
  ] as [string, Record<string, string>][])('gives nothing %s', async (_what, fields) => {
    const clientId = await registered()
    const answer = await exchange(clientId, await codeFor(clientId), fields)
    expect(answer.status).toBe(400)
    expect(['invalid_grant', 'invalid_target', 'invalid_request']).toContain(
      ((await answer.json()) as { error: string }).error,
    )
  })

  it('gives nothing to another client, nor without a verifier', async () => {
    const clientId = await registered()
    const other = await registered({ client_name: 'Other', redirect_uris: [REDIRECT] })
    expect((await exchange(other, await codeFor(clientId))).status).toBe(400)
    const answer = await form('/token', {
      grant_type: 'authorization_code',
      client_id: clientId,
      code: await codeFor(clientId),
      redirect_uri: REDIRECT,
    })
    expect(answer.status).toBe(400)
  })

  it('works once; brought again it takes back what it gave', async () => {
    const clientId = await registered()
    const code = await codeFor(clientId)
    const tokens = (await (await exchange(clientId, code)).json()) as Tokens
    expect((await discover(tokens.access_token)).status).toBe(200)
    expect((await exchange(clientId, code)).status).toBe(400)
    expect((await discover(tokens.access_token)).status).toBe(401)
    expect((await refresh(clientId, tokens.refresh_token)).status).toBe(400)
  })

  it('brought twice at once works at most once', async () => {
    const clientId = await registered()
    const code = await codeFor(clientId)
    const answers = await Promise.all(Array.from({ length: 8 }, () => exchange(clientId, code)))
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
  })

  it('is good for a minute', async () => {
    const clientId = await registered()
    const code = await codeFor(clientId)
    await server.app.db.auth`
      update oauth_records set payload = payload || '{"exp": 1}' where kind = 'AuthorizationCode'`
    expect((await exchange(clientId, code)).status).toBe(400)
  })
})

describe('a refresh token', () => {
  it('gives nothing to another client, and no more scope or other resource than was granted', async () => {
    const { clientId, refresh_token } = await connected()
    const other = await registered({ client_name: 'Other', redirect_uris: [REDIRECT] })
    expect((await refresh(other, refresh_token)).status).toBe(400)
    expect((await refresh(clientId, refresh_token, { scope: 'outreach.read everything' })).status).toBe(400)
    expect((await refresh(clientId, refresh_token, { resource: 'https://elsewhere.example' })).status).toBe(
      400,
    )
    expect((await refresh(clientId, refresh_token, { resource: `${origin}/mcp` })).status).toBe(400)
    const less = (await (await refresh(clientId, refresh_token, { scope: 'outreach.read' })).json()) as Tokens
    expect(less.scope).toBe('outreach.read')
  })
})

describe('revoking', () => {
  it.each(['access_token', 'refresh_token'] as const)('an %s counts with the next request', async kind => {
    const tokens = await connected()
    expect((await discover(tokens.access_token)).status).toBe(200)
    const answer = await form('/revoke', { token: tokens[kind], client_id: tokens.clientId })
    expect(answer.status).toBe(200)
    expect((await discover(tokens.access_token)).status).toBe(401)
    expect((await refresh(tokens.clientId, tokens.refresh_token)).status).toBe(400)
    expect((await form('/revoke', { token: tokens[kind], client_id: tokens.clientId })).status).toBe(200)
  })

  it('by the user, from the list of what is connected, ends all that the application holds', async () => {
    const tokens = await connected()
    const { sub } = JSON.parse(Buffer.from(tokens.access_token.split('.')[1]!, 'base64url').toString())
    expect(sub).toBe(owner.userId)
    const [newest] = (await owner.call('listConnectedApps', {})).data
    expect(newest).toMatchObject({ name: 'Test', host: 'localhost:7777', scopes: expect.anything() })
    const stranger = await aCaller(server.app)
    const ending = { connectedAppId: newest!.id }
    await expect(stranger.call('disconnectApp', ending)).rejects.toMatchObject({ code: 'NotFound' })
    expect((await stranger.call('listConnectedApps', {})).data).toEqual([])
    await owner.call('disconnectApp', ending)
    expect((await discover(tokens.access_token)).status).toBe(401)
    expect((await refresh(tokens.clientId, tokens.refresh_token)).status).toBe(400)
    expect((await owner.call('listConnectedApps', {})).data).not.toContainEqual(newest)
  })

  it('does nothing for another client or an unknown token, and says nothing of it', async () => {
    const tokens = await connected()
    const [head, body] = tokens.access_token.split('.')
    for (const fields of [
      { token: tokens.access_token, client_id: 'claude' },
      { token: tokens.refresh_token, client_id: 'claude' },
      { token: 'nonsense', client_id: tokens.clientId },
      { token: `${head}.${body}.AAAA`, client_id: tokens.clientId },
    ]) {
      expect((await form('/revoke', fields)).status).toBe(200)
    }
    expect((await discover(tokens.access_token)).status).toBe(200)
    expect((await form('/revoke', { client_id: tokens.clientId })).status).toBe(400)
  })
})

describe('keys', () => {
  it('are replaced without a token that is refused', async () => {
    const before = await connected()
    await rotateSigningKeys(server.app)
    const kidOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString()).kid
    server.app.setNow(new Date(Date.now() + 11_000))
    const published = (await (await fetch(`${issuer}/jwks`)).json()) as { keys: Record<string, string>[] }
    expect(published.keys).toHaveLength(2)
    expect(published.keys.every(key => !('d' in key))).toBe(true)
    server.app.setNow(new Date(Date.now() + 32_000))
    const after = (await (await refresh(before.clientId, before.refresh_token)).json()) as Tokens
    expect(kidOf(after.access_token)).not.toBe(kidOf(before.access_token))
    for (const { access_token } of [before, after]) expect((await discover(access_token)).status).toBe(200)
    server.app.setNow(new Date())
  })
})

describe('the consent page', () => {
  const opened = async (parameters = {}) => {
    const { response, url } = await browser.open(
      authorizeUrl(await registered({ client_name: '<b>Evil</b>', redirect_uris: [REDIRECT] }), parameters),
    )
    return { response, url, html: await response.text() }
  }

  it('tells who asks, for what, and warns of programs on a computer', async () => {
    const { html, response } = await opened()
    expect(html).toContain('&#60;b&#62;Evil')
    expect(html).toContain('localhost:7777')
    expect(html).toContain('Acme')
    expect(html).toContain('send email')
    expect(html).toContain('class="warning"')
    const policy = response.headers.get('content-security-policy')!
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("form-action 'self' http://localhost:7777")
    expect(policy).not.toContain('script-src')
    expect(html).not.toContain('<script')
    expect((await opened({ scope: 'outreach.read' })).html).not.toContain('send email')
  })

  it('takes no answer that another page sent, nor of another person or request', async () => {
    const first = await opened()
    const second = await opened()
    const csrfOf = (html: string) => /name="csrf" value="([^"]+)"/.exec(html)![1]!
    const answer = (url: string, csrf: string, headers = {}) =>
      browser.request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams({ csrf, decision: 'allow', account: owner.accountId }).toString(),
      })
    expect((await answer(first.url, csrfOf(second.html))).status).toBe(403)
    expect((await answer(second.url, '')).status).toBe(403)
    expect((await answer(second.url, csrfOf(second.html), { origin: 'https://evil.example' })).status).toBe(
      403,
    )
    expect((await answer(second.url, csrfOf(second.html), { 'sec-fetch-site': 'cross-site' })).status).toBe(
      403,
    )
    const stranger = new Browser(origin, await server.cookieOf(await aCaller(server.app)))
    expect((await stranger.request(second.url)).status).toBe(400)
    expect((await answer(second.url, csrfOf(second.html), { origin })).status).toBe(303)
  })

  it('is shown to whoever is signed in; others sign in first and come back', async () => {
    const { leadsTo, response, url } = await new Browser(origin).open(authorizeUrl(await registered()))
    expect(leadsTo).toBeUndefined()
    expect(url).toMatch(/\/sign-in\?next=%2Fv1%2Fauthorize%3F/)
    expect(response.status).not.toBe(500)
  })

  it('asks again each time, whoever signed in to this browser meanwhile', async () => {
    const clientId = await registered()
    await codeFor(clientId)
    const page = await browser.open(authorizeUrl(clientId))
    expect(page.leadsTo).toBeUndefined()
    expect(await page.response.text()).toContain('name="csrf"')
  })
})

describe('metadata', () => {
  it.each([
    '/.well-known/oauth-authorization-server/v1',
    '/v1/.well-known/oauth-authorization-server',
    '/.well-known/oauth-authorization-server',
    '/.well-known/openid-configuration/v1',
    '/v1/.well-known/openid-configuration',
    '/.well-known/openid-configuration',
    '/.well-known/oauth-authorization-server/v1/mcp',
    '/.well-known/openid-configuration/v1/mcp',
  ])('of the authorization server stands at %s', async path => {
    const answer = await fetch(origin + path, { redirect: 'error' })
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(await answer.json()).toMatchObject({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      scopes_supported: ['outreach.read', 'outreach.write', 'offline_access'],
    })
  })

  it.each([
    ['/.well-known/oauth-protected-resource/v1/mcp', '/v1/mcp'],
    ['/v1/.well-known/oauth-protected-resource/mcp', '/v1/mcp'],
    ['/.well-known/oauth-protected-resource', '/v1/mcp'],
    ['/.well-known/oauth-protected-resource/mcp', '/mcp'],
  ])('at %s is that of %s', async (path, resource) => {
    expect(await (await fetch(origin + path)).json()).toMatchObject({
      resource: origin + resource,
      authorization_servers: [issuer],
      scopes_supported: ['outreach.read', 'outreach.write'],
    })
  })
})
