import { randomUUIDv7 } from 'node:crypto'
import type { Client } from '@modelcontextprotocol/client'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Caller, makeCaller } from '../../../../test/support/app.ts'
import { callTool, connectAs, getText, openClient } from '../../../../test/support/http/connection.ts'
import { openTestServer, type TestServer } from '../../../../test/support/http/server.ts'
import { getPermissionScope, type Permission, roles } from '../../../contract/permissions.ts'
import { revokeGrant } from '../../domain/auth/grants.ts'
import { type Tool, tools } from './tools.ts'

let server: TestServer
let owner: Caller
let token: string
let client: Client
beforeAll(async () => {
  server = await openTestServer()
  owner = await makeCaller(server.app)
  // Without this setting, the tools for call requests are not listed.
  await owner.call('updateAccount', { assistantsMayRequestCalls: true })
  token = (await connectAs(server.app, owner)).token
  client = await openClient(`${server.url}/v1/mcp`, token)
})
afterAll(async () => {
  await client.close()
  await server[Symbol.asyncDispose]()
})

const all = [...tools.values()]
const call = (name: string, args: object = {}, by = client) => callTool(by, name, args)

describe('MCP endpoint', () => {
  it.each([
    ['auto', '/v1/mcp'],
    ['legacy', '/v1/mcp'],
    ['auto', '/mcp'],
    ['legacy', '/mcp'],
  ] as const)('lists and calls tools in protocol mode %s at %s', async (mode, path) => {
    const other = await openClient(server.url + path, token, mode)
    const listed = await other.listTools()
    expect(listed.tools.map(({ name }) => name)).toEqual(all.map(({ name }) => name))
    expect(JSON.stringify(listed).length).toBeLessThan(60_000)
    expect((await call('whoami', {}, other)).structuredContent).toMatchObject({
      account: { id: owner.accountId },
      role: 'owner',
    })
    expect(other.getInstructions()).toContain('“Acme')
    expect(Buffer.byteLength(other.getInstructions()!)).toBeLessThanOrEqual(1024)
    await other.close()
  })

  it('has no sessions or streams', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const response = await server.request(method, '/v1/mcp', { token })
      expect(response.status).toBe(405)
      expect(response.headers.get('allow')).toBe('POST')
    }
    const response = await server.request('POST', '/v1/mcp', {
      token,
      body: { jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize },
      headers: { accept: 'application/json, text/event-stream' },
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('mcp-session-id')).toBeNull()
  })

  it('returns JSON-RPC errors for invalid JSON and unknown tools', async () => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const broken = await server.request('POST', '/v1/mcp', { token, body: '{', headers })
    expect(broken.status).toBe(400)
    expect(broken.body).toMatchObject({ error: { code: -32_700 } })
    await expect(client.callTool({ name: 'delete_everything' })).rejects.toMatchObject({ code: -32_602 })
  })

  it.each([
    ['an object as the name', -32_602, { name: { toString: 1 } }],
    ['an array as the name', -32_602, { name: ['whoami'] }],
    ['a number as the name', -32_602, { name: 1 }],
    ['no name', -32_602, {}],
    ['a string as the arguments', -32_602, { name: 'whoami', arguments: 'all' }],
    ['an array as the arguments', -32_602, { name: 'whoami', arguments: [1] }],
    ['an array as the parameters', -32_600, ['whoami']],
    ['a string as the parameters', -32_600, 'whoami'],
    ['no parameters', -32_600, null],
  ])('rejects a tool call with %s', async (_what, code, params) => {
    const response = await server.request('POST', '/v1/mcp', {
      token,
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      headers: { accept: 'application/json, text/event-stream' },
    })
    expect(response.status).toBeLessThan(500)
    expect(response.text).toContain(`"code":${code}`)
  })

  it.each(['__proto__', 'constructor', 'prototype'])(
    'rejects a field named %s at any depth, like the REST API',
    async name => {
      for (const nested of [`{"${name}":{"a":1}}`, `{"repIds":[{"b":{"${name}":1}}]}`, `{"${name}":1}`]) {
        const request = `{"name":"whoami","arguments":${nested}}`
        const overMcp = await server.request('POST', '/v1/mcp', {
          token,
          body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${request}}`,
          headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        })
        expect(overMcp.text, nested).toMatch(new RegExp(`ValidationError.*${name}`))
        const overRest = await server.request('POST', '/campaigns', {
          token: await server.createToken(owner),
          body: nested,
          headers: { 'content-type': 'application/json' },
        })
        expect(overRest.body, nested).toMatchObject({ error: 'ValidationError' })
      }
    },
  )

  it('never returns a server error, regardless of the JSON it receives', async () => {
    const odd = { toString: 1, valueOf: 1, toJSON: 1 }
    for (const body of [
      'null',
      '5',
      '"whoami"',
      '[]',
      '[null]',
      { jsonrpc: odd, id: odd, method: odd, params: odd },
      { jsonrpc: '2.0', id: odd, method: 'subscriptions/listen', params: odd },
      { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor: odd } },
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami', arguments: odd, _meta: odd } },
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: odd } },
      [{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: odd } }],
    ]) {
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
      const { status } = await server.request('POST', '/v1/mcp', { token, body, headers })
      expect(status, JSON.stringify(body)).toBeLessThan(500)
    }
  })
})

const initialize = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
}

const post = (headers: Record<string, string>, path = '/v1/mcp') =>
  server.request('POST', path, {
    body: { jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize },
    headers: { accept: 'application/json, text/event-stream', ...headers },
  })
const present = (bearer: string, path?: string) => post({ authorization: `Bearer ${bearer}` }, path)

describe('WWW-Authenticate header', () => {
  it('names the metadata of the requested path and the scopes, and no error without credentials', async () => {
    for (const path of ['/v1/mcp', '/mcp']) {
      const response = await post({}, path)
      expect(response.status).toBe(401)
      expect(response.body).toMatchObject({ error: 'Unauthorized', message: expect.any(String) })
      const challenge = response.headers.get('www-authenticate')!
      expect(challenge).toMatch(/^Bearer /)
      expect(challenge).toContain(`/.well-known/oauth-protected-resource${path}"`)
      expect(challenge).toContain('scope="outreach.read outreach.write"')
      expect(challenge).not.toContain('error')
    }
    const refused = await present('nonsense')
    expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"')
  })

  it('requests a wider scope from a read-only connection only if the role allows the tool', async () => {
    const viewer = await makeCaller(server.app, 'viewer', owner.accountId)
    const calling = async (by: Caller) => {
      const connection = await connectAs(server.app, by, { scopes: ['outreach.read'] })
      return server.request('POST', '/v1/mcp', {
        token: connection.token,
        body: {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'pause_campaign', arguments: {} },
        },
        headers: { accept: 'application/json, text/event-stream' },
      })
    }
    const response = await calling(owner)
    expect(response.status).toBe(403)
    expect(response.headers.get('www-authenticate')).toContain('error="insufficient_scope"')
    expect(await calling(viewer)).toMatchObject({
      status: 200,
      text: expect.stringContaining('outreach.write'),
    })
  })
})

