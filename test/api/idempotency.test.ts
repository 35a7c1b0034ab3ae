import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toRequest } from '../../src/client.ts'
import { type OperationName, operations, type RawInput } from '../../src/contract/index.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { setFailpoints } from '../../src/server/kernel/failpoints.ts'
import { type Caller, makeCaller } from '../support/app.ts'
import { createRequests, makeWorld } from '../support/contract/world.ts'
import { getCredential, openTestServer, type TestResponse, type TestServer } from '../support/http/server.ts'
import { startServer } from '../support/http/server-processes.ts'
import { openTcpProxy } from '../support/http/tcp-proxy.ts'

let server: TestServer
let caller: Caller
let token: string
beforeAll(async () => {
  server = await openTestServer()
  caller = await makeCaller(server.app)
  token = await server.createToken(caller)
})
afterAll(() => server[Symbol.asyncDispose]())

/** Creates a rep with this idempotency key. */
const makeRep = (name: string, key: string, as = token, headers: Record<string, string> = {}) =>
  server.request('POST', '/reps', {
    token: as,
    body: { name },
    headers: { 'idempotency-key': key, ...headers },
  })

const isReplay = (response: TestResponse) => response.headers.get('idempotency-replayed') === 'true'

const countReps = async (name: string): Promise<number> => {
  const [row] = await server.app.owner<
    { n: number }[]
  >`select count(*)::int as n from reps where name = ${name}`
  return row!.n
}

