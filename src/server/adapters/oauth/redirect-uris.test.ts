import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCaller } from '../../../../test/support/app.ts'
import { Browser } from '../../../../test/support/http/browser.ts'
import { openTestServer, type TestServer } from '../../../../test/support/http/server.ts'
import { findFreePort } from '../../../../test/support/processes/ports.ts'

let server: TestServer
let origin: string
let browser: Browser
let cookie: string
beforeAll(async () => {
  origin = `http://localhost:${await findFreePort()}`
  server = await openTestServer({ PUBLIC_URL: origin })
  cookie = await server.createCookie(await makeCaller(server.app))
  browser = new Browser(origin, cookie)
})
afterAll(() => server[Symbol.asyncDispose]())

const CURSOR = 'cursor://anysphere.cursor-mcp/oauth/callback'
const REJECTED = [
  'ms-msdt:/id PCWDiagnostic',
  'ms-msdt:/id',
  'search-ms:query=a',
  'intent://a.example/#Intent',
  'intent://a.example/',
  'smb://a.example/share',
  'chrome://settings',
  'tel:+15550100',
  'sms:+15550100',
  'mailto:a@a.example',
  'ms-word:ofe|u|https://a.example/a.docx',
  'ms-settings:privacy',
  'x-apple.systempreferences:com.apple.preference',
  'web+app://callback',
  'myapp://callback',
  'javascript:alert(1)',
  'data:text/html,a',
  'file:///etc/passwd',
  'cursor://anysphere.cursor-deeplink/mcp/install?name=a&config=e30=',
  `${CURSOR}/more`,
  `${CURSOR}?a=b`,
  'vscode://mcp/install',
  'https://a.example;script-src/callback',
  "https://a.example'self'/callback",
  'https://a.example,b.example/callback',
  'https://a.example$/callback',
  'https:a.example/callback',
  'https:/a.example/callback',
  'https:///a.example/callback',
  'https://%61.example/callback',
  'https://bücher.example/callback',
  'https://a.example:443/callback',
  'https://a.example/other/../callback',
  'https://a.example/%2e/callback',
  'https://a.example/rückruf',
  'http:localhost/callback',
  'http://127.1/callback',
  'http://0x7f000001/callback',
  'javascript.x:/callback',
  'JavaScript.x:/callback',
  'about.blank:',
  'data.text:/callback',
  'microsoft.windows.camera:',
  'ms.windows:',
  'com.apple.systempreferences:',
  'com.microsoft.launcher:/callback',
  'vnd.libreoffice.command:https://a.example/a.odt',
  'vnd.sun.star.script:/callback',
  'vnd.sun.star.webdav:/callback',
  'steam.x:/callback',
  'mailto.x:/callback',
  'myapp.callback:/callback',
  'uk.co:/callback',
]

const register = (redirect_uris: string[]) =>
  server.request('POST', '/register', { body: { client_name: 'Client', redirect_uris } })
const registerClient = async (uri: string) =>
  ((await register([uri])).body as { client_id: string }).client_id
const authorizeUrl = (client_id: string, redirect_uri: string, parameters = {}) =>
  `${origin}/v1/authorize?${new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri,
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    ...parameters,
  })}`

describe('redirect URI', () => {
  it.each(REJECTED)('cannot be registered: %s', async uri => {
    const response = await register(['https://a.example/callback', uri])
    expect(response.status).toBe(400)
    expect(response.body).toMatchObject({ error: 'invalid_redirect_uri' })
  })

  it.each(REJECTED)('is rejected even if the client registered it under older rules: %s', async uri => {
    const id = `ovc_${crypto.randomUUID()}`
    const metadata = {
      client_id: id,
      client_name: 'Registered earlier',
      redirect_uris: [uri],
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }
    const { auth } = server.app.db
    await auth`insert into oauth_clients (id, metadata) values (${id}, ${auth.json(metadata)})`
    const { response, leadsTo } = await browser.open(authorizeUrl(id, uri))
    expect([response.status, leadsTo]).toEqual([400, undefined])
    expect(response.headers.get('content-security-policy')).not.toContain('a.example')
    const tokens = await server.request('POST', '/token', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `grant_type=refresh_token&refresh_token=a&client_id=${id}`,
    })
    expect([tokens.status, tokens.body]).toMatchObject([401, { error: 'invalid_client' }])
  })

  it.each([
    'https://a.example/callback',
    'https://a.example:8443/callback',
    'https://xn--bcher-kva.example/callback',
    'https://a.example',
    'https://A.example/Callback?a=b',
    'http://127.0.0.1:33418/',
    'http://[::1]:1234/callback',
    'http://localhost/callback',
    'com.example.app:/callback',
    'com.example.app://oauth/callback',
    'org.javascript.app:/callback',
    'uk.co.example.app:/callback',
    'io.github.ada:/callback',
    CURSOR,
  ])('receives a code once the user allows access: %s', async uri => {
    const back = await browser.decide(authorizeUrl(await registerClient(uri), uri))
    expect(back.startsWith(new URL(uri).href)).toBe(true)
    expect(new URL(back).searchParams.get('code')).toBeTruthy()
  })
})

