import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Caller, makeCaller } from '../../../../test/support/app.ts'
import { Browser } from '../../../../test/support/http/browser.ts'
import { connectBySdk } from '../../../../test/support/http/oauth-client.ts'
import { openTestServer, type TestServer } from '../../../../test/support/http/server.ts'
import { findFreePort } from '../../../../test/support/processes/ports.ts'
import { openAccess } from '../../domain/auth/access.ts'
import { openHttpServer } from '../../main.ts'
import { openRateLimits } from '../http/rate-limits.ts'

type Tokens = { access_token: string; refresh_token: string }

let server: TestServer
let origin: string
let browser: Browser
let user: Caller
/** Two servers that share only the database, the secret and the clock. */
let urls: string[]
const opened = new AsyncDisposableStack()
beforeAll(async () => {
  origin = `http://localhost:${await findFreePort()}`
  server = opened.use(await openTestServer({ PUBLIC_URL: origin }))
  const { app } = server
  const access = opened.use(await openAccess(app))
  const limits = opened.use(openRateLimits(app.config, app.log))
  const second = await openHttpServer(app, { access, limits })
  opened.defer(() => second.close())
  await second.listen({ port: 0, host: '127.0.0.1' })
  urls = [server.url, `http://127.0.0.1:${(second.server.address() as AddressInfo).port}`]
  user = await makeCaller(app)
  browser = new Browser(origin, await server.createCookie(user))
})
beforeEach(() => server.app.setNow(new Date()))
afterAll(() => opened[Symbol.asyncDispose]())

const connect = async () => {
  const { client, stored } = await connectBySdk(`${origin}/v1/mcp`, browser)
  await client.close()
  return { clientId: (stored.client as { client_id: string }).client_id, ...(stored.tokens as Tokens) }
}
const refresh = async (client_id: string, refresh_token: string, url = urls[0]!) => {
  const response = await fetch(`${url}/v1/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token }),
  })
  return { status: response.status, ...((await response.json()) as Tokens & { error?: string }) }
}
const getStatus = async (token: string) => {
  const accept = 'application/json, text/event-stream'
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } }
  const body = { jsonrpc: '2.0', id: 1, method: 'initialize', params }
  return (await server.request('POST', '/v1/mcp', { token, body, headers: { accept } })).status
}
const advance = (seconds: number) => server.app.setNow(new Date(server.app.now().getTime() + seconds * 1000))

describe('refresh token', () => {
  it('has one successor when many requests use it concurrently on several servers', async () => {
    const { clientId, refresh_token } = await connect()
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, i) => refresh(clientId, refresh_token, urls[i % 2])),
    )
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
    const successors = new Set(responses.map(response => response.refresh_token))
    expect(successors.size).toBe(1)
    expect(successors).not.toContain(refresh_token)
    for (const { access_token } of responses) expect(await getStatus(access_token)).toBe(200)
    const [stored] = await server.app.owner<{ count: number }[]>`
      select count(*)::int as count from oauth_records r
       where kind = 'RefreshToken' and consumed_at is null
         and grant_id = (select id from oauth_grants order by created_at desc limit 1)`
    expect(stored).toEqual({ count: 1 })
  })

  it('rotates on use, returns the same successor for two minutes, and revokes the grant when reused later', async () => {
    const { clientId, refresh_token } = await connect()
    const first = await refresh(clientId, refresh_token)
    const second = await refresh(clientId, first.refresh_token)
    advance(119)
    const again = await refresh(clientId, refresh_token, urls[1])
    expect(again).toMatchObject({ status: 200, refresh_token: first.refresh_token })
    expect(await refresh(clientId, first.refresh_token)).toMatchObject({
      status: 200,
      refresh_token: second.refresh_token,
    })
    advance(2)
    expect(await refresh(clientId, refresh_token)).toMatchObject({ status: 400, error: 'invalid_grant' })
    const [entry] = (await user.call('listAuditLog', {})).data
    expect(entry).toMatchObject({ action: 'disconnect', actor: `oauth:${entry!.auditedId}` })
    for (const token of [first, second, again]) {
      expect((await refresh(clientId, token.refresh_token)).status).toBe(400)
      expect(await getStatus(token.access_token)).toBe(401)
    }
  })

  it('revokes the grant when its owner and a thief both continue to use it', async () => {
    const { clientId, refresh_token } = await connect()
    const [owner, thief] = await Promise.all([1, 2].map(() => refresh(clientId, refresh_token)))
    const next = await refresh(clientId, owner!.refresh_token)
    advance(121)
    expect((await refresh(clientId, thief!.refresh_token)).status).toBe(400)
    expect((await refresh(clientId, next.refresh_token)).status).toBe(400)
    expect(await getStatus(next.access_token)).toBe(401)
  })

  it('stays valid when the server fails before it stores the successor', async () => {
    const { clientId, refresh_token } = await connect()
    const { owner } = server.app
    await owner.unsafe(`
      create function refuse_tokens() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
      create trigger refuse_tokens before insert on oauth_records
        for each row when (new.kind = 'RefreshToken') execute function refuse_tokens()`)
    expect((await refresh(clientId, refresh_token)).status).toBe(500)
    await owner.unsafe('drop trigger refuse_tokens on oauth_records; drop function refuse_tokens')
    const response = await refresh(clientId, refresh_token)
    expect(response.status).toBe(200)
    expect((await refresh(clientId, response.refresh_token)).status).toBe(200)
  })
})
