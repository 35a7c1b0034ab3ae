import { createHmac, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { z } from 'zod'
import { operations } from '../../src/contract/index.ts'
import * as signIn from '../../src/contract/sign-in.ts'
import { tools } from '../../src/server/adapters/mcp/tools.ts'
import { type Caller, makeCaller } from '../support/app.ts'
import {
  AS_ADDRESS,
  forms,
  getMaxBytes,
  isInShare,
  jsonBytes,
  type Kind,
  kinds,
  shapes,
  textWithin,
} from '../support/contract/largest-inputs.ts'
import { type LoopRequest, type LoopWatch, openLoopWatch } from '../support/contract/loop-watch.ts'
import { textFields, withValue } from '../support/contract/text-fields.ts'
import { createRequests, makeWorld, type World } from '../support/contract/world.ts'
import { connectAs } from '../support/http/connection.ts'
import { type Credentials, openTestServer, type TestServer } from '../support/http/server.ts'
import type { ServerProcess } from '../support/http/server-processes.ts'
import { isSelected } from '../support/run/is-selected.ts'

// Tests that no input outside the REST API's operations, such as an MCP call or an inbound email, blocks the event loop
// for more than 100 ms. event-loop.test.ts tests the operations.

let home: TestServer
let watch: LoopWatch
let owner: Caller
let own: World & Credentials

beforeAll(async () => {
  home = await openTestServer()
  owner = await makeCaller(home.app)
  own = { ...(await makeWorld(home.app, owner)), ...(await home.createCredentials(owner)) }
  watch = await openLoopWatch(home.app)
})
afterAll(async () => {
  await watch[Symbol.asyncDispose]()
  await home[Symbol.asyncDispose]()
})

/**
 * Sends the selected requests and expects that none blocks the event loop. Sends the warm-up requests before them,
 * because code is compiled when it is first called, and expects their statuses to be `expected`, which shows that the
 * paths are correct.
 */
async function sendAll(
  requests: readonly LoopRequest[],
  warmUps: readonly LoopRequest[],
  expected: readonly number[],
  headersFor: (server: ServerProcess) => Record<string, string> = () => ({}),
): Promise<void> {
  const statuses = new Set<number>()
  const send = (server: ServerProcess, request: LoopRequest) =>
    watch.send(server, { ...request, headers: { ...request.headers, ...headersFor(server) } })
  for (const server of watch.servers)
    for (const request of warmUps)
      for (let round = 0; round < 3; round++) statuses.add((await send(server, request)).status)
  expect([...statuses].sort(), 'statuses of the warm-up requests').toEqual(expected)
  watch.drainErrors()
  const selected = requests.filter(({ label }) => isSelected(label))
  await watch.forAll(selected, send)
  expect(watch.drainErrors()).toEqual([])
}

const form = 'application/x-www-form-urlencoded'
const getFormBytes = (text: string): number => encodeURIComponent(text.toWellFormed()).length
const getHeaderBytes = (text: string): number => Buffer.byteLength(text)
/** Replaces characters that a header can't contain. */
const asHeader = (text: string): string => text.replace(/[^\x20-\x7e]/g, 'x').trim()

it('no MCP tool call blocks the event loop for 100 ms', async () => {
  // An access token is valid only for the URL of one server.
  const tokens = new Map<ServerProcess, string>()
  for (const server of watch.servers) {
    const config = { ...home.app.config, port: Number(new URL(server.url).port) }
    tokens.set(server, (await connectAs({ ...home.app, config }, owner)).token)
  }
  const message = (label: string, body: string): LoopRequest => ({
    label: `MCP, ${label}`,
    method: 'POST',
    path: '/v1/mcp',
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
    },
    body,
  })
  const call = (name: string, args: unknown) =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } })
  const requests = createRequests(own)
  const limit = 1024 * 1024 - 4000
  const all = [...tools.values()]
  await sendAll(
    [
      // One kind in 24 is enough, because event-loop.test.ts tests the tools' operations with all kinds.
      ...all.flatMap(({ name, operation }, at) => {
        const fields = textFields(operations[operation].input)
        return kinds.flatMap(kind => {
          if (!isInShare(kind, at, 24)) return []
          const filled = (length: number) =>
            fields.reduce<unknown>(
              (args, { place, maxLength, isFree }) =>
                isFree
                  ? withValue(
                      args,
                      place,
                      forms[0]!(
                        kind,
                        Math.min(length, maxLength),
                        jsonBytes,
                        Math.floor(limit / fields.length),
                      ),
                    )
                  : args,
              requests[operation],
            )
          return fields.length === 0 ? [] : [message(`${name}: ${kind.name}`, call(name, filled(Infinity)))]
        })
      }),
      ...kinds.flatMap(kind => {
        const text = textWithin(kind, getMaxBytes(kind, 0, limit))
        return [
          message(`method: ${kind.name}`, JSON.stringify({ jsonrpc: '2.0', id: 1, method: text })),
          message(`tool name: ${kind.name}`, call(text, {})),
          message(`id: ${kind.name}`, JSON.stringify({ jsonrpc: '2.0', id: text, method: 'tools/list' })),
          message(
            `string argument of a tool: ${kind.name}`,
            call('create_email_draft', { ...requests.createEmailDraft, body: text }),
          ),
          message(`unknown field: ${kind.name}`, call('whoami', { [text]: 1 })),
        ]
      }),
      ...Object.entries(shapes).flatMap(([shape, make]) => [
        message(`body: ${shape}`, make(limit)),
        message(
          `arguments: ${shape}`,
          `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","arguments":${make(limit)}}}`,
        ),
        message(`params: ${shape}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${make(limit)}}`),
      ]),
    ],
    all.map(({ name, operation }) =>
      message(`${name}, warm-up`, call(name, { ...requests[operation], surprise: 1 })),
    ),
    [200],
    server => ({ authorization: `Bearer ${tokens.get(server)}` }),
  )
})