describe('access token is rejected when', () => {
  const future = () => Math.floor(Date.now() / 1000) + 3600
  const invalidTokens: [what: string, claims: JWTPayload, header?: object][] = [
    ['its issuer is different', { iss: 'https://elsewhere.example' }],
    ['its issuer is the bare origin', { iss: 'http://localhost:4400' }],
    ['it is for another audience', { aud: 'https://elsewhere.example/mcp' }],
    ['it is for the API instead of MCP', { aud: 'http://localhost:4400/v1' }],
    ['it has no audience', { aud: undefined }],
    ['it has expired', { exp: Math.floor(Date.now() / 1000) - 60 }],
    ['it has no expiry', { exp: undefined }],
    ['it is not valid yet', { nbf: future() }],
    ['it has no grant ID', { grant_id: undefined }],
    ['its grant does not exist', { grant_id: randomUUIDv7() }],
    ['it has no client ID', { client_id: undefined }],
    ['it has no token ID', { jti: undefined }],
    ['it is an ID token', {}, { typ: 'JWT' }],
    ['it has no type', {}, { typ: undefined }],
    ['its key ID is unknown', {}, { kid: 'another' }],
    ['its key ID is a path', {}, { kid: '../../../../dev/null' }],
    ['its key ID is SQL', {}, { kid: "' or true --" }],
    ['its issuer ends in a slash', { iss: 'http://localhost:4400/v1/' }],
    ['its issuer has another scheme', { iss: 'https://localhost:4400/v1' }],
    ['its audience has a trailing slash', { aud: 'http://localhost:4400/v1/mcp/' }],
    ['its audience is in upper case', { aud: 'HTTP://LOCALHOST:4400/V1/MCP' }],
    ['its audience only starts with our URL', { aud: 'http://localhost:4400/v1/mcpevil' }],
    ['it has several audiences, none of them ours', { aud: ['https://a.example', 'https://b.example'] }],
    ['it has no subject', { sub: undefined }],
    ['it has no issue time', { iat: undefined }],
    ['it is a DPoP token', {}, { typ: 'dpop+jwt' }],
    ['it is a logout token', {}, { typ: 'logout+jwt' }],
  ]
  it.each(invalidTokens)('%s', async (_what, claims, header) => {
    const other = await connectAs(server.app, owner, { claims, ...(header && { header }) })
    expect((await present(other.token)).status).toBe(401)
  })

  it('it is unsigned, signed with the wrong key or algorithm, altered, or an API token', async () => {
    const [head, body, signature] = token.split('.') as [string, string, string]
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString())
    for (const forged of [
      `${encode({ alg: 'none', typ: 'at+jwt' })}.${body}.`,
      `${encode({ alg: 'none', typ: 'at+jwt' })}.${body}.${signature}`,
      `${encode({ alg: 'HS256', typ: 'at+jwt' })}.${body}.${signature}`,
      `${head}.${encode({ ...claims, scope: 'everything' })}.${signature}`,
      `${head}.${body}.${signature.slice(0, -4)}AAAA`,
      `${head}.${body}`,
      await server.createToken(owner),
    ]) {
      expect((await present(forged)).status, forged.slice(0, 40)).toBe(401)
    }
    expect((await post({ authorization: `Basic ${btoa(token)}` })).status).toBe(401)
    expect((await server.request('POST', `/v1/mcp?access_token=${token}`, { body: {} })).status).toBe(401)
  })

  it.each([
    ['in its header', (jwk: object) => ({ jwk })],
    ['at a URL', () => ({ jku: 'https://evil.example/jwks' })],
    ['in a certificate', () => ({ x5c: ['MIIB'] })],
    ['in a certificate at a URL', () => ({ x5u: 'https://evil.example/cert' })],
    ['not included', () => ({})],
  ] as [string, (jwk: object) => object][])(
    'it uses our key ID for its own key, which is %s',
    async (_what, header) => {
      const { publicKey, privateKey } = await generateKeyPair('ES256')
      const [head, body] = token.split('.').map(part => Buffer.from(part, 'base64url').toString())
      const forged = await new SignJWT(JSON.parse(body!))
        .setProtectedHeader({ ...JSON.parse(head!), ...header(await exportJWK(publicKey)) })
        .sign(privateKey)
      expect((await present(forged)).status).toBe(401)
    },
  )

  it.each([
    ['in a cookie', (good: string) => ({ cookie: `access_token=${good}` })],
    ['in a custom header', (good: string) => ({ 'x-access-token': good })],
    ['with another scheme', (good: string) => ({ authorization: `Token ${good}` })],
    ['without a scheme', (good: string) => ({ authorization: good })],
    ['with a second token', (good: string) => ({ authorization: `Bearer ${good}, Bearer ${good}` })],
    ['with text after it', (good: string) => ({ authorization: `Bearer ${good} or so` })],
    ['in quotes', (good: string) => ({ authorization: `Bearer "${good}"` })],
  ] as [string, (good: string) => Record<string, string>][])('it is sent %s', async (_what, headers) => {
    expect((await post(headers(token))).status).toBe(401)
  })

  it('it is replaced by a session cookie', async () => {
    expect((await post({ cookie: await server.createCookie(owner) })).status).toBe(401)
  })

  it('its grant is revoked, as soon as the notification arrives', async () => {
    const connection = await connectAs(server.app, owner)
    expect((await present(connection.token)).status).toBe(200)
    await revokeGrant(server.app.db.auth, connection.grantId)
    await vi.waitFor(async () => expect((await present(connection.token)).status).toBe(401))
  })

  it('its grant is revoked, within a second even without a notification', async () => {
    const connection = await connectAs(server.app, owner)
    expect((await present(connection.token)).status).toBe(200)
    await server.app.owner`alter table oauth_grants disable trigger access_changed`
    await revokeGrant(server.app.db.auth, connection.grantId)
    await server.app.owner`alter table oauth_grants enable trigger access_changed`
    server.app.setNow(new Date(Date.now() + 1000))
    expect((await present(connection.token)).status).toBe(401)
    server.app.setNow(new Date())
  })

  it('its user leaves the account; until then, it follows role changes', async () => {
    const caller = await makeCaller(server.app, 'manager', owner.accountId)
    const connection = await connectAs(server.app, caller)
    const theirClient = await openClient(`${server.url}/v1/mcp`, connection.token)
    await server.app.db.auth`update members set role = 'viewer' where user_id = ${caller.userId}`
    await vi.waitFor(async () => {
      const refused = await call('pause_campaign', { campaignId: randomUUIDv7() }, theirClient)
      expect(getText(refused)).toContain('lacks the permission Campaign.EditCampaign')
    })
    await server.app.db.auth`delete from members where user_id = ${caller.userId}`
    await vi.waitFor(async () => expect((await present(connection.token)).status).toBe(401))
    await theirClient.close()
  })

  it('it is sent to the REST API', async () => {
    expect((await server.request('GET', '/account', { token })).status).toBe(401)
  })
})

