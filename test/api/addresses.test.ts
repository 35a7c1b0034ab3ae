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

const reads = 'GET, HEAD'
const ask = (method: string, path: string) =>
  fetch(server.url + path, { method, headers: { authorization: `Bearer ${token}` } })

describe('a known path answers 405 with Allow to', () => {
  it.each([
    ['GET', '/v1/register', 'POST'],
    ['GET', '/v1/revoke', 'POST'],
    ['GET', '/v1/token', 'POST'],
    ['PUT', '/v1/token', 'POST'],
    ['POST', '/v1/jwks', reads],
    ['POST', '/v1/authorize', reads],
    ['PUT', '/v1/authorize/some-id', reads],
    ['PUT', '/v1/interaction/some-id', `${reads}, POST`],
    ['POST', '/.well-known/oauth-authorization-server', reads],
    ['POST', '/.well-known/oauth-protected-resource/mcp', reads],
    ['DELETE', '/v1/.well-known/openid-configuration', reads],
    ['GET', '/v1/inbound/linkedin/some-key', 'POST'],
    ['GET', '/v1/inbound/email/some-key', 'POST'],
    ['GET', '/v1/callbacks/voice/some/body', 'POST'],
    ['GET', '/v1/mcp', 'POST'],
    ['DELETE', '/mcp', 'POST'],
    ['OPTIONS', '/mcp', 'POST'],
    ['PUT', '/v1/session', `${reads}, POST, DELETE`],
    ['GET', '/v1/session/code', 'POST'],
    ['POST', '/v1/user/sign-in', reads],
    ['POST', '/v1/openapi.json', reads],
    ['POST', '/docs', reads],
    ['POST', '/docs/', reads],
    ['POST', '/docs/createCampaign', reads],
    ['POST', '/docs/guides/webhooks.md', reads],
    ['POST', '/healthz', reads],
    ['POST', '/metrics?a=b', reads],
    ['POST', '/', reads],
    ['POST', '/settings/members', reads],
    ['PUT', '/u/some-token', `${reads}, POST`],
    // A path of its own, although `draft` could be the id of another path.
    ['GET', '/v1/inbox/email/messages/draft', 'POST'],
    ['OPTIONS', '/v1/reps', `${reads}, POST`],
  ])('%s %s', async (method, path, allow) => {
    const reply = await ask(method, path)
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, allow])
    expect(await reply.json()).toMatchObject({ error: 'MethodNotAllowed' })
  })
})

it.each(['/v1/nothing', '/v1/register/claude', '/nothing', '/.well-known/nothing', '/v1/'])(
  'an unknown path answers 404 to every method (%s)',
  async path => {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const { status, headers } = await ask(method, path)
      expect([method, status, headers.get('allow')]).toEqual([method, 404, null])
    }
  },
)

describe('a script on any website', () => {
  const from = { origin: 'https://client.example' }

  it.each([
    ['/v1/register', 'POST'],
    ['/v1/token', 'POST'],
    ['/v1/revoke', 'POST'],
    ['/v1/jwks', reads],
    ['/.well-known/oauth-authorization-server', reads],
    ['/.well-known/oauth-protected-resource/v1/mcp', reads],
  ])('may send JSON and custom headers to %s', async (path, methods) => {
    const { status, headers } = await server.request('OPTIONS', path, {
      headers: {
        ...from,
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
    const replies = [
      await server.request('POST', '/register', { headers: from, body }),
      await server.request('POST', '/register', { headers: from, body: {} }),
      await server.request('GET', '/register', { headers: from }),
    ]
    expect(replies.map(({ status }) => status)).toEqual([201, 400, 405])
    for (const { headers } of replies) expect(headers.get('access-control-allow-origin')).toBe('*')
  })

  it('cannot call the API unless CORS_ORIGINS names its origin', async () => {
    const ask = (origin: string) =>
      server.request('OPTIONS', '/reps', { headers: { origin, 'access-control-request-method': 'GET' } })
    expect((await ask('https://client.example')).headers.get('access-control-allow-origin')).toBeNull()
    const ours = await ask('https://app.acme.example')
    expect(ours.headers.get('access-control-allow-origin')).toBe('https://app.acme.example')
    expect(ours.headers.get('access-control-allow-methods')).toContain('DELETE')
  })
})