it('no sign-in request blocks the event loop for 100 ms', async () => {
  const bodies: Record<string, z.ZodType> = {
    session: signIn.signIn,
    setup: signIn.setUp,
    'user/password': signIn.changePassword,
    'password-reset': signIn.requestPasswordReset,
    'password-reset/confirm': signIn.resetPassword,
    'invitations/user': signIn.createInvitedUser,
    'invitations/accept': signIn.acceptInvitation,
    'session/code': signIn.signInCode,
    'session/confirm': signIn.confirmation,
    'session/confirm/single-sign-on': signIn.confirmationBySingleSignOn,
    'session/passkey': signIn.passkeySignIn,
    'session/single-sign-on': signIn.singleSignOn,
    'user/passkeys': signIn.newPasskey,
    'user/totp/confirm': signIn.enableTotp,
  }
  const post = (path: string, label: string, body: string): LoopRequest => ({
    ...{ label: `${path}, ${label}`, method: 'POST', path: `/v1/${path}`, headers: own.session, body },
  })
  const endpoints = Object.entries(bodies)
  await sendAll(
    [
      ...endpoints.flatMap(([path, schema], at) =>
        kinds.flatMap(kind => {
          const fields = textFields(schema)
          const filled = (fill: (maxLength: number) => string) =>
            JSON.stringify(
              fields.reduce<unknown>(
                (body, { place, maxLength }) => withValue(body, place, fill(maxLength)),
                {},
              ),
            )
          const share = Math.floor(60_000 / fields.length)
          // Each path gets each kind in one of the three forms.
          const nth = [0, 1, 2].find(n => isInShare(kind, at + n, 3))!
          return [
            post(
              path,
              kind.name,
              filled(() => textWithin(kind, share)),
            ),
            post(
              path,
              `${kind.name}, at full length`,
              filled(length => forms[0]!(kind, length, jsonBytes, share)),
            ),
            post(
              path,
              `${kind.name} as an email address`,
              filled(length => forms[AS_ADDRESS]!(kind, length, jsonBytes, share)),
            ),
          ].slice(nth, nth + 1)
        }),
      ),
      // The same code parses JSON everywhere, so each path gets one shape in four.
      ...endpoints.flatMap(([path], at) =>
        Object.entries(shapes)
          .filter((_, n) => (at + n) % 4 === 0)
          .map(([shape, make]) => post(path, shape, make(60_000))),
      ),
    ],
    endpoints.map(([path]) => post(path, 'warm-up', '{"email":"a@a.example","password":"correct horse"}')),
    [400, 401],
  )
})

