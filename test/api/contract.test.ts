import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type OperationName, operations } from '../../src/contract/index.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { getPermissionScope, roles } from '../../src/contract/permissions.ts'
import { type Caller, makeCaller } from '../support/app.ts'
import {
  type Credentials,
  credentialFor,
  openTestServer,
  type Reply,
  type TestServer,
} from '../support/http/server.ts'

/** All operations, so that new ones are tested automatically. */
const all = Object.entries(operations) as [OperationName, Operation][]
const writes = all.filter(([, { method }]) => method !== 'GET')

let server: TestServer
const callers = new Map<string, Caller & Credentials>()
let homeless: string
let readOnly: string
type Described = { operationId: string; parameters: { name: string }[] }
let described: Record<string, Record<string, Described>>

beforeAll(async () => {
  server = await openTestServer()
  const owner = await makeCaller(server.app)
  for (const role of roles) {
    const caller = role === 'owner' ? owner : await makeCaller(server.app, role, owner.accountId)
    callers.set(role, { ...caller, ...(await server.createCredentials(caller)) })
  }
  const [user] = await server.app.db.auth<{ id: string }[]>`
    insert into users (id, email, name) values (gen_random_uuid(), 'homeless@acme.example', 'In no account') returning id`
  homeless = await server.createToken({ userId: user!.id })
  readOnly = await server.createToken(owner, { isReadOnly: true })
  const document = await server.request('GET', '/v1/openapi.json')
  described = (document.body as { paths: typeof described }).paths
})
afterAll(() => server[Symbol.asyncDispose]())

const owner = () => callers.get('owner')!
/** Returns the operation's path with this id; defaults to one that doesn't exist. */
const toPath = ({ path }: Operation, id: string = randomUUIDv7()) => path.replace(/\{\w+\}/g, id)
const hasBody = ({ method }: Operation) => method !== 'GET' && method !== 'DELETE'
const send = (
  operation: Operation,
  token: string | undefined,
  headers: Record<string, string> = {},
): Promise<Reply> =>
  server.request(operation.method, toPath(operation), {
    ...(token && { token }),
    ...(hasBody(operation) && { body: {} }),
    headers,
  })
const expectUnauthorized = (reply: Reply) => {
  expect(reply.status).toBe(401)
  expect(reply.headers.get('www-authenticate')).toBe('Bearer')
  expect(reply.body).toMatchObject({ error: 'Unauthorized', message: expect.stringMatching(/\S/) })
}

/** Yields an input with only an out-of-range date or time, for each place that accepts one. */
function* generateDates(
  schema: unknown,
  make = (value: unknown) => value,
  within = '',
): Generator<[string, unknown]> {
  const { properties = {}, items, format, anyOf = [] } = schema as z.core.JSONSchema.JSONSchema
  if (format === 'date') yield [within, make('0000-01-01')]
  if (format === 'date-time') yield [within, make('9999-12-31T23:59:59-10:00')]
  for (const each of anyOf) yield* generateDates(each, make, within)
  if (items) yield* generateDates(items, value => make([value]), `${within}.0`)
  for (const [name, each] of Object.entries(properties))
    yield* generateDates(each, value => make({ [name]: value }), within ? `${within}.${name}` : name)
}

it('no input accepts a date that the database cannot store', () => {
  const results = all.flatMap(([name, { input }]) => {
    const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any', reused: 'inline' })
    return Array.from(generateDates(schema), ([at, value]) => {
      const issues = input.safeParse(value).error?.issues ?? []
      return { name, at, isRefused: issues.some(({ path }) => path.join('.') === at) }
    })
  })
  expect(results.length).toBeGreaterThan(10)
  expect(results.filter(({ isRefused }) => !isRefused)).toEqual([])
})

