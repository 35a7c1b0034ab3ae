import { once } from 'node:events'
import { Agent, request as send } from 'node:http'
import { connect } from 'node:net'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { operations } from '../../src/contract/index.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { makeCaller } from '../support/app.ts'
import {
  documentedOperations,
  findErrorsAt,
  findResponseErrors,
  type RawResponse,
} from '../support/contract/document-check.ts'
import { anyRequest, type FuzzRequest, type Principal } from '../support/contract/fuzz-requests.ts'
import { makeWorld } from '../support/contract/world.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'
import { readNumber } from '../support/processes/environment.ts'

/** FUZZ_SEED repeats a run; FUZZ_REQUESTS sets its length. */
const seed = readNumber('FUZZ_SEED', 20_261_121)
const count = readNumber('FUZZ_REQUESTS', 2_000)
const CONCURRENT_REQUESTS = 16

let server: TestServer
let tokens: Record<Principal, string | undefined>
/** Headers of the owner's session, for operations that no token may call. */
let session: Record<string, string>
const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENT_REQUESTS })
const known = new Map<string, string[]>()
/** IDs of the senders' own tokens, sessions and users. Requests never use them, so that none is revoked. */
const keptIds = new Set<string>()

beforeAll(async () => {
  // These limits appear in headers but are never reached. The Do Not Contact list keeps its own limit.
  server = await openTestServer({ RATE_LIMIT_PER_MINUTE: '1000000', WRITE_LIMIT_PER_MINUTE: '1000000' })
  const owner = await makeCaller(server.app)
  const stranger = await makeCaller(server.app)
  const world = await makeWorld(server.app, owner)
  await makeWorld(server.app, stranger)
  const as = async (role: 'member' | 'viewer') =>
    server.createToken(await makeCaller(server.app, role, owner.accountId))
  tokens = {
    owner: await server.createToken(owner),
    member: await as('member'),
    viewer: await as('viewer'),
    readOnly: await server.createToken(owner, { isReadOnly: true }),
    stranger: await server.createToken(stranger),
    broken: 'ovt_live_nonsense',
    nobody: undefined,
  }
  session = (await server.createCredentials(owner)).session
  for (const { id } of await server.app.owner<{ id: string }[]>`
    select id from api_tokens where id <> ${world.apiTokenId}
    union select id from users where id <> ${world.memberId}
    union select id from sessions where id <> ${world.sessionId}`)
    keptIds.add(id)
  // Requests need many members, because each member can be removed only once.
  for (let n = 0; n < 20; n++)
    learn('memberId', (await makeCaller(server.app, 'member', owner.accountId)).userId)
  for (const [name, id] of Object.entries(world)) {
    if (typeof id === 'string') learn(name.replace(/^(active|paused|archived)C/, 'c'), id)
  }
  for (const id of [world.draftMessageId, world.receivedMessageId]) learn('emailMessageId', id)
  learn('emailMessageIdToReplyTo', world.receivedMessageId)
  for (const id of [world.emailThreadId, world.linkedinConversationId]) learn('entityId', id)
  for (const { accountId, userId } of [owner, stranger]) {
    learn('accountId', accountId)
    learn('ownedById', userId)
  }
})
afterAll(async () => {
  agent.destroy()
  await server[Symbol.asyncDispose]()
})

/** Remembers an ID or cursor, up to 50 of each kind, for the references in later requests. */
function learn(kind: string, id: string): void {
  if (keptIds.has(id) && kind !== 'ownedById') return
  const ids = known.get(kind) ?? []
  if (!ids.includes(id)) known.set(kind, [...ids.slice(-49), id])
}

/** Forgets the IDs in a deleted object's path. */
function forget(path: string): void {
  for (const [kind, ids] of known)
    known.set(
      kind,
      ids.filter(id => !path.includes(id)),
    )
}

const idNames: Record<string, string[]> = {
  email_message: ['emailMessageId', 'emailMessageIdToReplyTo'],
  email_thread: ['emailThreadId', 'entityId'],
}

function learnFrom(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const { id, objectType, next, previous, messageId } = value as Record<string, string>
  const camel = objectType?.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase())
  if (id && camel) for (const name of idNames[objectType!] ?? [`${camel}Id`]) learn(name, id)
  if (messageId) learn('emailMessageId', messageId)
  for (const cursor of [next, previous]) if (typeof cursor === 'string') learn('cursor', cursor)
  for (const [key, child] of Object.entries(value)) {
    if (/^(prospect|person|call|conversation)Id$/.test(key) && typeof child === 'string') learn(key, child)
    else learnFrom(child)
  }
}

const resolveReferences = (text: string): string =>
  text.replace(/@(\w+):(\d+)@/g, (_all, kind: string, n: string) => {
    const ids = known.get(kind) ?? ['01980000-0000-7000-8000-00000000beef']
    return ids[Number(n) % ids.length]!
  })

const fillIn = (request: FuzzRequest): FuzzRequest => ({
  ...request,
  path: resolveReferences(request.path),
  headers: Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, resolveReferences(value)]),
  ),
  ...(request.body !== undefined && { body: resolveReferences(request.body) }),
})

const getCredentials = ({ principal, operationId }: FuzzRequest): Record<string, string> => {
  const { needsSession }: Operation = operations[operationId as keyof typeof operations]
  if (needsSession && principal === 'owner') return session
  const token = tokens[principal]
  return token ? { authorization: `Bearer ${token}` } : {}
}

const decode = (body: Buffer, encoding: string | undefined): Buffer =>
  encoding === 'br' ? brotliDecompressSync(body) : encoding === 'gzip' ? gunzipSync(body) : body