it('no OAuth request blocks the event loop for 100 ms', async () => {
  const redirect = 'http://localhost:7777/callback'
  const registration = { client_name: 'Test', redirect_uris: [redirect] }
  const { text } = await watch.send(watch.servers[0]!, {
    label: 'register',
    method: 'POST',
    path: '/v1/register',
    body: JSON.stringify(registration),
  })
  const { client_id } = JSON.parse(text) as { client_id: string }
  const authorization = {
    ...{ client_id, redirect_uri: redirect, response_type: 'code', scope: 'outreach.read', state: 's' },
    ...{ code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' },
    ...{
      resource: `${watch.servers[0]!.url}/v1/mcp`,
      nonce: 'n',
      prompt: 'consent',
      claims: '{}',
      request: 'r',
      ui_locales: 'en',
      login_hint: 'a',
      acr_values: 'a',
      display: 'page',
      max_age: '1',
      id_token_hint: 'a',
      response_mode: 'query',
    },
  }
  const exchange = {
    ...{ grant_type: 'authorization_code', code: 'c', redirect_uri: redirect, client_id, code_verifier: 'v' },
    ...{
      refresh_token: 'r',
      scope: 's',
      resource: 'r',
      client_secret: 's',
      client_assertion: 'a',
      client_assertion_type: 't',
      token: 't',
      token_type_hint: 'h',
      assertion: 'a',
    },
  }
  const cookie = own.session.cookie!
  const authorize = (label: string, query: Record<string, string>): LoopRequest => ({
    ...{ label: `authorize, ${label}`, method: 'GET', headers: { cookie } },
    path: `/v1/authorize?${new URLSearchParams(query)}`,
  })
  const post = (endpoint: string, label: string, body: Record<string, string>): LoopRequest => ({
    ...{ label: `${endpoint}, ${label}`, method: 'POST', path: `/v1/${endpoint}` },
    ...{ headers: { 'content-type': form, cookie }, body: new URLSearchParams(body).toString() },
  })
  const register = (label: string, body: string): LoopRequest => ({
    label: `register, ${label}`,
    method: 'POST',
    path: '/v1/register',
    body,
  })
  const plain = [
    'client_name',
    'client_uri',
    'logo_uri',
    'scope',
    'jwks_uri',
    'software_id',
    'token_endpoint_auth_method',
    'application_type',
  ]
  const { request: _r, ...validQuery } = authorization
  await sendAll(
    [
      ...kinds.flatMap(kind => {
        const queryText = textWithin(kind, 7_000, getFormBytes).toWellFormed()
        const long = textWithin(kind, 60_000, getFormBytes).toWellFormed()
        const text = textWithin(kind, 15_000)
        const short = textWithin(kind, 3_500)
        // The same code reads all fields, so each kind is tested in a quarter of them.
        const selectShare = (names: string[]) => names.filter((_, at) => isInShare(kind, at, 4))
        return [
          ...selectShare(Object.keys(authorization)).map(name =>
            authorize(`${name}: ${kind.name}`, { ...validQuery, [name]: queryText }),
          ),
          ...['token', 'revoke'].flatMap(endpoint =>
            selectShare(Object.keys(exchange)).map(name =>
              post(endpoint, `${name}: ${kind.name}`, {
                ...exchange,
                [name]: endpoint === 'revoke' ? textWithin(kind, 15_000, getFormBytes).toWellFormed() : long,
              }),
            ),
          ),
          post(`interaction/${randomUUID()}`, kind.name, {
            csrf: textWithin(kind, 15_000, getFormBytes).toWellFormed(),
          }),
          ...selectShare(plain).flatMap(name =>
            [text, short].map(value =>
              register(`${name}: ${kind.name}`, JSON.stringify({ ...registration, [name]: value })),
            ),
          ),
          ...['redirect_uris', 'grant_types', 'contacts'].map(name =>
            register(`${name}: ${kind.name}`, JSON.stringify({ ...registration, [name]: [text] })),
          ),
          register(
            `redirect_uris, as a URL: ${kind.name}`,
            JSON.stringify({
              redirect_uris: [
                forms[1]!(kind, 2_000, jsonBytes, 3_000),
                `http://localhost/${encodeURI(short.toWellFormed()).slice(0, 1_900).replace(/%.?$/, '')}`,
              ],
            }),
          ),
        ]
      }),
      ...Object.entries(shapes).map(([shape, make]) => register(`body: ${shape}`, make(16_000))),
    ],
    [
      authorize('warm-up', validQuery),
      post('token', 'warm-up', exchange),
      post('revoke', 'warm-up', exchange),
      register('warm-up', JSON.stringify(registration)),
    ],
    [200, 201, 303, 400],
  )
})

it('no provider callback blocks the event loop for 100 ms', async () => {
  const { inboundUrl, secret } = await owner.call('createLinkedinAccount', {
    repId: (await owner.call('createRep', { name: 'Ben', ownedById: owner.userId })).id,
    provider: 'webhook',
  })
  const key = Buffer.alloc(32, 1).toString('base64')
  const { id: assistantId } = await owner.call('createAssistant', {
    ...{ name: 'Desk', provider: 'http', http: { baseUrl: 'https://voice.example/' }, apiKey: 'k' },
    ...{ callbackSecret: `whsec_${key}`, fromNumber: '+442079460018', repId: own.repId },
  })
  const signed = (label: string, path: string, secret: string, body: string): LoopRequest => {
    const [id, time] = [randomUUID(), String(Math.floor(Date.now() / 1000))]
    const mac = createHmac('sha256', Buffer.from(secret.replace('whsec_', ''), 'base64')).update(
      `${id}.${time}.${body}`,
    )
    return {
      ...{ label, method: 'POST', path, body },
      headers: {
        'webhook-id': id,
        'webhook-timestamp': time,
        'webhook-signature': `v1,${mac.digest('base64')}`,
      },
    }
  }
  const linkedin = (label: string, body: string) =>
    signed(`LinkedIn, ${label}`, new URL(inboundUrl).pathname, secret!, body)
  const voice = (label: string, body: string) =>
    signed(`voice, ${label}`, `/v1/callbacks/voice/${owner.accountId}/${assistantId}`, key, body)
  const event = {
    type: 'message.received',
    person: { memberId: 'm' },
    happenedAt: new Date().toISOString(),
    text: 'Hello',
  }
  const call = {
    id: 'c',
    callId: own.callId,
    status: 'ended',
    outcome: 'answered',
    startedAt: new Date().toISOString(),
  }
  /** Selects one field in three: all fields share their validation, except for the length limits. */
  const selectsField = (kind: Kind) => (_: string, at: number) => isInShare(kind, at, 3)
  const turns = (text: string, count: number) =>
    Array.from({ length: count }, (_, at) => ({ role: 'person', text, at }))
  await sendAll(
    [
      ...kinds.flatMap(kind => [
        ...['text', 'messageId', 'conversationId', 'happenedAt', 'type', 'other']
          .filter(selectsField(kind))
          .map(field =>
            linkedin(
              `${field}: ${kind.name}`,
              JSON.stringify({ ...event, [field]: textWithin(kind, 250_000) }),
            ),
          ),
        linkedin(
          `text, at full length: ${kind.name}`,
          JSON.stringify({ ...event, text: forms[0]!(kind, 100_000, jsonBytes, 250_000) }),
        ),
        ...['summary', 'endReason', 'recordingUrl', 'startedAt', 'id', 'callId', 'other']
          .filter(selectsField(kind))
          .map(field =>
            voice(`${field}: ${kind.name}`, JSON.stringify({ ...call, [field]: textWithin(kind, 200_000) })),
          ),
        voice(
          `summary: ${kind.name}`,
          JSON.stringify({ ...call, summary: textWithin(kind, getMaxBytes(kind, 0, 2_000_000)) }),
        ),
        voice(
          `transcript: ${kind.name}`,
          JSON.stringify({
            ...call,
            transcript: turns(textWithin(kind, getMaxBytes(kind, 3, 1_600_000) / 2_000), 2_000),
          }),
        ),
        voice(
          `one turn: ${kind.name}`,
          JSON.stringify({
            ...call,
            transcript: turns(textWithin(kind, getMaxBytes(kind, 1, 2_000_000)), 1),
          }),
        ),
        voice(
          `data: ${kind.name}`,
          JSON.stringify({
            ...call,
            extractedData: {
              a: textWithin(kind, 30_000),
              [textWithin(kind, getMaxBytes(kind, 2, 1_000_000))]: 1,
            },
          }),
        ),
      ]),
      ...Object.entries(shapes).flatMap(([shape, make]) => [
        linkedin(`body: ${shape}`, make(256_000)),
        voice(`body: ${shape}`, make(2_000_000)),
        ...['transcript', 'extractedData', 'cost', 'summary'].map(field =>
          voice(
            `${field}: ${shape}`,
            JSON.stringify({ ...call, [field]: 0 }).replace(/0\}$/, `${make(2_000_000)}}`),
          ),
        ),
      ]),
      voice(
        'a very long list of values',
        `{"id":"c","status":"ended","extractedData":[${'1,'.repeat(290_000)}1]}`,
      ),
      voice(
        'a very long list of objects',
        `{"id":"c","status":"ended","transcript":[${'{},'.repeat(140_000)}{}]}`,
      ),
      voice(
        'an object with very many names',
        `{"id":"c","status":"ended","extractedData":{${Array.from({ length: 140_000 }, (_, n) => `"n${n}":1`).join(',')}}}`,
      ),
    ],
    [
      linkedin('warm-up', JSON.stringify(event)),
      voice('warm-up', JSON.stringify({ ...call, transcript: turns('Hello', 2_000) })),
      linkedin('warm-up with invalid JSON', '{'),
      voice('warm-up with invalid JSON', '{'),
    ],
    [200, 400],
  )
})

