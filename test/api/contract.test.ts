import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type OperationName, operations } from '../../src/contract/index.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { getPermissionScope, roles } from '../../src/contract/permissions.ts'
import { type Caller, makeCaller } from '../support/app.ts'
import {
  type Credentials,
  getCredential,
  openTestServer,
  type TestResponse,
  type TestServer,
} from '../support/http/server.ts'

/** All operations, so that new ones are tested automatically. */
const all = Object.entries(operations) as [OperationName, Operation][]
const writes = all.filter(([, { method }]) => method !== 'GET')

let server: TestServer
const callers = new Map<string, Caller & Credentials>()
let tokenWithoutAccount: string
let readOnlyToken: string
type DocumentedOperation = { operationId: string; parameters: { name: string }[] }
let documentedPaths: Record<string, Record<string, DocumentedOperation>>

beforeAll(async () => {
  server = await openTestServer()
  const owner = await makeCaller(server.app)
  for (const role of roles) {
    const caller = role === 'owner' ? owner : await makeCaller(server.app, role, owner.accountId)
    callers.set(role, { ...caller, ...(await server.createCredentials(caller)) })
  }
  const [user] = await server.app.db.auth<{ id: string }[]>`
    insert into users (id, email, name) values (gen_random_uuid(), 'nowhere@acme.example', 'In no account') returning id`
  tokenWithoutAccount = await server.createToken({ userId: user!.id })
  readOnlyToken = await server.createToken(owner, { isReadOnly: true })
  const document = await server.request('GET', '/v1/openapi.json')
  documentedPaths = (document.body as { paths: typeof documentedPaths }).paths
})
afterAll(() => server[Symbol.asyncDispose]())

const owner = () => callers.get('owner')!
/** Returns the operation's path with this ID, or with an unknown ID. */
const toPath = ({ path }: Operation, id: string = randomUUIDv7()) => path.replace(/\{\w+\}/g, id)
const hasBody = ({ method }: Operation) => method !== 'GET' && method !== 'DELETE'
const send = (
  operation: Operation,
  token: string | undefined,
  headers: Record<string, string> = {},
): Promise<TestResponse> =>
  server.request(operation.method, toPath(operation), {
    ...(token && { token }),
    ...(hasBody(operation) && { body: {} }),
    headers,
  })
const expectUnauthorized = (response: TestResponse) => {
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toBe('Bearer')
  expect(response.body).toMatchObject({ error: 'Unauthorized', message: expect.stringMatching(/\S/) })
}

/** Yields one input for each date or time field of the schema: an out-of-range value in that field and nothing else. */
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
      return { name, at, isRejected: issues.some(({ path }) => path.join('.') === at) }
    })
  })
  expect(results.length).toBeGreaterThan(10)
  expect(results.filter(({ isRejected }) => !isRejected)).toEqual([])
})