const sendRequest = (request: FuzzRequest): Promise<RawResponse> => {
  const { method, path, headers, body, encoding } = request
  const { promise, resolve, reject } = Promise.withResolvers<RawResponse>()
  const bytes = body === undefined ? undefined : Buffer.from(body, encoding)
  const sent = send(`${server.url}`, {
    agent,
    method,
    path: `/v1${path}`,
    signal: AbortSignal.timeout(60_000),
    headers: {
      ...getCredentials(request),
      ...(bytes && { 'content-length': bytes.length }),
      ...headers,
    },
  })
  sent.on('error', reject)
  sent.on('response', response => {
    const parts: Buffer[] = []
    response.on('data', part => parts.push(part))
    response.on('error', reject)
    response.on('end', () =>
      resolve({
        status: response.statusCode!,
        headers: response.headers as Record<string, string>,
        text: decode(Buffer.concat(parts), response.headers['content-encoding']).toString(),
      }),
    )
  })
  sent.end(bytes)
  return promise
}

const outcomes = new Map<string, Map<number, number>>()
/** The latest request with a wrong response, for each kind of error. */
const wrong = new Map<string, string>()
const MAX_WRONG = 20

async function check(generated: FuzzRequest): Promise<void> {
  const request = fillIn(generated)
  const response = await sendRequest(request).catch((error: Error) => error)
  const errors = response instanceof Error ? [String(response)] : findErrors(request, response)
  if (errors.length > 0) {
    const kind = `${request.operationId}: ${errors.join('; ')}`
    wrong.set(kind, `${kind}\nrequest ${formatText(request)}\nresponse ${formatText(response)}\n`)
  }
  if (response instanceof Error) return
  const statuses = outcomes.get(request.operationId) ?? new Map<number, number>()
  outcomes.set(request.operationId, statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1))
  const mayLearn = response.status === 200 && request.principal === 'owner' && request.method !== 'HEAD'
  if (mayLearn) learnFrom(JSON.parse(response.text))
  if (mayLearn && request.method === 'DELETE') forget(request.path)
}

const findErrors = (request: FuzzRequest, response: RawResponse): string[] => [
  ...(response.status >= 500 ? [`status ${response.status}`] : []),
  ...findResponseErrors(request.method, request.target, response),
]

function formatText(value: unknown): string {
  const text = value instanceof Error ? `none: ${value}` : JSON.stringify(value)
  return text.length > 2_000 ? `${text.slice(0, 2_000)}… (${text.length} characters)` : text
}

it(`the server responds to ${count} hostile requests as documented, without server errors (seed ${seed})`, async () => {
  const batches = fc.array(anyRequest, { minLength: CONCURRENT_REQUESTS, maxLength: CONCURRENT_REQUESTS })
  await fc.assert(
    fc.asyncProperty(batches, async batch => {
      if (wrong.size < MAX_WRONG) await Promise.all(batch.map(check))
    }),
    { seed, numRuns: Math.ceil(count / CONCURRENT_REQUESTS) },
  )
  expect([...wrong.values()].join('\n'), `repeat with FUZZ_SEED=${seed} FUZZ_REQUESTS=${count}`).toBe('')
  if (count < 20_000) return
  const untouched = documentedOperations
    .map(({ operation }) => operation.operationId)
    .filter(name => ![200, 409].some(status => outcomes.get(name)?.has(status)))
  expect(untouched, 'operations whose handler no request reached').toEqual([])
})

const hostileBytes: Record<string, string> = {
  'bytes that are not HTTP': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'a line that is not a request': 'hello\r\n\r\n',
  'an unknown method': 'OVERTURE /v1/account HTTP/1.1\r\nHost: a\r\n\r\n',
  'an unknown version': 'GET /v1/account HTTP/9.9\r\nHost: a\r\n\r\n',
  'a request without Host': 'GET /v1/account HTTP/1.1\r\n\r\n',
  'bare line feeds': 'GET /v1/account HTTP/1.1\nHost: a\n\n',
  'a NUL in a header': 'GET /v1/account HTTP/1.1\r\nHost: a\r\nX-A: \0\r\n\r\n',
  'headers above the limit': `GET /v1/account HTTP/1.1\r\nHost: a\r\nX-A: ${'x'.repeat(20_000)}\r\n\r\n`,
  'a URL above the limit': `GET /v1/account?${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
  'two Content-Length headers':
    'POST /v1/reps HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
  'Content-Length with chunked encoding': `POST /v1/reps HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'a negative Content-Length': 'POST /v1/reps HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n',
  'a broken chunk': 'POST /v1/reps HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  'a CONNECT request': 'CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: a\r\n\r\n',
  'an absolute URL': 'GET http://a.example/v1/account HTTP/1.1\r\nHost: a\r\n\r\n',
  'an incomplete body': 'POST /v1/reps HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"na',
}

/** Sends bytes, closes our side, and returns the server's whole response. */
const sendBytes = async (bytes: string): Promise<string> => {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  let response = ''
  socket.setEncoding('utf8').on('data', text => {
    response += text
  })
  socket.on('error', () => {})
  const closed = once(socket, 'close')
  socket.end(Buffer.from(bytes, 'latin1'))
  await closed
  return response
}

it.each(Object.entries(hostileBytes))(
  'the server rejects %s or disconnects, and keeps serving',
  async (_what, bytes) => {
    const response = await sendBytes(bytes)
    if (response !== '') {
      expect(response).toMatch(/^HTTP\/1\.1 4\d\d /)
      expect(response.toLowerCase()).toContain('x-request-id: ')
      expect(
        findErrorsAt(['components', 'schemas', 'Error'], JSON.parse(response.split('\r\n\r\n')[1]!)),
      ).toEqual([])
    }
    const after = await server.request('GET', '/account', { token: tokens.owner! })
    expect(after.status).toBe(200)
  },
)
