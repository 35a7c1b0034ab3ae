import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { hostname } from 'node:os'
import { text } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestServer, type TestServer } from '../../../../test/support/http/server.ts'
import { findFreePort } from '../../../../test/support/processes/ports.ts'
import { openHealthServer } from './health.ts'

const agent = new Agent({ keepAlive: true, maxSockets: 8 })
const REBOUND = 'rebound.example'
const ID = '01980000-0000-7000-8000-000000000001'

let open: TestServer
let secured: TestServer
let health: FastifyInstance
let securedHealth: FastifyInstance
beforeAll(async () => {
  open = await openTestServer({ HOST: '0.0.0.0' })
  secured = await openTestServer({
    PUBLIC_URL: `https://crm.acme.example:${await findFreePort()}`,
    ALLOWED_HOSTS: 'overture, .acme.internal',
    TRUSTED_PROXIES: '127.0.0.1',
  })
  health = openHealthServer(open.app)
  securedHealth = openHealthServer(secured.app)
  await health.listen({ host: '127.0.0.1', port: 0 })
  await securedHealth.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  agent.destroy()
  await health.close()
  await securedHealth.close()
  await open[Symbol.asyncDispose]()
  await secured[Symbol.asyncDispose]()
})

/** Sends the headers unchanged, including `Host`, which fetch would overwrite. */
async function send(
  { url }: TestServer,
  headers: Record<string, string>,
  { method = 'GET', path = '/docs/json' } = {},
): Promise<IncomingMessage & { body: string }> {
  const [response] = (await once(
    request(url + path, { method, agent, headers }).end(method === 'POST' ? '{}' : ''),
    'response',
  )) as [IncomingMessage]
  return Object.assign(response, { body: await text(response) })
}
const getPort = (server: TestServer | FastifyInstance): number =>
  'url' in server ? Number(new URL(server.url).port) : (server.server.address() as AddressInfo).port
const getStatus = async (server: TestServer, headers: Record<string, string>) =>
  (await send(server, headers)).statusCode

/** Lists all routes of the server: REST, MCP, sign-in, OAuth, callbacks, web app, API reference. */
const listRoutes = ({ knownPaths }: TestServer) =>
  knownPaths.flatMap(({ url, methods }) =>
    methods.map(method => ({ method, path: url.replace(/:\w+/g, ID).replace('*', ID) })),
  )

it('rejects an unknown host name on every route but the probes, and names the settings', async () => {
  const routes = listRoutes(open)
  expect(routes.length).toBeGreaterThan(150)
  for (const { method, path } of [...routes, { method: 'GET', path: '/nothing-here' }]) {
    const response = await send(open, { host: REBOUND }, { method, path })
    const where = `${method} ${path}`
    if (path === '/healthz' || path === '/readyz') expect(response.statusCode, where).toBe(200)
    else expect(response.statusCode, where).toBe(403)
  }
  const { body } = await send(open, { host: `${REBOUND}:4400` }, { path: '/v1/account' })
  expect(JSON.parse(body).message).toMatch(/"rebound.example:4400".*PUBLIC_URL.*ALLOWED_HOSTS/)
})

it('sends headers against framing and script injection with every response', async () => {
  for (const { method, path } of [...listRoutes(secured), { method: 'GET', path: '/nothing-here' }]) {
    for (const host of ['crm.acme.example', REBOUND]) {
      const { headers, statusCode } = await send(secured, { host }, { method, path })
      const where = `${method} ${path} for ${host}: ${statusCode}`
      const policy = String(headers['content-security-policy'])
      expect(policy, where).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
      expect(policy.match(/script-src[^;]*/)?.[0] ?? '', where).not.toMatch(/unsafe|\*|https?:/)
      expect(headers['x-frame-options'], where).toBe('DENY')
      expect(headers['x-content-type-options'], where).toBe('nosniff')
      expect(headers['referrer-policy'], where).toMatch(/^(no-referrer|same-origin)$/)
      expect(headers['strict-transport-security'], where).toBe('max-age=31536000')
    }
  }
})

