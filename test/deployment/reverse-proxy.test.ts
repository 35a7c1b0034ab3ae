import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openHealthServer } from '../../src/server/adapters/http/health.ts'
import { createAddressCheck } from '../../src/server/kernel/net/address-check.ts'
import { type Caller, makeCaller } from '../support/app.ts'
import { connectAs } from '../support/http/connection.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'
import { findFreePort } from '../support/processes/ports.ts'

/** Returns the headers of a request that a local proxy forwards. */
const via = (forwardedFor: string) => ({ 'x-forwarded-for': forwardedFor })

let proxied: TestServer
let direct: TestServer
let owner: Caller
beforeAll(async () => {
  const limits = { RATE_LIMIT_PER_MINUTE: '100' }
  proxied = await openTestServer({ ...limits, TRUSTED_PROXIES: '127.0.0.1, 10.1.0.0/16' })
  direct = await openTestServer(limits)
  owner = await makeCaller(proxied.app)
})
afterAll(async () => {
  await proxied[Symbol.asyncDispose]()
  await direct[Symbol.asyncDispose]()
})

/** Sends this many wrong passwords, each for a different user. Returns how many got a 429 response. */
const countLimitedSignIns = async (
  server: TestServer,
  count: number,
  headers: Record<string, string> | ((n: number) => Record<string, string>),
) => {
  const attempt = (n: number) => ({ email: `${n}-${Math.random()}@acme.example`, password: 'not this one' })
  const responses = await Promise.all(
    Array.from({ length: count }, (_, n) =>
      server.request('POST', '/session', {
        body: attempt(n),
        headers: typeof headers === 'function' ? headers(n) : headers,
      }),
    ),
  )
  return responses.filter(({ status }) => status === 429).length
}

describe('behind a trusted proxy,', () => {
  it('an address that tries too many passwords does not block other addresses', async () => {
    expect(await countLimitedSignIns(proxied, 22, via('203.0.113.1'))).toBe(2)
    expect(await countLimitedSignIns(proxied, 1, via('203.0.113.2'))).toBe(0)
    expect(await countLimitedSignIns(proxied, 1, via('203.0.113.1'))).toBe(1)
  })

  it.each([
    ['an IPv4 address with different ports', (n: number) => `203.0.113.3:${5_000 + n}`],
    ['an IPv6 address with different ports', (n: number) => `[2001:db8:0:3::1]:${5_000 + n}`],
    ['an IPv4 address in IPv4 and IPv6 form', (n: number) => (n % 2 ? '203.0.113.4' : '::ffff:203.0.113.4')],
    [
      'an address behind another proxy with different ports',
      (n: number) => `203.0.113.5, 10.1.2.3:${5_000 + n}`,
    ],
  ])('%s counts as one address', async (_what, forwardedFor) => {
    expect(await countLimitedSignIns(proxied, 22, n => via(forwardedFor(n)))).toBe(2)
  })

  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7, 10.1.2.3', '203.0.113.7'],
    ['127.0.0.1, 10.1.2.3, 203.0.113.8', '203.0.113.8'],
    ['10.2.0.1', '10.2.0.1'],
    ['2001:db8::1', '2001:db8::1'],
  ])('with X-Forwarded-For “%s”, the audit log records the address %s', async (forwardedFor, address) => {
    const options = { token: await proxied.createToken(owner), headers: via(forwardedFor) }
    expect((await proxied.request('POST', '/reps', { ...options, body: { name: 'Ada' } })).status).toBe(200)
    const { body } = await proxied.request('GET', '/audit-log?limit=1', options)
    expect(body).toMatchObject({ data: [{ action: 'create', address }] })
  })

  it('requests for a foreign host name are not served', async () => {
    const { token } = await connectAs(proxied.app, owner)
    const forwarded = request(`${proxied.url}/v1/mcp`, {
      method: 'POST',
      headers: { host: 'rebound.example', 'x-forwarded-host': 'localhost', authorization: `Bearer ${token}` },
    })
    const [{ statusCode }] = (await once(forwarded.end('{}'), 'response')) as [IncomingMessage]
    expect(statusCode).toBe(403)
  })
})