describe('an idempotency key', () => {
  it('has one effect when fifty requests carry it at once', async () => {
    for (let round = 0; round < 10; round++) {
      const key = randomUUID()
      const responses = await Promise.all(Array.from({ length: 50 }, () => makeRep(key, key)))
      expect(await countReps(key)).toBe(1)
      const done = responses.filter(response => response.status === 200)
      expect(done.filter(response => !isReplay(response))).toHaveLength(1)
      expect(new Set(done.map(response => response.text)).size).toBe(1)
      for (const response of responses.filter(one => one.status !== 200)) {
        expect(response.status).toBe(409)
        expect(response.body).toMatchObject({
          error: 'Conflict',
          message: expect.stringContaining('still running'),
          details: [{ path: 'Idempotency-Key', message: expect.any(String) }],
        })
        expect(response.headers.get('retry-after')).toBe('1')
      }
      const again = await makeRep(key, key)
      expect([again.status, isReplay(again), again.text]).toEqual([200, true, done[0]!.text])
    }
  })

  it('is accepted for one request only', async () => {
    const key = randomUUID()
    await makeRep('first', key)
    const other = await makeRep('second', key)
    expect([other.status, other.body]).toMatchObject([422, { error: 'IdempotencyMismatch' }])
    const elsewhere = await server.request('POST', '/campaigns', {
      token,
      body: { name: 'first' },
      headers: { 'idempotency-key': key },
    })
    expect(elsewhere.status).toBe(422)
  })

  it("does not reveal its response to the user's other tokens and sessions, and has no second effect", async () => {
    const key = randomUUID()
    const own = await makeCaller(server.app)
    const { headers, ...credential } = getCredential(
      operations.createApiToken,
      await server.createCredentials(own),
    )
    const make = (as: { token?: string }, more: Record<string, string> = {}) =>
      server.request('POST', '/api-tokens', {
        ...as,
        body: { name: key },
        headers: { ...more, 'idempotency-key': key },
      })
    const made = await make(credential, headers)
    const { token: secret } = made.body as { token: string }
    expect(made.status).toBe(200)
    const expiring = await server.createToken(own, { expiresAt: new Date(Date.now() + 3_600_000) })
    const other = await make({ token: expiring })
    expect([other.status, other.body]).toMatchObject([422, { error: 'IdempotencyMismatch' }])
    expect(other.text).not.toContain(secret)
    expect((await make(credential, headers)).body).toMatchObject({ token: secret })
    const named = await server.app.owner`select from api_tokens where name = ${key}`
    expect(named).toHaveLength(1)
  })

  it('can be used again after a failed request', async () => {
    const key = randomUUID()
    const { mailboxId } = await makeWorld(server.app, caller)
    const getStatus = async (path: string, body: unknown) =>
      (await server.request('POST', path, { token, body, headers: { 'idempotency-key': key } })).status
    expect(await getStatus('/reps', { name: '' })).toBe(400)
    expect(await getStatus('/reps', { name: 'x', ownedById: randomUUID() })).toBe(400)
    expect(await getStatus(`/campaigns/${randomUUID()}/launch`, {})).toBe(404)
    const twin = { repId: '', kind: 'sandbox', email: '' }
    const { repId, email } = await caller.call('getMailbox', { mailboxId })
    expect(await getStatus('/mailboxes', { ...twin, repId, email })).toBe(409)
    const response = await makeRep('at last', key)
    expect([response.status, isReplay(response)]).toEqual([200, false])
  })

  it('is separate for each user and each account', async () => {
    const key = randomUUID()
    const colleague = await makeCaller(server.app, 'owner', caller.accountId)
    const elsewhere = await makeCaller(server.app)
    await server.app.db.auth`
      insert into members (account_id, user_id, role) values (${elsewhere.accountId}, ${colleague.userId}, 'owner')`
    const colleagueToken = await server.createToken(colleague)
    const responses = [
      await makeRep(key, key),
      await makeRep(key, key, colleagueToken, { 'x-account-id': caller.accountId }),
      await makeRep(key, key, colleagueToken, { 'x-account-id': elsewhere.accountId }),
    ]
    expect(responses.map(response => [response.status, isReplay(response)])).toEqual(
      Array(3).fill([200, false]),
    )
    expect(await countReps(key)).toBe(3)
  })

  it('stores its response encrypted, so that the database alone does not reveal secrets', async () => {
    const key = randomUUID()
    const { headers, ...credential } = getCredential(
      operations.createApiToken,
      await server.createCredentials(caller),
    )
    const make = () =>
      server.request('POST', '/api-tokens', {
        ...credential,
        body: { name: 'Script' },
        headers: { ...headers, 'idempotency-key': key },
      })
    const made = await make()
    const { token: secret } = made.body as { token: string }
    expect((await make()).body).toMatchObject({ token: secret })
    const [row] = await server.app.owner<[{ response: string }]>`
      select response from idempotency_keys where key = ${key}`
    const bytes = Buffer.from(row.response, 'base64url').toString('latin1')
    for (const stored of [row.response, bytes]) expect(stored).not.toContain(secret)
  })

  it('expires after 24 hours, not before', async () => {
    const key = randomUUID()
    await makeRep(key, key)
    const age = (hours: number) => server.app.owner`
      update idempotency_keys set created_at = now() - ${hours} * interval '1 hour' where key = ${key}`
    await age(23.9)
    expect(isReplay(await makeRep(key, key))).toBe(true)
    expect((await makeRep('other', key)).status).toBe(422)
    await age(24.1)
    const other = await makeRep('other', key)
    expect([other.status, isReplay(other)]).toEqual([200, false])
    expect(isReplay(await makeRep('other', key))).toBe(true)
  })

  it.each(['', 'x'.repeat(256), 'é', 'a\tb'])(
    'has 1 to 255 printable ASCII characters: %j is rejected',
    async key => {
      expect((await makeRep('x', key)).status).toBe(400)
    },
  )
})

// Operations tested in test/mail/oauth-mailboxes.test.ts and test/mail/aliases.test.ts, because they need mail servers.
const needServers: OperationName[] = ['connectMailbox', 'completeMailboxConnection', 'addMailboxAlias']

const posts = (Object.entries(operations) as [OperationName, Operation][])
  .filter(([, { method }]) => method === 'POST')
  .map(([name]) => name)
  .filter(name => !needServers.includes(name))

