import { randomUUIDv7 } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller } from '../support/app.ts'
import { connectAs } from '../support/http/connection.ts'
import { openTestServer, type TestResponse, type TestServer } from '../support/http/server.ts'
import { startServer } from '../support/http/server-processes.ts'
import { isMissing } from '../support/processes/environment.ts'
import { openRedis } from '../support/processes/redis-server.ts'

const LIMITED = { RATE_LIMIT_PER_MINUTE: '100' }

let server: TestServer
beforeAll(async () => {
  server = await openTestServer(LIMITED)
})
afterAll(() => server[Symbol.asyncDispose]())

type Account = { caller: Caller; token: string }

const makeAccount = async (): Promise<Account> => {
  const caller = await makeCaller(server.app)
  return { caller, token: await server.createToken(caller) }
}

/** Sends this many requests at once. */
const burst = (count: number, send: () => Promise<TestResponse>) =>
  Promise.all(Array.from({ length: count }, send))
const read = ({ token }: Account) => server.request('GET', '/account', { token })
const addProspects = ({ token }: Account) =>
  server.request('POST', `/campaigns/${randomUUIDv7()}/prospects`, {
    token,
    body: { data: [{ email: 'a@b.example' }] },
  })
const createDraft = ({ token }: Account) =>
  server.request('POST', '/inbox/email/messages/draft', { token, body: {} })
const addOptOut = ({ token }: Account) =>
  server.request('POST', '/dnc/communication-opt-outs', { token, body: { identifiers: [] } })

const countStatus = (responses: { status: number }[], status: number) =>
  responses.filter(response => response.status === status).length
const remaining = ({ headers }: TestResponse) => Number(headers.get('ratelimit-remaining'))

const expectLimited = (response: TestResponse) => {
  expect(response.status).toBe(429)
  expect(response.body).toMatchObject({
    error: 'TooManyRequests',
    message: expect.stringContaining('retry after 60 seconds'),
  })
  const seconds = Number(response.headers.get('retry-after'))
  expect(seconds).toBeGreaterThanOrEqual(1)
  expect(seconds).toBeLessThanOrEqual(60)
}