it('forwarded addresses are ignored unless a setting trusts the proxy', async () => {
  const attempts = ['203.0.113.1', '203.0.113.2', '203.0.113.3'].map(address =>
    countLimitedSignIns(direct, 8, via(address)),
  )
  expect((await Promise.all(attempts)).reduce((sum, count) => sum + count)).toBe(4)
})

it('a proxy is recognized by its address, even in IPv6 form or with a port', () => {
  const isProxy = createAddressCheck(['127.0.0.1', '10.1.0.0/16', 'fd00::/8'])
  for (const address of [
    '127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:10.1.2.3',
    '10.1.2.3:80',
    'fd12::1',
    'fd12::1%eth0',
    '[fd12::1]:80',
  ]) {
    expect(isProxy(address), address).toBe(true)
  }
  for (const address of ['127.0.0.2', '::ffff:10.2.0.1', '10.2.0.1:80', 'fe80::1%eth0', 'unknown', '']) {
    expect(isProxy(address), address).toBe(false)
  }
})

describe('/metrics', () => {
  const getMetricsStatus = async (server: TestServer, headers?: Record<string, string>) =>
    (await server.request('GET', '/metrics', { ...(headers && { headers }) })).status

  it('is served only to this machine and not through a proxy, even if the proxy is not configured', async () => {
    expect(await getMetricsStatus(direct)).toBe(200)
    expect(await getMetricsStatus(direct, via('127.0.0.1'))).toBe(403)
    expect(await getMetricsStatus(direct, via(''))).toBe(403)
    expect(await getMetricsStatus(direct, { forwarded: 'for=192.0.2.1' })).toBe(403)
    expect(await getMetricsStatus(direct, { via: '1.1 proxy' })).toBe(403)
  })

  it('is not served on the main port when a proxy is configured or PUBLIC_URL is not local', async () => {
    expect(await getMetricsStatus(proxied)).toBe(403)
    await using open = await openTestServer({
      PUBLIC_URL: `https://outreach.example:${await findFreePort()}`,
    })
    expect(await getMetricsStatus(open)).toBe(403)
    await using local = await openTestServer({ PUBLIC_URL: `http://localhost:${await findFreePort()}` })
    expect(await getMetricsStatus(local)).toBe(200)
  })

  it('is served to addresses in METRICS_ALLOW, also when an IPv4 address is given in IPv6 form', async () => {
    const { app } = proxied
    const health = openHealthServer({ ...app, config: { ...app.config, metricsAddresses: ['10.0.0.0/8'] } })
    const readStatus = async (remoteAddress: string) =>
      (await health.inject({ method: 'GET', url: '/metrics', remoteAddress })).statusCode
    expect(await readStatus('10.1.2.3')).toBe(200)
    expect(await readStatus('::ffff:10.1.2.3')).toBe(200)
    expect(await readStatus('::ffff:192.0.2.1')).toBe(403)
    await health.close()
  })

  it('is served on the health port and includes the requests of the main port', async () => {
    await proxied.request('GET', '/account', { token: await proxied.createToken(owner) })
    const health = openHealthServer(proxied.app)
    const read = (remoteAddress: string, headers = {}) =>
      health.inject({ method: 'GET', url: '/metrics', remoteAddress, headers })
    const { statusCode, body } = await read('127.0.0.1')
    expect(statusCode).toBe(200)
    expect(body).toMatch(/overture_http_request_seconds_count\{operation="getAccount",status="200"\} [1-9]/)
    expect(body).toContain('process_cpu_seconds_total')
    expect((await read('192.0.2.1')).statusCode).toBe(403)
    expect((await read('127.0.0.1', via('192.0.2.1'))).statusCode).toBe(403)
    await health.close()
  })
})