describe.each(all)('%s', (name, operation) => {
  it('returns 401 without a token', async () => {
    expectUnauthorized(await send(operation, undefined))
  })

  it('returns 401 for an invalid token', async () => {
    const { token } = owner()
    const broken = token.slice(0, -1) + (token.endsWith('0') ? '1' : '0')
    expectUnauthorized(await send(operation, broken))
    expectUnauthorized(await send(operation, 'nonsense'))
  })

  it('returns 401 for another authentication scheme', async () => {
    for (const authorization of [`Basic ${btoa('a:b')}`, owner().token, 'Bearer', `Bearer a b`]) {
      expectUnauthorized(await send(operation, undefined, { authorization }))
    }
  })

  it('returns 401 when the user has no account, or x-account-id names an account that the user does not belong to', async () => {
    expectUnauthorized(await send(operation, tokenWithoutAccount))
    expectUnauthorized(await send(operation, owner().token, { 'x-account-id': randomUUIDv7() }))
    expectUnauthorized(await send(operation, owner().token, { 'x-account-id': 'nonsense' }))
  })

  it.each(roles)('is allowed for the role %s exactly when the permission table grants it', async role => {
    const response = await server.request(operation.method, toPath(operation), {
      ...getCredential(operation, callers.get(role)!),
      ...(hasBody(operation) && { body: {} }),
    })
    if (getPermissionScope(role, operation.permission)) {
      expect([200, 400, 404, 409]).toContain(response.status)
    } else {
      expect(response.status).toBe(403)
      expect(response.body).toMatchObject({
        error: 'Forbidden',
        message: expect.stringContaining(operation.permission),
      })
    }
  })

  it('returns 400 and names an unknown field', async () => {
    const path = toPath(operation) + (hasBody(operation) ? '' : '?surprise=1')
    const response = await server.request(operation.method, path, {
      ...getCredential(operation, owner()),
      ...(hasBody(operation) && { body: { surprise: 1 } }),
    })
    expect(response.status).toBe(400)
    expect(response.body).toMatchObject({ error: 'ValidationError' })
    const { details } = response.body as { details: { path: string }[] }
    expect(details.map(detail => detail.path)).toContain('surprise')
  })

  it("returns a request ID, the caller's own if it is valid", async () => {
    const response = await send(operation, owner().token, { 'x-request-id': 'my-own.id:1' })
    expect(response.headers.get('x-request-id')).toBe('my-own.id:1')
    const other = await send(operation, owner().token, { 'x-request-id': 'not sane' })
    expect(other.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('returns 405 with Allow for a method that its path does not support', async () => {
    const supported = all
      .filter(([, other]) => other.path === operation.path)
      .map(([, other]) => other.method)
    const other = (['DELETE', 'PUT', 'PATCH', 'POST'] as const).find(method => !supported.includes(method))!
    const response = await server.request(other, toPath(operation), { token: owner().token })
    expect(response.status).toBe(405)
    expect(response.body).toMatchObject({ error: 'MethodNotAllowed' })
    for (const method of supported) expect(response.headers.get('allow')).toContain(method)
  })

  it('is in the OpenAPI document under its own name', () => {
    const own = documentedPaths[operation.path]?.[operation.method.toLowerCase()]
    expect(own?.operationId).toBe(name)
    const pathNames = [...operation.path.matchAll(/\{(\w+)\}/g)].map(match => match[1])
    expect(own?.parameters.map(parameter => parameter.name)).toEqual(expect.arrayContaining(pathNames))
  })
})

describe.each(writes)('%s', (_name, operation) => {
  it('rejects a read-only token and names the permission', async () => {
    const response = await send(operation, readOnlyToken)
    expect(response.status).toBe(403)
    expect(response.body).toMatchObject({
      error: 'Forbidden',
      message: expect.stringContaining(operation.permission),
    })
  })

  it('treats an empty string like a missing field', async () => {
    if (!hasBody(operation)) return
    const { properties = {} } = z.toJSONSchema(operation.input, { io: 'input', unrepresentable: 'any' })
    const names = Object.keys(properties).filter(name => !operation.path.includes(`{${name}}`))
    const path = toPath(operation)
    const getOutcome = async (body: object) => {
      const credential = getCredential(operation, owner())
      const { status, body: responseBody } = await server.request(operation.method, path, {
        ...credential,
        body,
      })
      return { status, details: (responseBody as { details?: object[] }).details }
    }
    const empty = await getOutcome(Object.fromEntries(names.map((name, at) => [name, ' '.repeat(at % 2)])))
    expect(empty).toEqual(await getOutcome({}))
  })

  it('rejects a body that is not a JSON object or has another content type', async () => {
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
      const response = await server.request(operation.method, path, { token: owner().token, body })
      expect(response.status, body).toBe(400)
      expect(response.body, body).toMatchObject({ error: 'ValidationError' })
    }
    const response = await server.request(operation.method, path, {
      token: owner().token,
      body: 'a=1',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(response.status).toBe(400)
  })
})

it.each(all.filter(([, { needsSession }]) => needsSession))(
  '%s rejects every token and says that it needs the web app',
  async (_name, operation) => {
    const response = await send(operation, owner().token)
    expect(response.status).toBe(403)
    expect(response.body).toMatchObject({ message: expect.stringContaining('signed in to the web app') })
  },
)

describe.each(all.filter(([, { path }]) => path.includes('{')))('%s', (_name, operation) => {
  it('treats a malformed ID like an unknown one', async () => {
    const example = hasBody(operation) ? { body: operation.example?.input ?? {} } : {}
    const observe = async (id: string) => {
      const response = await server.request(operation.method, toPath(operation, id), {
        ...getCredential(operation, owner()),
        ...example,
      })
      return {
        status: response.status,
        text: response.text.replace(response.headers.get('x-request-id')!, ''),
      }
    }
    const unknown = await observe(randomUUIDv7())
    expect(unknown.status).toBe(404)
    for (const malformed of ['1', 'nonsense', '%00', '..%2f..', `${randomUUIDv7()}x`])
      expect(await observe(malformed)).toEqual(unknown)
  })
})

describe('example bodies', () => {
  const withExample = all.filter(([, { example }]) => example?.input)
  beforeAll(() => callers.get('owner')!.call('updateAccount', { assistantsMayRequestCalls: true }))

  it.each(withExample)(
    'the example body of %s is valid when it is sent unchanged, except for IDs that do not exist',
    async (_name, operation) => {
      const response = await server.request(operation.method, toPath(operation), {
        ...getCredential(operation, owner()),
        body: operation.example!.input,
      })
      const { details = [] } = response.body as { details?: { path: string }[] }
      expect([200, 404, ...(details.length > 0 ? [400] : [])], response.text).toContain(response.status)
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
      const response = await server.request('GET', '/reps', { token, headers: { 'x-account-id': accountId } })
      expect(response.status).toBe(200)
    }
    const write = { token, body: { name: 'Ada' }, headers: { 'x-account-id': second.accountId } }
    expect((await server.request('POST', '/reps', write)).status, 'viewer there').toBe(403)
  })
})

describe('unknown paths', () => {
  it('return 404 with the error body', async () => {
    for (const path of ['/v1/nothing', '/v1', '/v1/campaigns/', '/v2/campaigns', '/v1/%']) {
      const response = await server.request('GET', path, { token: owner().token })
      expect([path, response.status, (response.body as { error: string }).error]).toEqual([
        path,
        404,
        'NotFound',
      ])
    }
  })
})
