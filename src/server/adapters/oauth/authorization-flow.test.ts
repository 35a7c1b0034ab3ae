import { createHash, randomBytes } from 'node:crypto'
import * as oauth from 'oauth4webapi'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller } from '../../../../test/support/app.ts'
import { Browser } from '../../../../test/support/http/browser.ts'
import { connectBySdk } from '../../../../test/support/http/oauth-client.ts'
import { openTestServer, type TestServer } from '../../../../test/support/http/server.ts'
import { findFreePort } from '../../../../test/support/processes/ports.ts'
import { rotateSigningKeys } from './signing-keys.ts'

let server: TestServer
let owner: Caller
let origin: string
let issuer: string
let browser: Browser
beforeAll(async () => {
  origin = `http://localhost:${await findFreePort()}`
  issuer = `${origin}/v1`
  server = await openTestServer({ PUBLIC_URL: origin })
  owner = await makeCaller(server.app)
  browser = new Browser(origin, await server.createCookie(owner))
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
const registerClient = async (metadata: object = { client_name: 'Test', redirect_uris: [REDIRECT] }) =>
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
const getCode = async (clientId: string, parameters = {}) => {
  const back = new URL(await browser.decide(authorizeUrl(clientId, parameters)))
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
const connect = async (): Promise<Tokens & { clientId: string }> => {
  const clientId = await registerClient()
  const response = await exchange(clientId, await getCode(clientId))
  expect(response.status).toBe(200)
  return { ...((await response.json()) as Tokens), clientId }
}
const refresh = (clientId: string, refresh_token: string, fields = {}) =>
  form('/token', { grant_type: 'refresh_token', client_id: clientId, refresh_token, ...fields })
const initializeMcp = (token: string, path = '/v1/mcp') =>
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

describe('client', () => {
  it.each([
    ['auto', '/v1/mcp'],
    ['legacy', '/v1/mcp'],
    ['auto', '/mcp'],
  ] as const)('connects with the MCP SDK in mode %s, given only the URL %s', async (mode, path) => {
    const { client, stored, authorizationUrl } = await connectBySdk(origin + path, browser, { mode })
    expect(authorizationUrl.searchParams.get('resource')).toBe(origin + path)
    expect((await client.callTool({ name: 'whoami' })).structuredContent).toMatchObject({
      account: { id: owner.accountId },
    })
    expect(stored.tokens?.refresh_token).toBeTruthy()
    await client.close()
  })

  it('connects with a library that validates every document and response', async () => {
    const options = { [oauth.allowInsecureRequests]: true }
    const found = await oauth.processDiscoveryResponse(
      new URL(issuer),
      await oauth.discoveryRequest(new URL(issuer), { ...options, algorithm: 'oauth2' }),
    )
    const client = (await oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(found, { redirect_uris: [REDIRECT] }, options),
    )) as oauth.Client
    const back = new URL(await browser.decide(authorizeUrl(client.client_id)))
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
    expect((await initializeMcp(refreshed.access_token)).status).toBe(401)
  })

  it('gets all scopes for MCP when it requests neither a scope nor a resource', async () => {
    const clientId = await registerClient()
    const code = await getCode(clientId, { scope: undefined, resource: undefined })
    const tokens = (await (await exchange(clientId, code)).json()) as Tokens
    expect(tokens.scope.split(' ').sort()).toEqual(['outreach.read', 'outreach.write'])
    expect((await initializeMcp(tokens.access_token)).status).toBe(200)
  })

  it('gets only the read scope when it requests only that', async () => {
    const clientId = await registerClient()
    const tokens = (await (
      await exchange(clientId, await getCode(clientId, { scope: 'outreach.read' }))
    ).json()) as Tokens
    expect(tokens.scope).toBe('outreach.read')
  })

  it('receives access_denied with state and issuer when the user denies access', async () => {
    const back = new URL(await browser.decide(authorizeUrl(await registerClient()), 'deny'))
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      error: 'access_denied',
      state: 'a state',
      iss: issuer,
    })
  })

  it('can use any port in a loopback redirect URI', async () => {
    const clientId = await registerClient()
    const redirect_uri = 'http://localhost:1234/callback'
    const code = await getCode(clientId, { redirect_uri })
    expect((await exchange(clientId, code, { redirect_uri })).status).toBe(200)
  })
})