describe.each([
  ['application port', () => getPort(open), undefined],
  ['application port with https', () => getPort(secured), 'max-age=31536000'],
  ['health port', () => getPort(health), undefined],
  ['health port with https', () => getPort(securedHealth), 'max-age=31536000'],
] as const)('%s', (_port, findPort, hsts) => {
  it.each([
    ['an invalid request', 'nonsense\r\n\r\n'],
    ['an invalid header', 'GET /healthz HTTP/1.1\r\nno header\r\n\r\n'],
    ['a missing host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['a badly encoded URL', 'GET /%zz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n'],
    [
      'headers that are too large',
      `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nA: ${'a'.repeat(17_000)}\r\n\r\n`,
    ],
    [
      'an unsupported Expect header',
      'GET /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: a\r\nConnection: close\r\n\r\n',
    ],
  ])(
    'sends the security headers when it rejects %s, with HSTS only for an https public URL',
    async (_what, sent) => {
      const socket = connect(findPort(), '127.0.0.1', () => socket.write(sent))
      const response = await text(socket)
      expect(response).toMatch(/^HTTP\/1.1 40[04]/)
      expect(response).toContain('x-frame-options: DENY')
      expect(response).toContain('x-content-type-options: nosniff')
      expect(response).toContain("content-security-policy: default-src 'none'")
      expect(/strict-transport-security: (.*)\r/.exec(response)?.[1]).toBe(hsts)
    },
  )
})

describe('host check', () => {
  it('accepts IP addresses and host names of this machine in any spelling', async () => {
    for (const host of [
      'localhost',
      'LOCALHOST:4400',
      'localhost.',
      'localhost.:80',
      'acme.localhost',
      '192.168.1.20:4400',
      '127.0.0.1.',
      '[::1]:4400',
      '[2001:db8::1]',
      hostname(),
      `${hostname()}.local`,
    ]) {
      expect(await getStatus(open, { host }), host).toBe(200)
    }
    for (const host of [
      REBOUND,
      'localhost.example',
      'notlocalhost',
      '127.0.0.1.example',
      '[::1].example',
      'localhost:80:80',
      'crm.acme.example',
    ]) {
      expect(await getStatus(open, { host }), host).toBe(403)
    }
  })

  it('accepts the host of the public URL and exactly the names in ALLOWED_HOSTS', async () => {
    for (const host of [
      'crm.acme.example',
      'CRM.acme.example.:443',
      'overture:4400',
      'acme.internal',
      'eu.acme.internal',
    ]) {
      expect(await getStatus(secured, { host }), host).toBe(200)
    }
    for (const host of ['acme.example', 'x.crm.acme.example', 'x.overture', 'notacme.internal', hostname()]) {
      expect(await getStatus(secured, { host }), host).toBe(403)
    }
  })

  it('checks X-Forwarded-Host from a trusted proxy in addition to Host', async () => {
    const host = 'crm.acme.example'
    expect(await getStatus(secured, { host, 'x-forwarded-host': host })).toBe(200)
    expect(await getStatus(secured, { host, 'x-forwarded-host': REBOUND })).toBe(403)
    expect(await getStatus(secured, { host: REBOUND, 'x-forwarded-host': host })).toBe(403)
    expect(await getStatus(open, { host: REBOUND, 'x-forwarded-host': 'localhost' })).toBe(403)
    expect(await getStatus(open, { host: 'localhost', 'x-forwarded-host': REBOUND })).toBe(200)
  })

  it('accepts an HTTP/1.0 request without a host, which no browser sends', async () => {
    const { port } = new URL(open.url)
    const socket = connect(Number(port), '127.0.0.1', () => socket.write('GET /docs/json HTTP/1.0\r\n\r\n'))
    expect(await text(socket)).toMatch(/^HTTP\/1.1 200/)
  })

  it('protects the metrics on the health port, but not the load balancer probes', async () => {
    const read = (url: string, host: string) => health.inject({ url, headers: { host } })
    expect((await read('/metrics', REBOUND)).statusCode).toBe(403)
    expect((await read('/metrics', '127.0.0.1:9')).statusCode).toBe(200)
    expect((await read('/healthz', REBOUND)).statusCode).toBe(200)
    expect((await read('/nothing', '10.0.0.1')).headers['x-frame-options']).toBe('DENY')
  })
})
