import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeCaller } from '../../../../test/support/app.ts'
import { openTestServer, type TestServer } from '../../../../test/support/http/server.ts'
import { makeSignedIn, SignInBrowser } from '../../../../test/support/http/sign-in.ts'

/** Notifications are disabled and the clock is stopped: only the process itself can clear its cache. */
let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
  server.app.setNow('2026-11-24T11:00:00Z')
  for (const table of ['api_tokens', 'sessions', 'members']) {
    await server.app.owner.unsafe(`alter table ${table} disable trigger access_changed`)
  }
})
afterAll(() => server[Symbol.asyncDispose]())

const statusWith = async (token: string, path = '/campaigns') =>
  (await server.request('GET', path, { token })).status

it('a revoked API token is rejected as soon as the revocation is confirmed', async () => {
  const owner = await makeCaller(server.app)
  const token = await server.createToken(owner)
  const keeper = await server.createToken(owner)
  expect(await statusWith(token)).toBe(200)
  const { body } = await server.request('GET', '/api-tokens', { token: keeper })
  const { data } = body as { data: { id: string; prefix: string }[] }
  const { id } = data.find(({ prefix }) => token.startsWith(prefix))!
  expect((await server.request('DELETE', `/api-tokens/${id}`, { token: keeper })).status).toBe(200)
  expect(await statusWith(token)).toBe(401)
})

it('an ended session is rejected as soon as its end is confirmed', async () => {
  const { browser, email } = await makeSignedIn(server)
  const { body } = await browser.send('GET', '/sessions')
  const [{ id }] = (body as { data: [{ id: string }] }).data
  const other = new SignInBrowser(server)
  await other.signIn(email)
  expect(await browser.isSignedIn()).toBe(true)
  expect((await other.send('DELETE', `/sessions/${id}`)).status).toBe(200)
  expect(await browser.isSignedIn()).toBe(false)
})

it('a new role and the removal of a member take effect as soon as they are confirmed', async () => {
  const owner = await makeCaller(server.app)
  const member = await makeCaller(server.app, 'admin', owner.accountId)
  const [ownerToken, token] = [await server.createToken(owner), await server.createToken(member)]
  expect(await statusWith(token, '/audit-log')).toBe(200)
  const path = `/members/${member.userId}`
  const change = { token: ownerToken, body: { role: 'viewer' } }
  expect((await server.request('PATCH', path, change)).status).toBe(200)
  expect(await statusWith(token, '/audit-log')).toBe(403)
  expect(await statusWith(token)).toBe(200)
  expect((await server.request('DELETE', path, { token: ownerToken })).status).toBe(200)
  expect(await statusWith(token)).toBe(401)
})
