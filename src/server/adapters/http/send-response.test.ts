import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller } from '../../../../test/support/app.ts'
import { openTestServer, type TestServer } from '../../../../test/support/http/server.ts'

let server: TestServer
let owner: Caller
let token: string
beforeAll(async () => {
  server = await openTestServer()
  owner = await makeCaller(server.app)
  token = await server.createToken(owner)
  for (const number of Array(20).keys()) await owner.call('createPerson', { email: `p${number}@x.example` })
})
afterAll(() => server[Symbol.asyncDispose]())

type Headers = Record<string, string>

const list = (headers: Headers = {}) =>
  server.request('GET', '/persons?limit=20', {
    token,
    headers: { 'accept-encoding': 'identity', ...headers },
  })

describe('a response to a read', () => {
  it.each([
    ['br, gzip', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['identity', null],
    ['br;q=0, gzip;q=0', null],
  ])(
    'for a client that accepts “%s” has the content encoding %s and the same content',
    async (accepted, used) => {
      const plain = await list()
      const response = await list({ 'accept-encoding': accepted })
      expect(response.headers.get('content-encoding')).toBe(used)
      expect(response.headers.get('vary')).toContain('accept-encoding')
      expect(response.body).toEqual(plain.body)
    },
  )

  it('is not compressed when it is small', async () => {
    const response = await server.request('GET', '/tags', { token, headers: { 'accept-encoding': 'br' } })
    expect(response.headers.get('content-encoding')).toBeNull()
  })

  it('is empty with status 304 while it has not changed', async () => {
    const first = await list()
    const etag = first.headers.get('etag')!
    expect(etag).toMatch(/^W\/"/)
    for (const known of [etag, `"other", ${etag}`, etag.slice(2)]) {
      const second = await list({ 'if-none-match': known, 'accept-encoding': 'br' })
      expect(second).toMatchObject({ status: 304, text: '' })
      expect(second.headers.get('etag')).toBe(etag)
    }
    await owner.call('createPerson', { email: 'new@x.example' })
    const changed = await list({ 'if-none-match': etag })
    expect(changed.status).toBe(200)
    expect(changed.headers.get('etag')).not.toBe(etag)
  })

  it('is compressed in a browser only for our own pages, never for a navigation from another site', async () => {
    const cookie = await server.createCookie(owner)
    const read = async (headers: Headers) => {
      const all = { cookie, 'accept-encoding': 'br', ...headers }
      const response = await server.request('GET', '/persons?limit=20', { headers: all })
      expect(response.status).toBe(200)
      return response.headers.get('content-encoding')
    }
    expect(await read({ 'sec-fetch-site': 'same-origin' })).toBe('br')
    expect(await read({ 'sec-fetch-site': 'cross-site' })).toBeNull()
    expect(await read({})).toBeNull()
  })
})

it('a response to a write, which may contain a secret, is never compressed and has no ETag', async () => {
  const { headers, status } = await server.request('POST', '/campaigns', {
    token,
    headers: { 'accept-encoding': 'br' },
    body: { name: 'Spring', steps: [{ subject: 'Hello', body: 'Hello '.repeat(500) }] },
  })
  expect(status).toBe(200)
  expect(headers.get('content-encoding')).toBeNull()
  expect(headers.get('etag')).toBeNull()
})