it('no inbound email blocks the event loop for 100 ms', async () => {
  const { inboundUrl } = await owner.call('getMailbox', { mailboxId: own.mailboxId })
  const mail = (label: string, head: Record<string, string>, body: string): LoopRequest => ({
    ...{ label: `mail, ${label}`, method: 'POST', path: new URL(inboundUrl!).pathname },
    headers: { 'content-type': 'message/rfc822' },
    body: Buffer.from(
      `${Object.entries({
        From: 'ada@a.example',
        To: own.mark,
        'Message-ID': `<${randomUUID()}@a.example>`,
        'MIME-Version': '1.0',
        'Content-Type': 'text/plain; charset=utf-8',
        'In-Reply-To': `<${own.sentMessageId}@${own.mark}.example>`,
        ...head,
      })
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('')}\r\n${body}`,
    ),
  })
  const html = { 'Content-Type': 'text/html; charset=utf-8' }
  const foldLine = (kind: Kind, length: number) =>
    kind
      .fill(length)
      .toWellFormed()
      .replace(/[\r\n]+/g, '\r\n ')
  await sendAll(
    kinds.flatMap(kind => [
      mail(`text: ${kind.name}`, {}, kind.fill(getMaxBytes(kind, 0, 1_000_000)).toWellFormed()),
      mail(`HTML: ${kind.name}`, html, `<p>${kind.fill(getMaxBytes(kind, 1, 1_000_000)).toWellFormed()}`),
      mail(
        `headers: ${kind.name}`,
        {
          Subject: foldLine(kind, 60_000),
          From: foldLine(kind, 60_000),
          References: foldLine(kind, 60_000),
          'X-Other': foldLine(kind, 60_000),
        },
        'Hello',
      ),
      mail(
        `address: ${kind.name}`,
        {
          From: `${foldLine(kind, 300)} <ada@a.example>`,
          To: foldLine(kind, 100_000),
          'Message-ID': foldLine(kind, 10_000),
          'Content-Type': `text/plain; name="${foldLine(kind, 50_000)}"`,
        },
        'Hello',
      ),
    ]),
    [mail('warm-up', {}, 'Hello'), mail('warm-up', html, '<p>Hello')],
    [200],
  )
})

