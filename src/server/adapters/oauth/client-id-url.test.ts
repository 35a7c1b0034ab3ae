import type { RequestListener } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller } from '../../../../test/support/app.ts'
import { Browser } from '../../../../test/support/http/browser.ts'
import { type HttpsServer, openHttpsServer } from '../../../../test/support/http/https-server.ts'
import { mockLookups } from '../../../../test/support/http/mock-lookups.ts'
import { connectBySdk } from '../../../../test/support/http/oauth-client.ts'
import { openTestServer, type TestServer } from '../../../../test/support/http/server.ts'
import { isMissing } from '../../../../test/support/processes/environment.ts'
import { findFreePort } from '../../../../test/support/processes/ports.ts'
import { fetchClientMetadata } from './client-metadata-document.ts'

const REDIRECT = 'http://localhost:7777/callback'

describe.skipIf(isMissing('openssl'))('client whose ID is a URL', () => {
  let publisher: HttpsServer
  let server: TestServer
  let owner: Caller
  let origin: string
  let browser: Browser
  beforeAll(async () => {
    origin = `http://localhost:${await findFreePort()}`
    publisher = await openHttpsServer()
    server = await openTestServer({ PUBLIC_URL: origin, ALLOW_PRIVATE_HOSTS: 'localhost' })
    owner = await makeCaller(server.app)
    browser = new Browser(origin, await server.createCookie(owner))
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await publisher?.[Symbol.asyncDispose]()
  })

  const respondWith =
    (document: unknown, status = 200, headers: Record<string, string> = {}): RequestListener =>
    (_request, response) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(typeof document === 'string' ? document : JSON.stringify(document))
  const validDocument = (id: string) => ({
    client_id: id,
    client_name: 'Described',
    redirect_uris: [REDIRECT],
  })
  const authorizeUrl = (client_id: string, redirect_uri = REDIRECT) =>
    `${origin}/v1/authorize?${new URLSearchParams({
      response_type: 'code',
      client_id,
      redirect_uri,
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    })}`

  it('connects without registration, shows its publisher, and fetches the document once', async () => {
    const id = `${publisher.origin}/client.json`
    publisher.answer = respondWith(validDocument(id))
    const { client, authorizationUrl } = await connectBySdk(`${origin}/v1/mcp`, browser, {
      clientMetadataUrl: id,
    })
    expect(authorizationUrl.searchParams.get('client_id')).toBe(id)
    expect((await client.callTool({ name: 'whoami' })).structuredContent).toMatchObject({
      account: { id: owner.accountId },
    })
    await client.close()
    const { response } = await browser.open(authorizeUrl(id))
    expect(await response.text()).toContain(`published by <b>${new URL(id).host}</b>`)
    expect(publisher.requests.filter(path => path === '/client.json')).toHaveLength(1)
    expect((await owner.call('listConnectedApps', {})).data[0]).toMatchObject({ name: 'Described' })
  })

  it.each([
    ['has another client_id', (id: string) => respondWith({ ...validDocument(id), client_id: `${id}2` })],
    ['has no client_id', (id: string) => respondWith({ ...validDocument(id), client_id: undefined })],
    [
      'has its client_id in upper case',
      (id: string) => respondWith({ ...validDocument(id), client_id: id.toUpperCase() }),
    ],
    [
      'redirects to another host',
      () => respondWith('', 302, { location: 'https://elsewhere.example/client.json' }),
    ],
    [
      'redirects on the same host',
      (id: string) => respondWith(validDocument(id), 307, { location: `${id}?a` }),
    ],
    ['is not found', (id: string) => respondWith(validDocument(id), 404)],
    ['returns 500', (id: string) => respondWith(validDocument(id), 500)],
    ['is HTML', (id: string) => respondWith(validDocument(id), 200, { 'content-type': 'text/html' })],
    ['has no content type', (id: string) => respondWith(validDocument(id), 200, { 'content-type': '' })],
    ['is invalid JSON', () => respondWith('{')],
    ['is an array', (id: string) => respondWith([validDocument(id)])],
    ['is null', () => respondWith('null')],
    ['is empty', () => respondWith('')],
    [
      'is longer than 64 kB',
      (id: string) => respondWith({ ...validDocument(id), padding: 'a'.repeat(65_536) }),
    ],
    ['never ends', (): RequestListener => (_request, response) => writeForever(response)],
    ['has no redirect URIs', (id: string) => respondWith({ ...validDocument(id), redirect_uris: [] })],
    [
      'has a javascript: redirect URI',
      (id: string) => respondWith({ ...validDocument(id), redirect_uris: ['javascript:alert(1)'] }),
    ],
    [
      'has a data: redirect URI',
      (id: string) => respondWith({ ...validDocument(id), redirect_uris: [REDIRECT, 'data:,a'] }),
    ],
    [
      'has an http redirect URI',
      (id: string) => respondWith({ ...validDocument(id), redirect_uris: ['http://a.example/'] }),
    ],
    [
      'requests the implicit flow',
      (id: string) => respondWith({ ...validDocument(id), response_types: ['token'] }),
    ],
    [
      'requests the client credentials grant',
      (id: string) => respondWith({ ...validDocument(id), grant_types: ['client_credentials'] }),
    ],
  ] as [string, (id: string) => RequestListener][])(
    'is unknown when its document %s',
    async (_what, createListener) => {
      const id = `${publisher.origin}/${crypto.randomUUID()}.json`
      publisher.answer = createListener(id)
      const { response, leadsTo } = await browser.open(authorizeUrl(id))
      expect([response.status, leadsTo]).toEqual([400, undefined])
      expect(publisher.requests.filter(path => id.endsWith(path))).toHaveLength(1)
    },
  )

  it('is not fetched without a session or for a token request', async () => {
    const id = `${publisher.origin}/unseen.json`
    publisher.answer = respondWith(validDocument(id))
    const before = publisher.requests.length
    const { url } = await new Browser(origin).open(authorizeUrl(id))
    expect(url).toContain('/sign-in?next=')
    const fields = { grant_type: 'refresh_token', refresh_token: 'a', client_id: id }
    const response = await fetch(`${origin}/v1/token`, { method: 'POST', body: new URLSearchParams(fields) })
    expect([response.status, await response.json()]).toMatchObject([401, { error: 'invalid_client' }])
    expect(publisher.requests).toHaveLength(before)
    expect(await server.app.owner`select from oauth_clients where id = ${id}`).toHaveLength(0)
  })

  it('is deleted after an hour without a grant and fetched again on the next request', async () => {
    const id = `${publisher.origin}/forgotten.json`
    publisher.answer = respondWith(validDocument(id))
    await browser.open(authorizeUrl(id))
    await server.app
      .owner`update oauth_clients set updated_at = now() - interval '61 minutes' where id = ${id}`
    const another = `${publisher.origin}/another.json`
    publisher.answer = respondWith(validDocument(another))
    await browser.open(authorizeUrl(another))
    expect(await server.app.owner`select from oauth_clients where id = ${id}`).toHaveLength(0)
    publisher.answer = respondWith(validDocument(id))
    expect((await browser.open(authorizeUrl(id))).response.status).toBe(200)
  })

  it('redirects only to the URIs in its document', async () => {
    const id = `${publisher.origin}/strict.json`
    publisher.answer = respondWith(validDocument(id))
    for (const uri of ['https://evil.example/callback', `${REDIRECT}/more`, `${publisher.origin}/callback`]) {
      const { response, leadsTo } = await browser.open(authorizeUrl(id, uri))
      expect([response.status, leadsTo]).toEqual([400, undefined])
    }
  })

  describe('with a host name that resolves to a private address', () => {
    const port = () => new URL(publisher.origin).port
    // From an unallocated range: connections there fail.
    const unreachable = '2d00::1'
    const privateAddresses = [
      '127.0.0.1',
      '::1',
      '::ffff:127.0.0.1',
      '10.0.0.1',
      '169.254.169.254',
      '64:ff9b::7f00:1',
    ]

    it.each(privateAddresses)('is not contacted at %s', async address => {
      mockLookups([address])
      const before = publisher.requests.length
      await expect(fetchClientMetadata(`https://a.example:${port()}/a`, [])).rejects.toThrow(
        /private or reserved/,
      )
      expect(publisher.requests).toHaveLength(before)
    })

    it.each([
      [[unreachable], ['127.0.0.1']],
      [['127.0.0.1', unreachable], ['127.0.0.1']],
      [[unreachable, '127.0.0.1'], ['127.0.0.1']],
    ])('is looked up once and never contacted when the first DNS answer is %j', async (...rounds) => {
      const before = publisher.requests.length
      const lookup = mockLookups(...rounds)
      const failure = await fetchClientMetadata(`https://a.example:${port()}/a`, []).catch(error => error)
      expect(String(failure)).not.toMatch(/certificate|another client_id/)
      expect(lookup).toHaveBeenCalledTimes(1)
      expect(publisher.requests).toHaveLength(before)
    })
  })
})

/** Writes until the client disconnects. */
function writeForever(response: import('node:http').ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  const more = () => {
    while (!response.destroyed && response.write('a'.repeat(16_384)));
  }
  response.on('drain', more)
  more()
}