it('records a grant and the calls made with it in the audit log', async () => {
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

describe('client registration', () => {
  it('returns the same client for the same metadata, and a fixed client for known applications', async () => {
    const metadata = {
      client_name: 'Cursor',
      redirect_uris: ['cursor://anysphere.cursor-mcp/oauth/callback'],
    }
    expect(await registerClient(metadata)).toBe(await registerClient(metadata))
    expect(await registerClient({ redirect_uris: ['https://claude.ai/api/mcp/auth_callback'] })).toBe(
      'claude',
    )
    expect(
      await registerClient({ redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'] }),
    ).toBe('chatgpt')
    expect(
      await registerClient({
        redirect_uris: ['https://claude.ai/api/mcp/auth_callback', 'https://evil.example/'],
      }),
    ).not.toBe('claude')
    const response = await register(metadata)
    expect(response.status).toBe(201)
    expect(await response.json()).toMatchObject({
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
  ])('rejects the redirect URI %j', async uri => {
    const response = await register({ redirect_uris: ['https://a.example/callback', uri] })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
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
  ])('rejects the metadata %j', async metadata => {
    expect((await register(metadata as object)).status).toBe(400)
  })

  it('deletes a client without a grant after an hour and rejects it with invalid_client', async () => {
    const gone = await registerClient({ redirect_uris: ['https://gone.example/'] })
    const kept = await connect()
    await server.app.db.auth`update oauth_clients set updated_at = now() - interval '61 minutes'`
    await registerClient({ redirect_uris: ['https://another.example/'] })
    const response = await form('/token', {
      grant_type: 'refresh_token',
      client_id: gone,
      refresh_token: 'a',
    })
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ error: 'invalid_client' })
    expect((await refresh(kept.clientId, kept.refresh_token)).status).toBe(200)
  })
})

describe('authorization endpoint', () => {
  const invalidRequests: [what: string, parameters: Record<string, string | undefined>, error: string][] = [
    ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['with plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['without a code challenge method', { code_challenge_method: undefined }, 'invalid_request'],
    ['with an invalid code challenge', { code_challenge: 'short' }, 'invalid_request'],
    ['for a token', { response_type: 'token' }, 'unsupported_response_type'],
    ['for an ID token', { response_type: 'id_token' }, 'unsupported_response_type'],
    ['for a code and a token', { response_type: 'code token' }, 'unsupported_response_type'],
    ['with an unknown response type', { response_type: 'a_fish' }, 'unsupported_response_type'],
    ['for another resource', { resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
    ['for the API as a resource', { resource: 'RESOURCE' }, 'invalid_target'],
    ['with prompt=none', { prompt: 'none' }, 'login_required'],
    ['with a request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
    ['with a request URI', { request_uri: 'https://elsewhere.example/' }, 'request_uri_not_supported'],
  ]
  it.each(invalidRequests)('shows an error page for a request %s', async (_what, parameters, error) => {
    const resource = parameters.resource === 'RESOURCE' ? { resource: issuer } : {}
    const { response, leadsTo } = await browser.open(
      authorizeUrl(await registerClient(), { ...parameters, ...resource }),
    )
    expect(leadsTo).toBeUndefined()
    expect(response.status).toBe(400)
    expect(await response.text()).toContain(`(${error})`)
  })

  it('reports unknown scopes to the client after the user has decided', async () => {
    const back = new URL(await browser.decide(authorizeUrl(await registerClient(), { scope: 'everything' })))
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
  ])('shows an error page without redirecting for the redirect URI %j', async redirect_uri => {
    const { response, leadsTo } = await browser.open(authorizeUrl(await registerClient(), { redirect_uri }))
    expect(leadsTo).toBeUndefined()
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('The application was not connected')
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  })

  it('shows an error page for an unknown client', async () => {
    const { response, leadsTo } = await browser.open(authorizeUrl('nobody'))
    expect([response.status, leadsTo]).toEqual([400, undefined])
  })
})

describe('authorization code', () => {
  it.each([
    ['with another code verifier', { code_verifier: randomBytes(32).toString('base64url') }],
    ['with a code verifier that is too short', { code_verifier: 'a' }],
    ['with another redirect URI', { redirect_uri: 'http://localhost:7777/other' }],
    ['for another resource', { resource: 'https://elsewhere.example/mcp' }],
    ['when it was altered', { code: 'altered' }],
  ] as [string, Record<string, string>][])('is rejected %s', async (_what, fields) => {
    const clientId = await registerClient()
    const response = await exchange(clientId, await getCode(clientId), fields)
    expect(response.status).toBe(400)
    expect(['invalid_grant', 'invalid_target', 'invalid_request']).toContain(
      ((await response.json()) as { error: string }).error,
    )
  })

  it('is rejected for another client and without a code verifier', async () => {
    const clientId = await registerClient()
    const other = await registerClient({ client_name: 'Other', redirect_uris: [REDIRECT] })
    expect((await exchange(other, await getCode(clientId))).status).toBe(400)
    const response = await form('/token', {
      grant_type: 'authorization_code',
      client_id: clientId,
      code: await getCode(clientId),
      redirect_uri: REDIRECT,
    })
    expect(response.status).toBe(400)
  })

  it('works once and revokes its tokens when it is used again', async () => {
    const clientId = await registerClient()
    const code = await getCode(clientId)
    const tokens = (await (await exchange(clientId, code)).json()) as Tokens
    expect((await initializeMcp(tokens.access_token)).status).toBe(200)
    expect((await exchange(clientId, code)).status).toBe(400)
    expect((await initializeMcp(tokens.access_token)).status).toBe(401)
    expect((await refresh(clientId, tokens.refresh_token)).status).toBe(400)
  })

  it('works at most once when it is used concurrently', async () => {
    const clientId = await registerClient()
    const code = await getCode(clientId)
    const responses = await Promise.all(Array.from({ length: 8 }, () => exchange(clientId, code)))
    expect(responses.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
  })

  it('expires after a minute', async () => {
    const clientId = await registerClient()
    const code = await getCode(clientId)
    await server.app.db.auth`
      update oauth_records set payload = payload || '{"exp": 1}' where kind = 'AuthorizationCode'`
    expect((await exchange(clientId, code)).status).toBe(400)
  })
})

describe('refresh token', () => {
  it('is rejected for another client, more scopes or another resource', async () => {
    const { clientId, refresh_token } = await connect()
    const other = await registerClient({ client_name: 'Other', redirect_uris: [REDIRECT] })
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

describe('revocation', () => {
  it.each(['access_token', 'refresh_token'] as const)(
    'takes effect with the next request when the client revokes the %s',
    async kind => {
      const tokens = await connect()
      expect((await initializeMcp(tokens.access_token)).status).toBe(200)
      const response = await form('/revoke', { token: tokens[kind], client_id: tokens.clientId })
      expect(response.status).toBe(200)
      expect((await initializeMcp(tokens.access_token)).status).toBe(401)
      expect((await refresh(tokens.clientId, tokens.refresh_token)).status).toBe(400)
      expect((await form('/revoke', { token: tokens[kind], client_id: tokens.clientId })).status).toBe(200)
    },
  )

  it('ends all tokens of an app that the user disconnects in the list of connected apps', async () => {
    const tokens = await connect()
    const { sub } = JSON.parse(Buffer.from(tokens.access_token.split('.')[1]!, 'base64url').toString())
    expect(sub).toBe(owner.userId)
    const [newest] = (await owner.call('listConnectedApps', {})).data
    expect(newest).toMatchObject({ name: 'Test', host: 'localhost:7777', scopes: expect.anything() })
    const stranger = await makeCaller(server.app)
    const input = { connectedAppId: newest!.id }
    await expect(stranger.call('disconnectApp', input)).rejects.toMatchObject({ code: 'NotFound' })
    expect((await stranger.call('listConnectedApps', {})).data).toEqual([])
    await owner.call('disconnectApp', input)
    expect((await initializeMcp(tokens.access_token)).status).toBe(401)
    expect((await refresh(tokens.clientId, tokens.refresh_token)).status).toBe(400)
    expect((await owner.call('listConnectedApps', {})).data).not.toContainEqual(newest)
  })

  it('ignores an unknown token and a token of another client without disclosing which it is', async () => {
    const tokens = await connect()
    const [head, body] = tokens.access_token.split('.')
    for (const fields of [
      { token: tokens.access_token, client_id: 'claude' },
      { token: tokens.refresh_token, client_id: 'claude' },
      { token: 'nonsense', client_id: tokens.clientId },
      { token: `${head}.${body}.AAAA`, client_id: tokens.clientId },
    ]) {
      expect((await form('/revoke', fields)).status).toBe(200)
    }
    expect((await initializeMcp(tokens.access_token)).status).toBe(200)
    expect((await form('/revoke', { client_id: tokens.clientId })).status).toBe(400)
  })
})

describe('signing keys', () => {
  it('rotate without invalidating tokens', async () => {
    const before = await connect()
    await rotateSigningKeys(server.app)
    const getKid = (token: string) =>
      JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString()).kid
    server.app.setNow(new Date(Date.now() + 11_000))
    const published = (await (await fetch(`${issuer}/jwks`)).json()) as { keys: Record<string, string>[] }
    expect(published.keys).toHaveLength(2)
    expect(published.keys.every(key => !('d' in key))).toBe(true)
    server.app.setNow(new Date(Date.now() + 32_000))
    const after = (await (await refresh(before.clientId, before.refresh_token)).json()) as Tokens
    expect(getKid(after.access_token)).not.toBe(getKid(before.access_token))
    for (const { access_token } of [before, after])
      expect((await initializeMcp(access_token)).status).toBe(200)
    server.app.setNow(new Date())
  })
})

describe('consent page', () => {
  const openConsent = async (parameters = {}) => {
    const { response, url } = await browser.open(
      authorizeUrl(
        await registerClient({ client_name: '<b>Evil</b>', redirect_uris: [REDIRECT] }),
        parameters,
      ),
    )
    return { response, url, html: await response.text() }
  }

  it('shows the application, account and permissions, and warns about local applications', async () => {
    const { html, response } = await openConsent()
    expect(html).toContain('&#60;b&#62;Evil')
    expect(html).toContain('localhost:7777')
    expect(html).toContain('Acme')
    const dangers = ['launch and resume campaigns', 'send email and LinkedIn messages', 'request calls']
    const others = ['merge people', 'remove them from it']
    for (const permission of [...dangers, ...others]) expect(html).toContain(permission)
    expect(html).toContain('class="warning"')
    const policy = response.headers.get('content-security-policy')!
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("form-action 'self' http://localhost:7777")
    expect(policy).not.toContain('script-src')
    expect(html).not.toContain('<script')
    const readOnly = (await openConsent({ scope: 'outreach.read' })).html
    for (const permission of [...dangers, ...others]) expect(readOnly).not.toContain(permission)
  })

  it('rejects a form from another page, user or authorization request', async () => {
    const first = await openConsent()
    const second = await openConsent()
    const getCsrf = (html: string) => /name="csrf" value="([^"]+)"/.exec(html)![1]!
    const submit = (url: string, csrf: string, headers = {}) =>
      browser.request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams({ csrf, decision: 'allow', account: owner.accountId }).toString(),
      })
    expect((await submit(first.url, getCsrf(second.html))).status).toBe(403)
    expect((await submit(second.url, '')).status).toBe(403)
    expect((await submit(second.url, getCsrf(second.html), { origin: 'https://evil.example' })).status).toBe(
      403,
    )
    expect((await submit(second.url, getCsrf(second.html), { 'sec-fetch-site': 'cross-site' })).status).toBe(
      403,
    )
    const stranger = new Browser(origin, await server.createCookie(await makeCaller(server.app)))
    expect((await stranger.request(second.url)).status).toBe(400)
    expect((await submit(second.url, getCsrf(second.html), { origin })).status).toBe(303)
  })

  it('asks for a sign-in first and returns afterwards', async () => {
    const { leadsTo, response, url } = await new Browser(origin).open(authorizeUrl(await registerClient()))
    expect(leadsTo).toBeUndefined()
    expect(url).toMatch(/\/sign-in\?next=%2Fv1%2Fauthorize%3F/)
    expect(response.status).not.toBe(500)
  })

  it('asks for consent each time, even after an earlier grant', async () => {
    const clientId = await registerClient()
    await getCode(clientId)
    const page = await browser.open(authorizeUrl(clientId))
    expect(page.leadsTo).toBeUndefined()
    expect(await page.response.text()).toContain('name="csrf"')
  })
})

describe('discovery', () => {
  it.each([
    '/.well-known/oauth-authorization-server/v1',
    '/v1/.well-known/oauth-authorization-server',
    '/.well-known/oauth-authorization-server',
    '/.well-known/openid-configuration/v1',
    '/v1/.well-known/openid-configuration',
    '/.well-known/openid-configuration',
    '/.well-known/oauth-authorization-server/v1/mcp',
    '/.well-known/openid-configuration/v1/mcp',
  ])('serves the authorization server metadata at %s', async path => {
    const response = await fetch(origin + path, { redirect: 'error' })
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(await response.json()).toMatchObject({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      scopes_supported: ['outreach.read', 'outreach.write', 'offline_access'],
    })
  })

  it.each([
    ['/v1/mcp', '/.well-known/oauth-protected-resource/v1/mcp'],
    ['/v1/mcp', '/v1/.well-known/oauth-protected-resource/mcp'],
    ['/v1/mcp', '/.well-known/oauth-protected-resource'],
    ['/mcp', '/.well-known/oauth-protected-resource/mcp'],
  ])('serves the protected resource metadata of %s at %s', async (resource, path) => {
    expect(await (await fetch(origin + path)).json()).toMatchObject({
      resource: origin + resource,
      authorization_servers: [issuer],
      scopes_supported: ['outreach.read', 'outreach.write'],
    })
  })
})