it('no path or header blocks the event loop for 100 ms', async () => {
  const get = (label: string, path: string, headers: Record<string, string> = {}): LoopRequest => ({
    label,
    method: 'GET',
    path,
    headers,
  })
  const roots = [
    '/',
    '/u/',
    '/v1/',
    '/v1/campaigns/',
    '/assets/',
    '/docs/',
    '/inbox/',
    '/v1/inbound/email/',
    '/v1/calls/',
    '/.well-known/',
    '/v1/invitations/accept?token=',
    '/v1/session/single-sign-on/callback?state=',
    '/v1/campaigns?',
    '/v1/campaigns?status=',
    '/v1/campaigns?cursor=',
  ]
  const headers = [
    'authorization',
    'cookie',
    'x-request-id',
    'idempotency-key',
    'x-account-id',
    'accept',
    'accept-encoding',
    'accept-language',
    'origin',
    'user-agent',
    'x-forwarded-for',
    'x-forwarded-host',
    'range',
    'if-none-match',
    'referer',
    'x-csrf-token',
    'forwarded',
    'content-type',
    'access-control-request-headers',
  ]
  const bearer = { authorization: `Bearer ${own.token}` }
  const unsubscribe = (label: string, key: string, body: string): LoopRequest => ({
    label,
    method: 'POST',
    path: `/u/${key}`,
    headers: { 'content-type': form },
    body,
  })
  await sendAll(
    kinds.flatMap(kind => {
      const pathText = encodeURIComponent(textWithin(kind, 14_000, getFormBytes).toWellFormed())
      const bare = textWithin(kind, 14_000, getHeaderBytes)
      const plain = asHeader(bare).replaceAll(' ', '+').replaceAll('#', '%')
      return [
        ...roots.map((root, at) =>
          isInShare(kind, at, 2)
            ? get(`GET ${root}, encoded: ${kind.name}`, root + pathText, bearer)
            : get(`GET ${root}: ${kind.name}`, root + plain, bearer),
        ),
        ...headers.map((name, at) => {
          const path = isInShare(kind, at, 2) ? '/v1/campaigns' : '/'
          return get(`${name} of ${path}: ${kind.name}`, path, { ...bearer, [name]: asHeader(bare) })
        }),
        get(`bearer: ${kind.name}`, '/v1/campaigns', { authorization: `Bearer ${asHeader(bare)}` }),
        unsubscribe(`unsubscribe: ${kind.name}`, 'key', textWithin(kind, 60_000, getFormBytes)),
      ]
    }),
    [
      ...roots.map(root => get('warm-up', root, bearer)),
      unsubscribe('warm-up', 'key', 'List-Unsubscribe=One-Click'),
    ],
    [200, 303, 400, 404, 405],
  )
})
