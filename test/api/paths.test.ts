import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCaller } from '../support/app.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'

// Paths other than operations, which test/api/contract.test.ts covers.

let server: TestServer
let token: string
beforeAll(async () => {
  server = await openTestServer({ CORS_ORIGINS: 'https://app.acme.example' })
  token = await server.createToken(await makeCaller(server.app))
})
afterAll(() => server[Symbol.asyncDispose]())

const readMethods = 'GET, HEAD'
const send = (method: string, path: string) =>
  fetch(server.url + path, { method, headers: { authorization: `Bearer ${token}` } })

describe('known paths', () => {
  it.each([
    ['GET', '/v1/register', 'POST'],
    ['GET', '/v1/revoke', 'POST'],
    ['GET', '/v1/token', 'POST'],
    ['PUT', '/v1/token', 'POST'],
    ['POST', '/v1/jwks', readMethods],
    ['POST', '/v1/authorize', readMethods],
    ['PUT', '/v1/authorize/some-id', readMethods],
    ['PUT', '/v1/interaction/some-id', `${readMethods}, POST`],
    ['POST', '/.well-known/oauth-authorization-server', readMethods],
    ['POST', '/.well-known/oauth-protected-resource/mcp', readMethods],
    ['DELETE', '/v1/.well-known/openid-configuration', readMethods],
    ['GET', '/v1/inbound/linkedin/some-key', 'POST'],
    ['GET', '/v1/inbound/email/some-key', 'POST'],
    ['GET', '/v1/callbacks/voice/some/body', 'POST'],
    ['GET', '/v1/mcp', 'POST'],
    ['DELETE', '/mcp', 'POST'],
    ['OPTIONS', '/mcp', 'POST'],
    ['PUT', '/v1/session', `${readMethods}, POST, DELETE`],
    ['GET', '/v1/session/code', 'POST'],
    ['POST', '/v1/user/sign-in', readMethods],
    ['POST', '/v1/openapi.json', readMethods],
    ['POST', '/docs', readMethods],
    ['POST', '/docs/', readMethods],
    ['POST', '/docs/createCampaign', readMethods],
    ['POST', '/docs/guides/webhooks.md', readMethods],
    ['POST', '/healthz', readMethods],
    ['POST', '/metrics?a=b', readMethods],
    ['POST', '/', readMethods],
    ['POST', '/settings/members', readMethods],
    ['PUT', '/u/some-token', `${readMethods}, POST`],
    // A separate path, although `draft` could also be an ID in another path.
    ['GET', '/v1/inbox/email/messages/draft', 'POST'],
    ['OPTIONS', '/v1/reps', `${readMethods}, POST`],
  ])('return 405 with Allow for %s %s', async (method, path, allow) => {
    const response = await send(method, path)
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow])
    expect(await response.json()).toMatchObject({ error: 'MethodNotAllowed' })
  })
})

it.each(['/v1/nothing', '/v1/register/claude', '/nothing', '/.well-known/nothing', '/v1/'])(
  'an unknown path returns 404 for every method (%s)',
  async path => {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const { status, headers } = await send(method, path)
      expect([method, status, headers.get('allow')]).toEqual([method, 404, null])
    }
  },
)

describe('a script on any website', () => {
  const fromClient = { origin: 'https://client.example' }

  it.each([
    ['/v1/register', 'POST'],
    ['/v1/token', 'POST'],
    ['/v1/revoke', 'POST'],
    ['/v1/jwks', readMethods],
    ['/.well-known/oauth-authorization-server', readMethods],
    ['/.well-known/oauth-protected-resource/v1/mcp', readMethods],
  ])('may send JSON and custom headers to %s', async (path, methods) => {
    const { status, headers } = await server.request('OPTIONS', path, {
      headers: {
        ...fromClient,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type, mcp-protocol-version',
      },
    })
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-allow-methods')).toBe(methods)
    expect(headers.get('access-control-allow-headers')).toBe('*, authorization')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
  })

  it('can read responses, errors included', async () => {
    const body = { redirect_uris: ['https://client.example/callback'] }
    const responses = [
      await server.request('POST', '/register', { headers: fromClient, body }),
      await server.request('POST', '/register', { headers: fromClient, body: {} }),
      await server.request('GET', '/register', { headers: fromClient }),
    ]
    expect(responses.map(({ status }) => status)).toEqual([201, 400, 405])
    for (const { headers } of responses) expect(headers.get('access-control-allow-origin')).toBe('*')
  })

  it('cannot call the API unless CORS_ORIGINS names its origin', async () => {
    const preflight = (origin: string) =>
      server.request('OPTIONS', '/reps', { headers: { origin, 'access-control-request-method': 'GET' } })
    expect((await preflight('https://client.example')).headers.get('access-control-allow-origin')).toBeNull()
    const allowed = await preflight('https://app.acme.example')
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.acme.example')
    expect(allowed.headers.get('access-control-allow-methods')).toContain('DELETE')
  })
})