it.each([
  ['Cursor', ['http://localhost:8787/callback', 'https://www.cursor.com/agents/mcp/oauth/callback', CURSOR]],
  [
    'Visual Studio Code',
    [
      'https://insiders.vscode.dev/redirect',
      'https://vscode.dev/redirect',
      'http://127.0.0.1/',
      'http://127.0.0.1:33418/',
    ],
  ],
  ['Gemini CLI', ['http://localhost:7777/oauth/callback']],
  ['MCP Inspector', ['http://127.0.0.1:6276/oauth/callback', 'http://localhost:6274/oauth/callback']],
  ['ChatGPT', ['https://chatgpt.com/connector/oauth/a1b2c3']],
])('lets %s register all its redirect URIs in one request', async (_name, uris) => {
  const response = await register(uris)
  expect([response.status, response.body]).toMatchObject([201, { redirect_uris: uris.toSorted() }])
})

describe('redirect to a self-registered URI', () => {
  const uri = 'https://phishing.example/sign-in'

  it.each([
    ['prompt=none', { prompt: 'none' }],
    ['an unknown response type', { response_type: 'nonsense' }],
    ['an invalid code challenge', { code_challenge: 'a' }],
    ['an unknown resource', { resource: 'https://phishing.example/' }],
    ['a request object', { request: 'a' }],
  ])('does not happen for an error without user action, such as %s', async (_what, parameters) => {
    const response = await browser.request(authorizeUrl(await registerClient(uri), uri, parameters))
    expect([response.status, response.headers.get('location')]).toEqual([400, null])
    const links = [...(await response.text()).matchAll(/href="([^"]*)"/g)]
    expect(links.map(([, target]) => target)).toEqual(['/'])
  })

  it('does not happen at the resume URL before the user has decided on the consent page', async () => {
    const response = await browser.request(authorizeUrl(await registerClient(uri), uri))
    const uid = response.headers.get('location')!.split('/').at(-1)
    const { leadsTo } = await browser.open(`${origin}/v1/authorize/${uid}`)
    expect(leadsTo).toBeUndefined()
  })

  it('reports access_denied after the user has denied access', async () => {
    const back = await browser.decide(authorizeUrl(await registerClient(uri), uri), 'deny')
    expect(back).toMatch(/^https:\/\/phishing\.example\/sign-in\?error=access_denied/)
  })
})

const expectSecured = (headers: Headers) => {
  expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
  expect(headers.get('x-frame-options')).toBe('DENY')
}

describe('authorization server', () => {
  it.each([
    ['an unknown client', 'GET', '/v1/authorize?client_id=nobody'],
    [
      'a redirect URI of another client',
      'GET',
      '/v1/authorize?client_id=claude&redirect_uri=https://a.example/',
    ],
    ['an expired authorization', 'GET', '/v1/authorize/nonsense'],
    ['an expired consent page', 'GET', '/v1/interaction/nonsense'],
    ['a token request without parameters', 'POST', '/v1/token'],
  ])('sends a content security policy and forbids framing: %s', async (_what, method, path) => {
    const { status, headers } = await server.request(method, path, {
      headers: { accept: 'text/html', cookie },
    })
    expect(status).toBeGreaterThanOrEqual(400)
    expectSecured(headers)
  })

  it('sends a content security policy even when the database fails', async () => {
    const uri = 'http://localhost:7777/callback'
    const { owner } = server.app
    await owner.unsafe(`
      create function refuse_sessions() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
      create trigger refuse_sessions before insert on oauth_records
        for each row when (new.kind = 'Session') execute function refuse_sessions()`)
    try {
      const page = await browser.answer(authorizeUrl(await registerClient(uri), uri))
      expect([page.response.status, page.leadsTo]).toEqual([500, undefined])
      expectSecured(page.response.headers)
    } finally {
      await owner.unsafe('drop trigger refuse_sessions on oauth_records; drop function refuse_sessions')
    }
  })

  it('lets another user connect in the same browser', async () => {
    const uri = 'http://localhost:7777/callback'
    const shared = new Browser(origin, await server.createCookie(await makeCaller(server.app)))
    await shared.decide(authorizeUrl(await registerClient(uri), uri))
    shared.setCookie(await server.createCookie(await makeCaller(server.app)))
    const back = await shared.decide(authorizeUrl(await registerClient(uri), uri))
    expect(new URL(back).searchParams.get('code')).toBeTruthy()
  })
})