describe('rate-limit headers', () => {
  it('report each bucket in the IETF draft format and the emptiest one in the older headers', async () => {
    const account = await makeAccount()
    const { headers } = await read(account)
    expect(headers.get('ratelimit-policy')).toBe('"general";q=100;w=60')
    expect(headers.get('ratelimit')).toMatch(/^"general";r=99;t=(60|59)$/)
    expect(headers.get('ratelimit-limit')).toBe('100')
    expect(headers.get('ratelimit-remaining')).toBe('99')
    expect(headers.get('ratelimit-reset')).toMatch(/^(60|59)$/)
    const { headers: both } = await addProspects(account)
    expect(both.get('ratelimit-policy')).toBe('"general";q=100;w=60, "add-prospects";q=10;w=60')
    expect(both.get('ratelimit')).toMatch(/^"general";r=98;t=\d+, "add-prospects";r=9;t=\d+$/)
    expect([both.get('ratelimit-limit'), both.get('ratelimit-remaining')]).toEqual(['10', '9'])
  })

  it('are also sent with error responses', async () => {
    const account = await makeAccount()
    const responses = [await addProspects(account), await createDraft(account)]
    expect(responses.map(response => response.status)).toEqual([404, 400])
    for (const { headers } of responses) expect(headers.get('ratelimit-remaining')).toBe('9')
  })

  it('report the bucket for failed authentication, even when it is empty', async () => {
    await using isolated = await openTestServer(LIMITED)
    const guess = () => isolated.request('GET', '/account', { token: 'nonsense' })
    const { status, headers } = await guess()
    expect(status).toBe(401)
    expect(headers.get('ratelimit-policy')).toBe('"failed-authentication";q=60;w=60')
    expect(headers.get('ratelimit')).toMatch(/^"failed-authentication";r=59;t=\d+$/)
    expect(headers.get('ratelimit-remaining')).toBe('59')
    const { headers: mcpHeaders } = await isolated.request('POST', '/v1/mcp', { token: 'nonsense', body: {} })
    expect(mcpHeaders.get('ratelimit')).toMatch(/^"failed-authentication";r=58;t=\d+$/)
    await burst(58, guess)
    const limited = await guess()
    expectLimited(limited)
    expect(limited.headers.get('ratelimit')).toMatch(/^"failed-authentication";r=0;t=\d+$/)
    expect(limited.headers.get('ratelimit-reset')).toBe(limited.headers.get('retry-after'))
  })

  it('report the sign-in bucket, which belongs to the IP address', async () => {
    await using isolated = await openTestServer(LIMITED)
    let users = 0
    const signIn = () =>
      isolated.request('POST', '/session', {
        body: { email: `ada${++users}@acme.example`, password: 'not this one' },
      })
    const { status, headers } = await signIn()
    expect(status).toBe(401)
    expect(headers.get('ratelimit-policy')).toBe('"sign-in";q=20;w=60')
    expect(headers.get('ratelimit')).toMatch(/^"sign-in";r=19;t=\d+$/)
    const limited = (await burst(20, signIn)).find(one => one.status === 429)!
    expectLimited(limited)
    expect(limited.headers.get('ratelimit')).toMatch(/^"sign-in";r=0;t=\d+$/)
  })

  it('report the MCP bucket and the opt-out bucket on their routes', async () => {
    const { caller } = await makeAccount()
    const { token } = await connectAs(server.app, caller)
    const send = (body: object) =>
      server.request('POST', '/v1/mcp', {
        token,
        body,
        headers: { accept: 'application/json, text/event-stream' },
      })
    const { headers } = await send({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    expect(headers.get('ratelimit-policy')).toBe('"mcp";q=120;w=60')
    expect(headers.get('ratelimit')).toMatch(/^"mcp";r=119;t=\d+$/)
    const params = { name: 'add_opt_outs', arguments: { identifiers: [] } }
    const { headers: optOutHeaders } = await send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    expect(optOutHeaders.get('ratelimit')).toMatch(/^"opt-outs";r=99;t=\d+$/)
  })

  it('are absent from responses for unknown paths and methods', async () => {
    const { token } = await makeAccount()
    const responses = [
      await server.request('GET', '/nothing', { token }),
      await server.request('PUT', '/account', { token }),
      await server.request('GET', '/healthz'),
    ]
    expect(responses.map(({ status }) => status)).toEqual([404, 405, 200])
    for (const { headers } of responses) {
      expect([...headers.keys()].filter(name => name.startsWith('ratelimit'))).toEqual([])
    }
  })
})

describe('an account', () => {
  it('may make 100 requests a minute across all its tokens, successful or not', async () => {
    const account = await makeAccount()
    const colleague = await makeCaller(server.app, 'viewer', account.caller.accountId)
    const others = [await server.createToken(colleague), await server.createToken(account.caller)]
    const responses = [
      ...(await burst(40, () => read(account))),
      ...(await burst(40, () => read({ ...account, token: others[0]! }))),
      ...(await burst(40, () => server.request('GET', `/reps/${randomUUIDv7()}`, { token: others[1]! }))),
    ]
    expect([countStatus(responses, 200), countStatus(responses, 404), countStatus(responses, 429)]).toEqual([
      80, 20, 20,
    ])
    for (const response of responses.filter(({ status }) => status === 429)) {
      expectLimited(response)
      expect(remaining(response)).toBe(0)
    }
    expect((await read(await makeAccount())).status, 'another account').toBe(200)
  })

  it('may add prospects ten times a minute and create drafts ten times a minute, also counted in the general bucket', async () => {
    const account = await makeAccount()
    for (const [send, status] of [
      [addProspects, 404],
      [createDraft, 400],
    ] as const) {
      const responses = await burst(12, () => send(account))
      expect([countStatus(responses, status), countStatus(responses, 429)]).toEqual([10, 2])
      expectLimited(responses.find(response => response.status === 429)!)
    }
    expect(remaining(await read(account))).toBeLessThanOrEqual(100 - 21)
  })

  it('may add opt-outs up to a separate limit, regardless of its other requests', async () => {
    const account = await makeAccount()
    await burst(110, () => read(account))
    expectLimited(await read(account))
    const responses = await burst(100, () => addOptOut(account))
    expect(countStatus(responses, 200)).toBe(100)
    expect(responses[0]!.headers.get('ratelimit-policy')).toBe('"opt-outs";q=100;w=60')
    expectLimited(await addOptOut(account))
    const fresh = await makeAccount()
    await burst(10, () => addOptOut(fresh))
    expect(remaining(await read(fresh)), 'the general bucket is untouched').toBe(99)
  })
})

describe('a user of the web app', () => {
  it('may add opt-outs, regardless of other requests by the user or the account’s tokens', async () => {
    const account = await makeAccount()
    const { session: headers } = await server.createCredentials(account.caller)
    const readAccount = () => server.request('GET', '/account', { headers })
    while (countStatus(await burst(100, readAccount), 429) === 0);
    await burst(100, () => addOptOut(account))
    expectLimited(await addOptOut(account))
    const body = { identifiers: [] }
    const added = await server.request('POST', '/dnc/communication-opt-outs', { headers, body })
    expect(added.status).toBe(200)
    expect(added.headers.get('ratelimit')).toMatch(/^"opt-outs";r=99;t=\d+$/)
  })
})

describe('an IP address', () => {
  it('is limited after repeated failed authentication, while its valid tokens keep working', async () => {
    await using isolated = await openTestServer(LIMITED)
    const token = await isolated.createToken(await makeCaller(isolated.app))
    const responses = await burst(70, () => isolated.request('GET', '/account', { token: 'nonsense' }))
    expect([countStatus(responses, 401), countStatus(responses, 429)]).toEqual([60, 10])
    expectLimited(responses.find(response => response.status === 429)!)
    expect((await isolated.request('GET', '/account', { token })).status).toBe(200)
  })
})

it('RATE_LIMIT_PER_MINUTE=0 turns rate limits off', async () => {
  await using unlimited = await openTestServer({ RATE_LIMIT_PER_MINUTE: '0' })
  const token = await unlimited.createToken(await makeCaller(unlimited.app))
  const responses = await burst(150, () => unlimited.request('GET', '/account', { token }))
  expect(countStatus(responses, 200)).toBe(150)
  expect([...responses[0]!.headers.keys()].filter(name => name.startsWith('ratelimit'))).toEqual([])
})

describe.skipIf(isMissing('redis-server'))('four processes that share a Redis server', () => {
  it('share the limit of an account, and keep working when Redis dies', async () => {
    await using redis = await openRedis()
    // Without the long timeout, a process on a busy machine would fall back to counting on its own.
    const url = `${redis.url}?commandTimeout=60000`
    const start = () => startServer(server.app, { ...LIMITED, REDIS_URL: url })
    await using stack = new AsyncDisposableStack()
    const processes = (await Promise.all(Array.from({ length: 4 }, start))).map(one => stack.use(one))
    const account = await makeAccount()
    const send = async (url: string, path: string, body?: object) => {
      const response = await fetch(`${url}/v1${path}`, {
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
        headers: { authorization: `Bearer ${account.token}`, 'content-type': 'application/json' },
        signal: AbortSignal.timeout(30_000),
      })
      await response.arrayBuffer()
      return response
    }
    const everywhere = async (each: number, path: string, body?: object) => {
      const urls = processes.flatMap(({ url }) => Array.from({ length: each }, () => url))
      return Promise.all(urls.map(url => send(url, path, body)))
    }
    const nextWindow = async () => {
      for (const key of await redis.client.keys('overture:*')) await redis.client.del(key)
    }
    const prospects = `/campaigns/${randomUUIDv7()}/prospects`

    for (let window = 0; window < 3; window++) {
      await nextWindow()
      const responses = await everywhere(60, '/account')
      expect([countStatus(responses, 200), countStatus(responses, 429)], `window ${window}`).toEqual([
        100, 140,
      ])
      const left = responses
        .filter(one => one.status === 200)
        .map(one => one.headers.get('ratelimit-remaining'))
      expect(new Set(left).size, 'each remaining count is returned once').toBe(100)
    }
    await nextWindow()
    const added = await everywhere(6, prospects, { data: [{ email: 'a@b.example' }] })
    expect([countStatus(added, 404), countStatus(added, 429)]).toEqual([10, 14])

    await nextWindow()
    await redis.kill()
    const alone = await everywhere(10, '/account')
    expect(countStatus(alone, 200), 'each process counts its own requests').toBe(40)
    await redis.start()
    while ((await redis.client.keys('overture:general:*')).length === 0) {
      await send(processes[0]!.url, '/account')
      await sleep(100)
    }
  })
})
