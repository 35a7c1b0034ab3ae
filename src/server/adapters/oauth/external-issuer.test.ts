import { type JWTPayload, SignJWT } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Caller, makeCaller } from '../../../../test/support/app.ts'
import { Browser } from '../../../../test/support/http/browser.ts'
import { connectAs } from '../../../../test/support/http/connection.ts'
import {
  clientId,
  type IdentityProvider,
  openIdentityProvider,
} from '../../../../test/support/http/identity-provider.ts'
import { connectBySdk } from '../../../../test/support/http/oauth-client.ts'
import { openTestServer, type TestServer } from '../../../../test/support/http/server.ts'
import { isMissing } from '../../../../test/support/processes/environment.ts'
import { findFreePort } from '../../../../test/support/processes/ports.ts'
import { createUser } from '../../domain/accounts/users.ts'

describe.skipIf(isMissing('openssl'))('server with an external identity provider', () => {
  let origin: string
  let provider: IdentityProvider
  let server: TestServer
  let owner: Caller
  let email: string
  beforeAll(async () => {
    // The provider warns that its setup is for development only.
    for (const kind of ['info', 'warn'] as const) vi.spyOn(console, kind).mockReturnValue()
    origin = `http://localhost:${await findFreePort()}`
    provider = await openIdentityProvider(`${origin}/v1/mcp`)
    server = await openTestServer({ PUBLIC_URL: origin, OAUTH_ISSUER: provider.issuer })
    owner = await makeCaller(server.app)
    email = await getEmail(owner)
    provider.person = { email, email_verified: true, overture_account: owner.accountId }
  })
  afterEach(() => vi.useRealTimers())
  afterAll(async () => {
    vi.restoreAllMocks()
    await server?.[Symbol.asyncDispose]()
    await provider?.[Symbol.asyncDispose]()
  })

  const getEmail = async ({ userId }: { userId: string }) =>
    (await server.app.owner<{ email: string }[]>`select email from users where id = ${userId}`)[0]!.email
  const join = ({ userId }: Caller, accountId: string) => server.app.db.auth`
    insert into members (account_id, user_id, role) values (${accountId}, ${userId}, 'owner')`
  const present = (token: string, at = server) =>
    at.request('POST', '/v1/mcp', {
      token,
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'whoami', arguments: {} },
      },
      headers: { accept: 'application/json, text/event-stream' },
    })

  it('signs a client in and gives it the permissions of the user with the same email address', async () => {
    const { client, authorizationUrl } = await connectBySdk(
      `${origin}/v1/mcp`,
      new Browser(provider.issuer),
      {
        stored: { client: { client_id: clientId } },
      },
    )
    expect(authorizationUrl.origin).toBe(provider.issuer)
    expect((await client.callTool({ name: 'whoami' })).structuredContent).toMatchObject({
      account: { id: owner.accountId },
      role: 'owner',
      user: { email },
      scopes: ['outreach.read', 'outreach.write'],
    })
    await client.close()
  })

  it('names the provider in the metadata and in the errors of our own endpoints', async () => {
    const resource = await server.request('GET', '/.well-known/oauth-protected-resource/v1/mcp')
    expect(resource.body).toMatchObject({
      resource: `${origin}/v1/mcp`,
      authorization_servers: [provider.issuer],
    })
    const metadata = await server.request('GET', '/.well-known/oauth-authorization-server')
    expect(metadata.body).toMatchObject({
      issuer: provider.issuer,
      token_endpoint: `${provider.issuer}/token`,
    })
    for (const path of ['authorize', 'interaction/a', 'token', 'register', 'revoke', 'jwks']) {
      for (const method of ['GET', 'POST']) {
        const response = await server.request(method, `/v1/${path}`)
        expect(response.status, path).toBe(404)
        expect(response.text).toContain(provider.issuer)
      }
    }
  })

  const past = () => Math.floor(Date.now() / 1000) - 60
  it.each([
    ['from another issuer', () => ({ iss: 'https://elsewhere.example' })],
    ['for another audience', () => ({ aud: clientId })],
    ['without an audience', () => ({ aud: undefined })],
    ['that has expired', () => ({ exp: past() })],
    ['without exp', () => ({ exp: undefined })],
    ['without iat', () => ({ iat: undefined })],
    ['issued in the future', () => ({ iat: past() + 120 })],
    ['that is not valid yet', () => ({ nbf: past() + 3600 })],
    ['without a scope, like an ID token', () => ({ scope: undefined })],
    ['without a subject', () => ({ sub: undefined })],
    ['that requires proof of possession', () => ({ cnf: { jkt: 'a' } })],
  ] as [string, () => JWTPayload][])('rejects a token %s', async (_what, claims) => {
    expect((await present(await provider.sign(claims()))).status).toBe(401)
  })

  it('rejects a token that the provider did not sign', async () => {
    const token = await provider.sign({})
    const [head, body, signature] = token.split('.') as [string, string, string]
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const { kid, x, y } = provider.privateJwk()
    const elsewhere = await openIdentityProvider(`${origin}/v1/mcp`)
    for (const forged of [
      `${encode({ alg: 'none', typ: 'at+jwt' })}.${body}.`,
      `${encode({ alg: 'none', typ: 'at+jwt', kid })}.${body}.${signature}`,
      await new SignJWT(JSON.parse(Buffer.from(body, 'base64url').toString()))
        .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: kid! })
        .sign(Buffer.from(`${x}${y}`)),
      await provider.sign({}, { kid: 'another' }),
      await elsewhere.sign({ iss: provider.issuer, email, email_verified: true }, { kid }),
      `${head}.${encode({ iss: provider.issuer, aud: `${origin}/v1/mcp`, email })}.${signature}`,
      (await connectAs(server.app, owner)).token,
      await server.createToken(owner),
    ]) {
      expect((await present(forged)).status, forged.slice(0, 60)).toBe(401)
    }
    await elsewhere[Symbol.asyncDispose]()
  })

  it.each([
    ['unverified', { email_verified: false }],
    ['marked as verified by the string "true"', { email_verified: 'true' }],
    ['not marked as verified', { email_verified: undefined }],
    ['missing', { email: undefined }],
    ['unknown', { email: 'nobody@acme.example' }],
    ['invalid', { email: 'nonsense' }],
    ['an array', { email: ['a@acme.example'] }],
  ] as [string, JWTPayload][])('rejects a token whose email address is %s', async (_what, claims) => {
    expect((await present(await provider.sign(claims))).status).toBe(403)
  })

  it('rejects a token whose email claim contains more than the address', async () => {
    for (const spelled of [
      `x@evil.example <${email}>`,
      `<${email}>`,
      `mailto:${email}`,
      `"${email}"`,
      ` ${email}`,
      `${email},`,
      [email],
    ]) {
      expect((await present(await provider.sign({ email: spelled }))).status, String(spelled)).toBe(403)
    }
    expect((await present(await provider.sign({ email: email.toUpperCase() }))).status).toBe(200)
  })

  it('rejects a user without an account and one who left the account', async () => {
    const loner = await createUser(server.app.db.auth, {
      email: 'loner@acme.example',
      name: 'Loner',
      isEmailVerified: true,
    })
    expect((await present(await provider.sign({ email: loner.email }))).status).toBe(403)
    const leaver = await makeCaller(server.app, 'member', owner.accountId)
    const token = await provider.sign({ email: (await getEmail(leaver)).toUpperCase() })
    expect((await present(token)).text).toContain(owner.accountId)
    await server.app.db.auth`delete from members where user_id = ${leaver.userId}`
    await vi.waitFor(async () => expect((await present(token)).status).toBe(403))
  })

  it('requires the account claim and uses the account that it names', async () => {
    const user = await makeCaller(server.app)
    const second = await makeCaller(server.app)
    const stranger = await makeCaller(server.app)
    await join(user, second.accountId)
    const presentClaims = async (claims: JWTPayload) =>
      present(await provider.sign({ email: await getEmail(user), ...claims }))
    const unnamed = await present(await provider.sign({ overture_account: undefined }))
    expect([unnamed.status, unnamed.text]).toEqual([403, expect.stringContaining('overture_account claim')])
    for (const { accountId } of [user, second]) {
      expect((await presentClaims({ overture_account: accountId })).text).toContain(accountId)
    }
    for (const overture_account of [stranger.accountId, 'nonsense', null, [second.accountId]]) {
      expect((await presentClaims({ overture_account })).status, String(overture_account)).toBe(403)
    }
  })

  it('rejects a token for an account the user has left, even after the user joins another one', async () => {
    const user = await makeCaller(server.app)
    const second = await makeCaller(server.app)
    const email = await getEmail(user)
    await server.app.owner`
      update members set created_at = now() - interval '1 day' where user_id = ${user.userId}`
    const iat = past()
    const unnamed = await provider.sign({ email, iat, overture_account: undefined })
    const named = await provider.sign({ email, iat, overture_account: user.accountId })
    expect((await present(named)).text).toContain(user.accountId)
    await server.app.db.auth`delete from members where user_id = ${user.userId}`
    await join(user, second.accountId)
    await vi.waitFor(async () => expect((await present(named)).status).toBe(403))
    // As issued for a refresh token after the user joined the second account.
    const later = { email, iat: Math.floor(Date.now() / 1000) + 1 }
    const refreshed = [
      await provider.sign({ ...later, overture_account: undefined }),
      await provider.sign({ ...later, overture_account: user.accountId }),
    ]
    for (const token of [unnamed, ...refreshed]) expect((await present(token)).status).toBe(403)
    await join(user, user.accountId)
    await vi.waitFor(async () => expect((await present(named)).status).toBe(401))
    const fresh = await provider.sign({ ...later, overture_account: second.accountId })
    expect((await present(fresh)).text).toContain(second.accountId)
  })

  it('limits a token to its scopes and the role of the user', async () => {
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'pause_campaign', arguments: {} },
    }
    const callWith = async (claims: JWTPayload, message: unknown = body) =>
      server.request('POST', '/v1/mcp', {
        token: await provider.sign(claims),
        body: message,
        headers: { accept: 'application/json, text/event-stream' },
      })
    const batch = [{ ...body, params: { name: 'list_reps', arguments: {} } }]
    expect((await callWith({ scope: 'openid' }, batch)).text).toContain(
      'list_reps requires the scope outreach.read',
    )
    expect((await callWith({ scope: 'openid outreach.read' })).headers.get('www-authenticate')).toContain(
      'insufficient_scope',
    )
    const viewer = await makeCaller(server.app, 'viewer', owner.accountId)
    expect((await callWith({ email: await getEmail(viewer) })).text).toContain('Campaign.EditCampaign')
  })

  it('accepts tokens signed with a new key and rejects tokens signed with the removed one', async () => {
    const old = await provider.sign({ jti: 'not seen before' })
    await provider.rotate()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11_000 })
    const fresh = await provider.sign({})
    expect((await present(fresh)).status).toBe(200)
    expect((await present(old)).status).toBe(401)
  })

  describe('when the provider is unavailable or misconfigured', () => {
    const requestWithProvider = async (listener: IdentityProvider['server']['answer']) => {
      await using impostor = await openIdentityProvider(`${origin}/v1/mcp`)
      const token = await impostor.sign({ email, email_verified: true })
      impostor.server.answer = listener
      await using other = await openTestServer({
        PUBLIC_URL: origin.replace(/\d+$/, '0'),
        OAUTH_ISSUER: impostor.issuer,
      })
      const responses = [await present(token, other), await present(token, other)]
      return { responses, requests: [...impostor.server.requests], url: other.url }
    }

    it.each([
      ['returns 500', 500, {}],
      ['redirects', 302, {}],
      ['names another issuer', 200, { issuer: 'https://elsewhere.example' }],
      ['has no keys', 200, {}],
    ] as const)(
      'responds with 503 and does not retry on every request if the provider %s',
      async (_what, status, metadata) => {
        const { responses, requests } = await requestWithProvider((request, response) => {
          const issuer = `https://${request.headers.host}`
          response
            .writeHead(status, { 'content-type': 'application/json', location: `${issuer}/elsewhere` })
            .end(JSON.stringify({ issuer, ...metadata }))
        })
        for (const response of responses) {
          expect(response.status).toBe(503)
          expect(response.headers.get('retry-after')).toBe('5')
        }
        expect(requests).toHaveLength(2)
        expect(requests.every(path => path.startsWith('/.well-known/'))).toBe(true)
      },
    )

    it.each([
      'https://127.0.0.1:PORT/jwks',
      'https://[::1]:PORT/jwks',
      'https://169.254.169.254/jwks',
      'http://localhost:PORT/jwks',
      'file:///etc/passwd',
      'data:application/json,{}',
    ])('does not fetch keys from %s', async uri => {
      const { responses, requests } = await requestWithProvider((request, response) => {
        const issuer = `https://${request.headers.host}`
        const jwks_uri = uri.replace('PORT', issuer.split(':').at(-1)!)
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ issuer, jwks_uri }))
      })
      expect(responses.map(({ status }) => status)).toEqual([503, 503])
      expect(requests.filter(path => path.endsWith('/jwks'))).toEqual([])
    })
  })
})
