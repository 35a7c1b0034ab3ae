import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildWeb } from '../../../../test/support/browser/web-build.ts'
import { openTestServer, type TestServer } from '../../../../test/support/http/server.ts'

let server: TestServer
beforeAll(async () => {
  buildWeb()
  server = await openTestServer()
})
afterAll(async () => server[Symbol.asyncDispose]())

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(server.url + path, { headers })

/** Returns the path of the page's script, which changes with each build. */
const getScriptPath = (page: string): string => /src="(\/assets\/[^"]+\.js)"/.exec(page)![1]!

it('serves the app at each of its paths and requires revalidation', async () => {
  const pages = [
    '/',
    '/sign-in',
    '/setup?code=1',
    '/settings',
    '/settings/api-tokens',
    '/campaigns',
    '/inbox/1',
    '/dnc',
  ]
  for (const path of pages) {
    const response = await get(path)
    expect(response.status, path).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-cache')
    expect(await response.text()).toContain('<div id="app">')
  }
})

it('returns the app with status 404 to a browser at an unknown path, and an error to any other client', async () => {
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  const page = await get('/nowhere/at-all?x=1', browser)
  expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
  expect(await page.text()).toContain('<div id="app">')
  for (const response of [await get('/nowhere'), await get('/v1/nothing', browser)]) {
    expect([response.status, await response.json()]).toMatchObject([404, { error: 'NotFound' }])
  }
})

it('preloads the session for a signed-in browser', async () => {
  const signedIn = await get('/campaigns', { cookie: 'overture-session=1' })
  expect(signedIn.headers.get('link')).toContain('</v1/session>; rel=preload; as=fetch; crossorigin')
  expect((await get('/sign-in')).headers.get('link')).not.toContain('/v1/session')
})

it('lists the scripts of the page that was opened, the app first, so that a browser loads them immediately', async () => {
  const listScripts = async (path: string, headers?: Record<string, string>) => {
    const links = (await get(path, headers)).headers.get('link')?.split(', ') ?? []
    const scripts = links.flatMap(link => /^<(.+)>; rel=modulepreload; crossorigin$/.exec(link)?.[1] ?? [])
    for (const script of scripts) expect((await get(script)).status, script).toBe(200)
    expect(scripts[0]).toBe(getScriptPath(await (await get(path)).text()))
    return scripts.map(script => script.replace(/^\/assets\/(.+)-.{8}\.js$/, '$1'))
  }
  const session = { cookie: 'overture-session=1' }
  expect(await listScripts('/inbox?view=done', session)).toEqual(expect.arrayContaining(['frame', 'inbox']))
  expect(await listScripts('/settings/members', session)).toEqual(
    expect.arrayContaining(['frame', 'settings-layout', 'members']),
  )
  expect(await listScripts('/campaigns/1', session)).not.toContain('campaigns')
  expect(await listScripts('/inbox')).toContain('sign-in')
  expect(await listScripts('/inbox')).not.toContain('inbox')
  expect(await listScripts('/invitation?token=1')).toContain('invitation')
  expect((await get('/docs')).headers.get('link')).toBeNull()
})

it('forbids inline scripts and styles, other hosts and framing', async () => {
  const { headers } = await get('/')
  const policy = headers.get('content-security-policy')!
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("script-src 'self';")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toMatch(/unsafe|https?:|\*/)
  expect(headers.get('referrer-policy')).toBe('no-referrer')
})

it('compresses files whose name contains a hash and lets clients cache them forever', async () => {
  const script = getScriptPath(await (await get('/')).text())
  const plain = await get(script, { 'accept-encoding': 'identity' })
  expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(plain.headers.get('content-encoding')).toBeNull()
  const text = await plain.text()
  for (const encoding of ['br', 'gzip']) {
    const packed = await get(script, { 'accept-encoding': encoding })
    expect(packed.headers.get('content-encoding')).toBe(encoding)
    expect(packed.headers.get('vary')).toBe('accept-encoding')
    expect(await packed.text()).toBe(text)
  }
  const refused = await get(script, { 'accept-encoding': 'br;q=0, gzip' })
  expect(refused.headers.get('content-encoding')).toBe('gzip')
})

it('serves the OpenAPI document and the guides compressed, and an empty 304 to a client that already has them', async () => {
  for (const path of ['/v1/openapi.json', '/docs/guides/webhooks.md']) {
    const plain = await get(path, { 'accept-encoding': 'identity' })
    const packed = await get(path, { 'accept-encoding': 'br' })
    expect(packed.headers.get('content-encoding')).toBe('br')
    expect(await packed.text()).toBe(await plain.text())
    const etag = plain.headers.get('etag')!
    const known = await get(path, { 'if-none-match': etag })
    expect([known.status, await known.text(), known.headers.get('etag')]).toEqual([304, '', etag])
  }
  expect((await get('/docs/guides/nonsense.md')).status).toBe(404)
})

it('returns JSON errors for unknown paths and methods', async () => {
  for (const path of ['/v1/nonsense', '/nonsense', '/assets/nonsense.js', '/assets/../index.html']) {
    const response = await get(path)
    expect(response.status, path).toBe(404)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  }
  const posted = await fetch(`${server.url}/settings/members`, { method: 'POST' })
  expect(posted.status).toBe(405)
  expect(posted.headers.get('allow')).toBe('GET, HEAD')
  expect((await fetch(`${server.url}/settings`, { method: 'HEAD' })).status).toBe(200)
})
