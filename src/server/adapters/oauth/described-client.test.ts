import type { RequestListener } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aCaller, type Caller } from '../../../../test/support/app.ts'
import { Browser } from '../../../../test/support/http/browser.ts'
import { type HttpsServer, openHttpsServer } from '../../../../test/support/http/https-server.ts'
import { answerLookups } from '../../../../test/support/http/name-answers.ts'
import { connectBySdk } from '../../../../test/support/http/oauth-client.ts'
import { openTestServer, type TestServer } from '../../../../test/support/http/server.ts'
import { isMissing } from '../../../../test/support/processes/environment.ts'
import { freePort } from '../../../../test/support/processes/ports.ts'
import { fetchClientDocument } from './client-document.ts'

const REDIRECT = 'http://localhost:7777/callback'

describe.skipIf(isMissing('openssl'))('a client that describes itself at an address of its own', () => {
  let publisher: HttpsServer
  let server: TestServer
  let owner: Caller
  let origin: string
  let browser: Browser
  beforeAll(async () => {
    origin = `http://localhost:${await freePort()}`
    publisher = await openHttpsServer()
    server = await openTestServer({ PUBLIC_URL: origin, ALLOW_PRIVATE_HOSTS: 'localhost' })
    owner = await aCaller(server.app)
    browser = new Browser(origin, await server.cookieOf(owner))
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await publisher?.[Symbol.asyncDispose]()
  })

  const saying =
    (document: unknown, status = 200, headers: Record<string, string> = {}): RequestListener =>
    (_request, response) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(typeof document === 'string' ? document : JSON.stringify(document))
  const description = (id: string) => ({ client_id: id, client_name: 'Described', redirect_uris: [REDIRECT] })
  const authorizeUrl = (client_id: string, redirect_uri = REDIRECT) =>
    `${origin}/v1/authorize?${new URLSearchParams({
      response_type: 'code',
      client_id,
      redirect_uri,
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    })}`

  it('connects without registering; who asks is shown with where that is published, and read once', async () => {
    const id = `${publisher.origin}/client.json`
    publisher.answer = saying(description(id))
    const { client, asked } = await connectBySdk(`${origin}/v1/mcp`, browser, { clientMetadataUrl: id })
    expect(asked.searchParams.get('client_id')).toBe(id)
    expect((await client.callTool({ name: 'whoami' })).structuredContent).toMatchObject({
      id: owner.accountId,
    })
    await client.close()
    const { response } = await browser.open(authorizeUrl(id))
    expect(await response.text()).toContain(`published by <b>${new URL(id).host}</b>`)
    expect(publisher.asked.filter(path => path === '/client.json')).toHaveLength(1)
    expect((await owner.call('listConnectedApps', {})).data[0]).toMatchObject({ name: 'Described' })
  })

  it.each([
    ['names another client', (id: string) => saying({ ...description(id), client_id: `${id}2` })],
    ['names none', (id: string) => saying({ ...description(id), client_id: undefined })],
    [
      'names the same in other letters',
      (id: string) => saying({ ...description(id), client_id: id.toUpperCase() }),
    ],
    ['is elsewhere', () => saying('', 302, { location: 'https://elsewhere.example/client.json' })],
    ['is elsewhere on the same host', (id: string) => saying(description(id), 307, { location: `${id}?a` })],
    ['is not found', (id: string) => saying(description(id), 404)],
    ['failed', (id: string) => saying(description(id), 500)],
    ['is a page', (id: string) => saying(description(id), 200, { 'content-type': 'text/html' })],
    ['is of no type', (id: string) => saying(description(id), 200, { 'content-type': '' })],
    ['is no JSON', () => saying('{')],
    ['is a list', (id: string) => saying([description(id)])],
    ['is nothing', () => saying('null')],
    ['is empty', () => saying('')],
    ['is longer than 64 kB', (id: string) => saying({ ...description(id), padding: 'a'.repeat(65_536) })],
    ['has no end', (): RequestListener => (_request, response) => endless(response)],
    ['leads nowhere', (id: string) => saying({ ...description(id), redirect_uris: [] })],
    [
      'leads to a script',
      (id: string) => saying({ ...description(id), redirect_uris: ['javascript:alert(1)'] }),
    ],
    ['leads to data', (id: string) => saying({ ...description(id), redirect_uris: [REDIRECT, 'data:,a'] })],
    [
      'leads to a host without TLS',
      (id: string) => saying({ ...description(id), redirect_uris: ['http://a.example/'] }),
    ],
    ['wants tokens at once', (id: string) => saying({ ...description(id), response_types: ['token'] })],
    [
      'wants to do without a person',
      (id: string) => saying({ ...description(id), grant_types: ['client_credentials'] }),
    ],
  ] as [string, (id: string) => RequestListener][])(
    'is none when its description %s',
    async (_what, answer) => {
      const id = `${publisher.origin}/${crypto.randomUUID()}.json`
      publisher.answer = answer(id)
      const { response, leadsTo } = await browser.open(authorizeUrl(id))
      expect([response.status, leadsTo]).toEqual([400, undefined])
      expect(publisher.asked.filter(path => id.endsWith(path))).toHaveLength(1)
    },
  )

  it('is read only for somebody who is signed in, and not for a token', async () => {
    const id = `${publisher.origin}/unseen.json`
    publisher.answer = saying(description(id))
    const before = publisher.asked.length
    const { url } = await new Browser(origin).open(authorizeUrl(id))
    expect(url).toContain('/sign-in?next=')
    const fields = { grant_type: 'refresh_token', refresh_token: 'a', client_id: id }
    const answer = await fetch(`${origin}/v1/token`, { method: 'POST', body: new URLSearchParams(fields) })
    expect([answer.status, await answer.json()]).toMatchObject([401, { error: 'invalid_client' }])
    expect(publisher.asked).toHaveLength(before)
    expect(await server.app.owner`select from oauth_clients where id = ${id}`).toHaveLength(0)
  })

  it('is forgotten when nobody connected it within an hour, and read again', async () => {
    const id = `${publisher.origin}/forgotten.json`
    publisher.answer = saying(description(id))
    await browser.open(authorizeUrl(id))
    await server.app
      .owner`update oauth_clients set updated_at = now() - interval '61 minutes' where id = ${id}`
    const another = `${publisher.origin}/another.json`
    publisher.answer = saying(description(another))
    await browser.open(authorizeUrl(another))
    expect(await server.app.owner`select from oauth_clients where id = ${id}`).toHaveLength(0)
    publisher.answer = saying(description(id))
    expect((await browser.open(authorizeUrl(id))).response.status).toBe(200)
  })

  it('is led to no address but those of its description', async () => {
    const id = `${publisher.origin}/strict.json`
    publisher.answer = saying(description(id))
    for (const uri of ['https://evil.example/callback', `${REDIRECT}/more`, `${publisher.origin}/callback`]) {
      const { response, leadsTo } = await browser.open(authorizeUrl(id, uri))
      expect([response.status, leadsTo]).toEqual([400, undefined])
    }
  })

  describe('by a name that leads to a private address', () => {
    const port = () => new URL(publisher.origin).port
    // Of a range that nobody was given: a connection there finds nobody.
    const nobody = '2d00::1'
    const privates = [
      '127.0.0.1',
      '::1',
      '::ffff:127.0.0.1',
      '10.0.0.1',
      '169.254.169.254',
      '64:ff9b::7f00:1',
    ]

    it.each(privates)('as %s is not read', async address => {
      answerLookups([address])
      const before = publisher.asked.length
      await expect(fetchClientDocument(`https://a.example:${port()}/a`, [])).rejects.toThrow(
        /private or reserved/,
      )
      expect(publisher.asked).toHaveLength(before)
    })

    it.each([
      [[nobody], ['127.0.0.1']],
      [['127.0.0.1', nobody], ['127.0.0.1']],
      [[nobody, '127.0.0.1'], ['127.0.0.1']],
    ])(
      'found as %j, and as %j when asked a second time, is asked once and never reached',
      async (...rounds) => {
        const before = publisher.asked.length
        const lookup = answerLookups(...rounds)
        const failure = await fetchClientDocument(`https://a.example:${port()}/a`, []).catch(error => error)
        expect(String(failure)).not.toMatch(/certificate|another client_id/)
        expect(lookup).toHaveBeenCalledTimes(1)
        expect(publisher.asked).toHaveLength(before)
      },
    )
  })
})

/** As long as somebody listens. */
function endless(response: import('node:http').ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  const more = () => {
    while (!response.destroyed && response.write('a'.repeat(16_384)));
  }
  response.on('drain', more)
  more()
}