describe.each(all)('%s', (_name, operation) => {
  it('answers 401 to a caller without a token', async () => {
    expectUnauthorized(await send(operation, undefined))
  })

  it('answers 401 to a token that is not valid', async () => {
    const { token } = owner()
    const broken = token.slice(0, -1) + (token.endsWith('0') ? '1' : '0')
    expectUnauthorized(await send(operation, broken))
    expectUnauthorized(await send(operation, 'nonsense'))
  })

  it('answers 401 to another authorization type', async () => {
    for (const authorization of [`Basic ${btoa('a:b')}`, owner().token, 'Bearer', `Bearer a b`]) {
      expectUnauthorized(await send(operation, undefined, { authorization }))
    }
  })

  it('answers 401 when the user is in no account or names an account they are not in', async () => {
    expectUnauthorized(await send(operation, homeless))
    expectUnauthorized(await send(operation, owner().token, { 'x-account-id': randomUUIDv7() }))
    expectUnauthorized(await send(operation, owner().token, { 'x-account-id': 'nonsense' }))
  })

  it.each(roles)('is allowed for the role %s exactly when the permission table says so', async role => {
    const reply = await server.request(operation.method, toPath(operation), {
      ...credentialFor(operation, callers.get(role)!),
      ...(hasBody(operation) && { body: {} }),
    })
    if (getPermissionScope(role, operation.permission)) {
      expect([200, 400, 404, 409]).toContain(reply.status)
    } else {
      expect(reply.status).toBe(403)
      expect(reply.body).toMatchObject({
        error: 'Forbidden',
        message: expect.stringContaining(operation.permission),
      })
    }
  })

  it('answers 400 and names an unknown field', async () => {
    const path = toPath(operation) + (hasBody(operation) ? '' : '?surprise=1')
    const reply = await server.request(operation.method, path, {
      ...credentialFor(operation, owner()),
      ...(hasBody(operation) && { body: { surprise: 1 } }),
    })
    expect(reply.status).toBe(400)
    expect(reply.body).toMatchObject({ error: 'ValidationError' })
    const { details } = reply.body as { details: { path: string }[] }
    expect(details.map(detail => detail.path)).toContain('surprise')
  })

  it("returns a request id, the caller's own if it is valid", async () => {
    const reply = await send(operation, owner().token, { 'x-request-id': 'my-own.id:1' })
    expect(reply.headers.get('x-request-id')).toBe('my-own.id:1')
    const other = await send(operation, owner().token, { 'x-request-id': 'not sane' })
    expect(other.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('answers 405 with Allow to a method its path does not support', async () => {
    const taken = all.filter(([, other]) => other.path === operation.path).map(([, other]) => other.method)
    const other = (['DELETE', 'PUT', 'PATCH', 'POST'] as const).find(method => !taken.includes(method))!
    const reply = await server.request(other, toPath(operation), { token: owner().token })
    expect(reply.status).toBe(405)
    expect(reply.body).toMatchObject({ error: 'MethodNotAllowed' })
    for (const method of taken) expect(reply.headers.get('allow')).toContain(method)
  })

  it('is in the OpenAPI document under its own name', () => {
    const own = described[operation.path]?.[operation.method.toLowerCase()]
    expect(own?.operationId).toBe(_name)
    const pathNames = [...operation.path.matchAll(/\{(\w+)\}/g)].map(match => match[1])
    expect(own?.parameters.map(parameter => parameter.name)).toEqual(expect.arrayContaining(pathNames))
  })
})

describe.each(writes)('%s', (_name, operation) => {
  it('is refused to a read-only token, naming the permission', async () => {
    const reply = await send(operation, readOnly)
    expect(reply.status).toBe(403)
    expect(reply.body).toMatchObject({
      error: 'Forbidden',
      message: expect.stringContaining(operation.permission),
    })
  })

  it('treats an empty string like a missing field', async () => {
    if (!hasBody(operation)) return
    const { properties = {} } = z.toJSONSchema(operation.input, { io: 'input', unrepresentable: 'any' })
    const names = Object.keys(properties).filter(name => !operation.path.includes(`{${name}}`))
    const path = toPath(operation)
    const answerTo = async (body: object) => {
      const credential = credentialFor(operation, owner())
      const { status, body: answer } = await server.request(operation.method, path, { ...credential, body })
      return { status, details: (answer as { details?: object[] }).details }
    }
    const empty = await answerTo(Object.fromEntries(names.map((name, at) => [name, ' '.repeat(at % 2)])))
    expect(empty).toEqual(await answerTo({}))
  })

  it('refuses a body that is not a JSON object or has another content type', async () => {
    if (!hasBody(operation)) return
    const path = toPath(operation)
    for (const body of [
      '{',
      '[]',
      '"text"',
      'null',
      '{"__proto__":{"a":1}}',
      '{"a":"\\ud800"}',
      '{"a":"\\u0000"}',
    ]) {
      const reply = await server.request(operation.method, path, { token: owner().token, body })
      expect(reply.status, body).toBe(400)
      expect(reply.body, body).toMatchObject({ error: 'ValidationError' })
    }
    const reply = await server.request(operation.method, path, {
      token: owner().token,
      body: 'a=1',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(reply.status).toBe(400)
  })
})

it.each(all.filter(([, { needsSession }]) => needsSession))(
  '%s is refused to every token and says that it needs the web app',
  async (_name, operation) => {
    const reply = await send(operation, owner().token)
    expect(reply.status).toBe(403)
    expect(reply.body).toMatchObject({ message: expect.stringContaining('signed in to the web app') })
  },
)

describe.each(all.filter(([, { path }]) => path.includes('{')))('%s', (_name, operation) => {
  it('answers a malformed id like an unknown one', async () => {
    const example = hasBody(operation) ? { body: operation.example?.input ?? {} } : {}
    const answer = async (id: string) => {
      const reply = await server.request(operation.method, toPath(operation, id), {
        ...credentialFor(operation, owner()),
        ...example,
      })
      return { status: reply.status, text: reply.text.replace(reply.headers.get('x-request-id')!, '') }
    }
    const unknown = await answer(randomUUIDv7())
    expect(unknown.status).toBe(404)
    for (const malformed of ['1', 'nonsense', '%00', '..%2f..', `${randomUUIDv7()}x`])
      expect(await answer(malformed)).toEqual(unknown)
  })
})

describe('the example of a body', () => {
  const withExample = all.filter(([, { example }]) => example?.input)
  beforeAll(() => callers.get('owner')!.call('updateAccount', { assistantsMayRequestCalls: true }))

  it.each(withExample)(
    'of %s can be sent unchanged and is valid except for ids',
    async (_name, operation) => {
      const reply = await server.request(operation.method, toPath(operation), {
        ...credentialFor(operation, owner()),
        body: operation.example!.input,
      })
      const { details = [] } = reply.body as { details?: { path: string }[] }
      expect([200, 404, ...(details.length > 0 ? [400] : [])], reply.text).toContain(reply.status)
      expect(details.filter(({ path }) => !/(Id(ToReplyTo)?|Ids\.\d+|^state)$/.test(path))).toEqual([])
    },
  )
})

describe('tokens', () => {
  it('stop working when they expire', async () => {
    const expired = await server.createToken(owner(), { expiresAt: new Date(Date.now() - 1000) })
    expectUnauthorized(await server.request('GET', '/campaigns', { token: expired }))
  })

  it('need x-account-id when their user is in several accounts', async () => {
    const first = await makeCaller(server.app)
    const second = await makeCaller(server.app)
    await server.app.db.auth`
      insert into members (account_id, user_id, role) values (${second.accountId}, ${first.userId}, 'viewer')`
    const token = await server.createToken(first)
    expectUnauthorized(await server.request('GET', '/reps', { token }))
    for (const { accountId } of [first, second]) {
      const reply = await server.request('GET', '/reps', { token, headers: { 'x-account-id': accountId } })
      expect(reply.status).toBe(200)
    }
    const write = { token, body: { name: 'Ada' }, headers: { 'x-account-id': second.accountId } }
    expect((await server.request('POST', '/reps', write)).status, 'viewer there').toBe(403)
  })
})

describe('unknown paths', () => {
  it('answer 404 with the error body', async () => {
    for (const path of ['/v1/nothing', '/v1', '/v1/campaigns/', '/v2/campaigns', '/v1/%']) {
      const reply = await server.request('GET', path, { token: owner().token })
      expect([path, reply.status, (reply.body as { error: string }).error]).toEqual([path, 404, 'NotFound'])
    }
  })
})