describe('browser request', () => {
  it('is rejected from another origin or for another host, even with a valid token', async () => {
    const authorization = `Bearer ${token}`
    for (const origin of [
      'https://evil.example',
      'null',
      'http://localhost:4400.evil.example',
      'https://localhost:4400',
    ]) {
      expect((await post({ authorization, origin })).status, origin).toBe(403)
    }
    expect((await post({ authorization, origin: 'http://localhost:4400' })).status).toBe(200)
    const { hostname, port } = new URL(server.url)
    const { status } = await requestWithHost(hostname, Number(port), 'rebound.example', authorization)
    expect(status).toBe(403)
  })
})

/** Sends a request with a custom Host header, which fetch does not allow. */
async function requestWithHost(hostname: string, port: number, host: string, authorization: string) {
  const { request } = await import('node:http')
  return new Promise<{ status: number | undefined }>((resolve, reject) => {
    request(
      { hostname, port, path: '/v1/mcp', method: 'POST', headers: { host, authorization } },
      response => {
        response.resume()
        resolve({ status: response.statusCode })
      },
    )
      .on('error', reject)
      .end('{}')
  })
}

describe.each(roles)('role %s', role => {
  it('can list and call its tools, and other tools return an error that names the permission', async () => {
    const caller = role === 'owner' ? owner : await makeCaller(server.app, role, owner.accountId)
    const connection = await connectAs(server.app, caller)
    const theirClient = await openClient(`${server.url}/v1/mcp`, connection.token)
    const isPermitted = ({ permission }: Tool) => getPermissionScope(role, permission as Permission) !== null
    const listed = (await theirClient.listTools()).tools.map(({ name }) => name)
    expect(listed).toEqual(all.filter(isPermitted).map(({ name }) => name))
    for (const tool of all) {
      const result = await call(tool.name, { surprise: true }, theirClient)
      expect(result.isError, tool.name).toBe(true)
      expect(getText(result)).toMatch(
        isPermitted(tool) ? /surprise: unknown field/ : RegExp(`lacks.*${tool.permission}`),
      )
    }
    await theirClient.close()
  })

  it('sees only read tools over a read-only connection', async () => {
    const caller = await makeCaller(server.app, role, owner.accountId)
    const connection = await connectAs(server.app, caller, { scopes: ['outreach.read'] })
    const theirClient = await openClient(`${server.url}/v1/mcp`, connection.token)
    const listed = (await theirClient.listTools()).tools
    expect(listed.length).toBeGreaterThan(10)
    expect(listed.filter(({ annotations }) => !annotations?.readOnlyHint)).toEqual([])
    await theirClient.close()
  })
})

