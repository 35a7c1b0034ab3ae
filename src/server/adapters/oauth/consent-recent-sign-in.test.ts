import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Caller, makeCaller } from '../../../../test/support/app.ts'
import { Browser } from '../../../../test/support/http/browser.ts'
import { openTestServer, type TestServer } from '../../../../test/support/http/server.ts'
import { findFreePort } from '../../../../test/support/processes/ports.ts'

const REDIRECT = 'http://localhost:7777/callback'
const MINUTE = 60_000

let server: TestServer
let origin: string
let clientId: string
beforeAll(async () => {
  origin = `http://localhost:${await findFreePort()}`
  server = await openTestServer({ PUBLIC_URL: origin })
  const { body } = await server.request('POST', '/register', {
    body: { client_name: 'Assistant', redirect_uris: [REDIRECT] },
  })
  clientId = (body as { client_id: string }).client_id
})
afterAll(() => server[Symbol.asyncDispose]())

describe('consent', () => {
  let user: Caller
  let browser: Browser
  let at: number
  const wait = (ms: number) => {
    at += ms
    server.app.setNow(new Date(at))
  }
  beforeEach(async () => {
    at = Date.now()
    wait(0)
    user = await makeCaller(server.app)
    browser = new Browser(origin, await server.createCookie(user))
  })

  const authorizeUrl = () =>
    `${origin}/v1/authorize?${new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: REDIRECT,
      code_challenge: createHash('sha256').update('a verifier').digest('base64url'),
      code_challenge_method: 'S256',
    })}`
  const openConsent = async () => {
    const { response, url } = await browser.open(authorizeUrl())
    const csrf = /name="csrf" value="([^"]+)"/.exec(await response.text())?.[1] ?? ''
    return { url, path: new URL(url).pathname, csrf }
  }
  const submit = ({ url, csrf }: { url: string; csrf: string }, decision: 'allow' | 'deny') =>
    browser.request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin },
      body: new URLSearchParams({ csrf, decision, account: user.accountId }).toString(),
    })
  const countGrants = async () => {
    const [row] = await server.app.owner<[{ count: number }]>`
      select count(*)::int as count from oauth_grants where user_id = ${user.userId}`
    return row.count
  }

  it('asks a user who signed in over ten minutes ago to confirm their identity, then returns', async () => {
    wait(10 * MINUTE)
    expect((await openConsent()).path).toMatch(/^\/v1\/interaction\//)
    wait(1)
    const { url } = await openConsent()
    const { pathname, searchParams } = new URL(url)
    expect([pathname, searchParams.get('next')]).toEqual([
      '/confirm',
      expect.stringMatching(/^\/v1\/interaction\/[\w-]+$/),
    ])
  })

  it('asks for confirmation when the page has been open for over ten minutes, and creates no grant until then', async () => {
    const consent = await openConsent()
    wait(10 * MINUTE + 1)
    const { status, headers } = await submit(consent, 'allow')
    expect([status, headers.get('location')]).toEqual([
      303,
      `/confirm?${new URLSearchParams({ next: consent.path })}`,
    ])
    expect(await countGrants()).toBe(0)
  })

  it('does not create a grant for a session that ends in the meantime, for example by a password reset', async () => {
    const consent = await openConsent()
    let submitted: Promise<Response> | undefined
    await server.app.db.auth.begin(async sql => {
      const [{ pid }] = await sql<[{ pid: number }]>`
        select pg_backend_pid() as pid from users where id = ${user.userId} for update`
      submitted = submit(consent, 'allow')
      await expect
        .poll(async () => {
          const [{ count }] = await server.app.owner<[{ count: number }]>`
            select count(*)::int as count from pg_stat_activity where ${pid} = any(pg_blocking_pids(pid))`
          return count
        })
        .toBe(1)
      await sql`delete from sessions where user_id = ${user.userId}`
    })
    expect((await submitted!).status).toBe(401)
    expect(await countGrants()).toBe(0)
  })

  it('can be denied without a recent sign-in', async () => {
    const consent = await openConsent()
    wait(60 * MINUTE)
    const { status, headers } = await submit(consent, 'deny')
    expect([status, new URL(headers.get('location')!).pathname]).toEqual([
      303,
      expect.stringMatching('authorize'),
    ])
  })
})