describe.each(posts)('%s', name => {
  it('takes effect once per key and returns the same response again', async () => {
    const own = await makeCaller(server.app)
    const input = createRequests(await makeWorld(server.app, own))[name]
    const { method, path, body } = toRequest(name, input as RawInput<typeof name>)
    const { headers, ...credential } = getCredential(operations[name], await server.createCredentials(own))
    const key = randomUUID()
    const send = (content = body) =>
      server.request(method, path, {
        ...credential,
        headers: { ...headers, 'idempotency-key': key },
        ...(content && { body: content }),
      })
    const first = await send()
    expect([first.status, isReplay(first)], first.text).toEqual([200, false])
    const changes = () => server.app.owner`
      select action, object_id from audit_log where account_id = ${own.accountId} order by id`
    const before = await changes()
    const second = await send()
    expect([second.status, isReplay(second), second.text]).toEqual([200, true, first.text])
    expect([...(await changes())]).toEqual([...before])
    expect((await send({ ...body, surprise: 1 })).status).toBe(400)
  })
})

describe('a lost response', () => {
  it('is reported as lost for an opt-out request, because a new response could not count the messages in flight', async () => {
    const key = randomUUID()
    const send = () =>
      server.request('POST', '/dnc/communication-opt-outs', {
        token,
        body: { identifiers: [{ identifier: `${key}@x.example` }] },
        headers: { 'idempotency-key': key },
      })
    setFailpoints(name => (name === 'opt_out.committed' ? { do: 'throw' } : undefined))
    expect((await send()).status).toBe(500)
    setFailpoints(undefined)
    expect((await send()).body).toMatchObject({ message: expect.stringContaining('still running') })
    await server.app.owner`
      update idempotency_keys set running_until = now() - interval '1 second' where key = ${key}`
    const { status, body } = await send()
    expect([status, body]).toMatchObject([409, { message: expect.stringContaining('its response was lost') }])
  })

  it('causes no second effect when the connection is cut', async () => {
    // The connection is cut at the first byte of the response.
    await using cut = await openTcpProxy(Number(new URL(server.url).port), { toClient: () => undefined })
    const cutUrl = `http://127.0.0.1:${cut.port}`
    const keys = Array.from({ length: 20 }, () => randomUUID())
    const send = (url: string, key: string) =>
      fetch(`${url}/v1/reps`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify({ name: key }),
        signal: AbortSignal.timeout(30_000),
      })
    for (const key of keys) {
      await expect(send(cutUrl, key)).rejects.toThrow()
      expect(await countReps(key), 'effects of the request without a response').toBe(1)
      const again = await send(server.url, key)
      expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true'])
      expect(await countReps(key)).toBe(1)
    }
  })

  it('leaves exactly one effect when the process is killed under load', async () => {
    const names = Array.from({ length: 120 }, () => randomUUID())
    const answered = new Map<string, string>()
    await using first = await startServer(server.app)
    let isKilled = false
    const post = async (url: string, name: string) => {
      const response = await fetch(`${url}/v1/reps`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'idempotency-key': name,
        },
        body: JSON.stringify({ name }),
        signal: AbortSignal.timeout(30_000),
      })
      return {
        status: response.status,
        text: await response.text(),
        replayed: response.headers.get('idempotency-replayed'),
      }
    }
    const work = names.values()
    const worker = async () => {
      for (const name of work) {
        const response = await post(first.url, name).catch(() => undefined)
        if (response) answered.set(name, response.text)
        if (answered.size >= 40 && !isKilled) {
          isKilled = true
          await first.kill()
        }
      }
    }
    await Promise.all(Array.from({ length: 16 }, worker))
    expect(answered.size).toBeLessThan(names.length)

    await using second = await startServer(server.app)
    for (const name of names) {
      let response = await post(second.url, name)
      // The database may need a moment to notice that the first process has died.
      while (response.status === 409) response = await post(second.url, name)
      expect(response.status).toBe(200)
      if (answered.has(name)) expect([response.replayed, response.text]).toEqual(['true', answered.get(name)])
      expect(await countReps(name)).toBe(1)
    }
  })
})