describe('rate limits', () => {
  let limited: TestServer
  beforeAll(async () => {
    limited = await openTestServer({ RATE_LIMIT_PER_MINUTE: '100' })
  })
  afterAll(() => limited[Symbol.asyncDispose]())

  type Message = { method: string; params?: object }
  const optOut: Message = {
    method: 'tools/call',
    params: { name: 'add_opt_outs', arguments: { identifiers: [] } },
  }
  const listReps: Message = { method: 'tools/call', params: { name: 'list_reps', arguments: {} } }
  const listTools: Message = { method: 'tools/list' }
  /** Connects a new user and returns functions to send messages. */
  const makeClient = async (accountId?: string) => {
    const caller = await makeCaller(limited.app, 'owner', accountId)
    const { token } = await connectAs(limited.app, caller)
    const post = (body: object) =>
      limited.request('POST', '/v1/mcp', {
        token,
        body,
        headers: { accept: 'application/json, text/event-stream' },
      })
    const send = (message: Message) => post({ jsonrpc: '2.0', id: 1, ...message })
    const burst = (count: number, message: Message) =>
      Promise.all(Array.from({ length: count }, () => send(message)))
    const batch = (...messages: Message[]) =>
      post(messages.map((message, id) => ({ jsonrpc: '2.0', id, ...message })))
    return { caller, send, burst, batch }
  }
  const statuses = (responses: { status: number }[]) => [...new Set(responses.map(({ status }) => status))]
  const isLimitedInResult = (response: { status: number; text: string }) =>
    response.status === 200 && /"TooManyRequests: wait \d+ seconds/.test(response.text)

  it('allow 120 messages of any kind a minute per user and account', async () => {
    const { caller, send, burst, batch } = await makeClient()
    const responses = [
      ...(await burst(30, { method: 'initialize', params: initialize })),
      ...(await burst(30, { method: 'nothing/known' })),
      ...(await burst(28, listTools)),
      ...(await burst(30, listReps)),
    ]
    expect(statuses(responses)).toEqual([200])
    expect(responses.filter(isLimitedInResult)).toEqual([])
    expect((await batch(listTools, listReps)).status).toBe(200)
    for (const message of [listTools, { method: 'nothing/known' }, { method: 'ping' }]) {
      const response = await send(message)
      expect(response).toMatchObject({ status: 429, body: { error: 'TooManyRequests' } })
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    }
    expect((await batch(listTools, listReps)).status).toBe(429)
    const colleague = await makeClient(caller.accountId)
    expect(await colleague.send(listReps), 'another user of the account').toMatchObject({ status: 200 })
  })

  it('are reported in the result of a tool call, because clients treat a 429 as a broken server', async () => {
    const { send, burst } = await makeClient()
    const responses = await burst(125, listReps)
    expect(statuses(responses)).toEqual([200])
    expect(responses.filter(isLimitedInResult)).toHaveLength(5)
    expect(isLimitedInResult(await send(listReps))).toBe(true)
  })

  it('never delay opt-outs, which have a limit per account shared with the API', async () => {
    const { caller, send, burst, batch } = await makeClient()
    await burst(120, listTools)
    const responses = await burst(98, optOut)
    expect(statuses(responses)).toEqual([200])
    expect(responses.filter(isLimitedInResult)).toEqual([])
    const together = await batch(optOut, listReps)
    expect(together.status).toBe(200)
    expect(together.text.match(/TooManyRequests/g), 'the other call alone').toHaveLength(1)
    const token = await limited.createToken(caller)
    const optOutOverApi = () =>
      limited.request('POST', '/dnc/communication-opt-outs', { token, body: { identifiers: [] } })
    expect((await optOutOverApi()).status).toBe(200)
    expect((await optOutOverApi()).status).toBe(429)
    expect(isLimitedInResult(await send(optOut))).toBe(true)
    expect((await batch(optOut, optOut)).status).toBe(429)
  })
})
