import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeCaller } from '../support/app.ts'
import {
  expectInvalid,
  getBody,
  type List,
  openSpecificationServer,
  type SpecificationServer,
} from '../support/contract/specification-server.ts'
import { openTestServer } from '../support/http/server.ts'

let specified: SpecificationServer
beforeAll(async () => {
  specified = await openSpecificationServer()
})
afterAll(() => specified[Symbol.asyncDispose]())

const codes: [title: string, method: string, path: string, status: number, error: string][] = [
  ['7.validation: is ValidationError with 400', 'GET', '/campaigns?limit=0', 400, 'ValidationError'],
  ['7.not-found: is NotFound with 404', 'GET', `/reps/${randomUUIDv7()}`, 404, 'NotFound'],
  ['7.unknown-path: is NotFound with 404', 'GET', '/nothing', 404, 'NotFound'],
  ['7.method: is MethodNotAllowed with 405', 'DELETE', '/campaigns', 405, 'MethodNotAllowed'],
  ['7.method-page: is MethodNotAllowed for pages too', 'POST', '/v1/openapi.json', 405, 'MethodNotAllowed'],
]

it.each(codes)('%s', async (_title, method, path, status, error) => {
  const { server, token } = specified
  const response = await server.request(method, path, { token })
  expect(response).toMatchObject({ status, body: { error, message: expect.stringMatching(/\S/) } })
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
})

it('7.unauthorized: is Unauthorized with 401, as JSON', async () => {
  const response = await specified.server.request('GET', '/reps')
  expect(response).toMatchObject({
    status: 401,
    body: { error: 'Unauthorized', message: expect.any(String) },
  })
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
})

it('7.conflict: is Conflict with 409 and names the status', async () => {
  const { post, world } = specified
  const response = await post(`/campaigns/${world.campaignId}/pause`)
  expect(response).toMatchObject({
    status: 409,
    body: { error: 'Conflict', message: expect.stringContaining('draft') },
  })
})

it("7.body-size: rejects a body that is larger than the operation's limit, with 400", async () => {
  const response = await specified.post('/reps', { name: 'x'.repeat(64 * 1024) })
  expect(response).toMatchObject({ status: 400, body: { error: 'ValidationError' } })
})

it('7.wording: says whether a field is missing or of the wrong type', async () => {
  const { post, world } = specified
  const getMessage = async (body: object) =>
    ((await post('/assistant/calls', body)).body as { message: string }).message
  const call = { assistantId: world.assistantId, name: 'Ada', phoneNumber: '+442079460992' }
  expect(await getMessage({ ...call, name: undefined })).toBe('name: is required')
  expect(await getMessage({ ...call, name: 1 })).toMatch(/^name: .*string/)
  expect(await getMessage({ ...call, email: null })).toMatch(/^email: .*string/)
})

it('7.internal: does not reveal internal errors', async () => {
  const { get, server } = specified
  await server.app.owner`alter table assistants rename to hidden`
  const response = await get('/assistants')
  await server.app.owner`alter table hidden rename to assistants`
  expect(response).toMatchObject({ status: 500, body: { error: 'InternalServerError' } })
  expect(response.text).not.toMatch(/assistants|relation|select/)
})

it('7.unavailable: says when to retry while the database is unavailable', async () => {
  await using server = await openTestServer()
  const token = await server.createToken(await makeCaller(server.app))
  await server.app.db.app.end()
  const response = await server.request('GET', '/reps', { token })
  expect(response).toMatchObject({ status: 503, body: { error: 'ServiceUnavailable' } })
  expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
})

it('7.every-error: names the first invalid field in the message and all of them in details', async () => {
  const { body } = await specified.get('/inbox/email/messages?limit=0&repId=1&type=x')
  const { message, details } = body as { message: string; details: { path: string }[] }
  expect(message.startsWith(`${details[0]!.path}: `)).toBe(true)
  expect(details.map(({ path }) => path).toSorted()).toEqual(['limit', 'repId', 'type'])
})

it('7.cursor-filters: rejects a cursor with a different or an additional filter', async () => {
  const { get, world } = specified
  const { next } = getBody<List>(await get(`/prospects?limit=1&campaignId=${world.campaignId}`))
  expectInvalid(await get(`/prospects?cursor=${next}&campaignId=${world.activeCampaignId}`), 'cursor')
  const unfiltered = getBody<List>(await get('/inbox/email/messages?limit=1'))
  expectInvalid(await get(`/inbox/email/messages?cursor=${unfiltered.next}&status=sent`), 'cursor')
})

it('7.cursor-same-filters: accepts a cursor alone or with the same filters', async () => {
  const { get, world } = specified
  const filters = `status=sent&repId=${world.repId}`
  const { next } = getBody<List>(await get(`/inbox/email/messages?limit=1&${filters}`))
  const alone = getBody<List>(await get(`/inbox/email/messages?cursor=${next}`))
  expect(alone.data).toMatchObject([{ id: world.sentMessageId }])
  expect(getBody<List>(await get(`/inbox/email/messages?${filters}&cursor=${next}`)).data).toEqual(alone.data)
})
