import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Caller, makeCaller } from '../../../../test/support/app.ts'
import { Browser } from '../../../../test/support/http/browser.ts'
import { openTestServer, type TestServer } from '../../../../test/support/http/server.ts'
import { findFreePort } from '../../../../test/support/processes/ports.ts'

const REDIRECT = 'https://client.example/callback'
const VERIFIER = 'a-verifier-that-is-long-enough-for-a-test-of-it'
const CHALLENGE = Buffer.from(
  await crypto.subtle.digest('SHA-256', new TextEncoder().encode(VERIFIER)),
).toString('base64url')

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

const authorizeUrl = () =>
  `${origin}/v1/authorize?${new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
  })}`
const openBrowser = async (user: Caller) => new Browser(origin, await server.createCookie(user))
const requestTokens = async (fields: Record<string, string>) => {
  const response = await fetch(`${server.url}/v1/token`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: clientId, ...fields }),
  })
  return {
    status: response.status,
    ...((await response.json()) as { access_token: string; refresh_token: string }),
  }
}
const connect = async (user: Caller, accountId?: string) => {
  const back = await (await openBrowser(user)).decide(authorizeUrl(), 'allow', accountId)
  return requestTokens({
    grant_type: 'authorization_code',
    code: new URL(back).searchParams.get('code')!,
    code_verifier: VERIFIER,
    redirect_uri: REDIRECT,
  })
}
const refresh = ({ refresh_token }: { refresh_token: string }) =>
  requestTokens({ grant_type: 'refresh_token', refresh_token })
const whoami = async ({ access_token: token }: { access_token: string }) => {
  const { status, text } = await server.request('POST', '/v1/mcp', {
    token,
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami', arguments: {} } },
    headers: { accept: 'application/json, text/event-stream' },
  })
  return { status, text }
}

/** Creates a user who owns one account and is a member of another. */
const makeUserInTwoAccounts = async () => {
  const user = await makeCaller(server.app)
  const second = await makeCaller(server.app)
  await server.app.db.auth`
    insert into members (account_id, user_id, role) values (${second.accountId}, ${user.userId}, 'member')`
  await server.app.owner`update accounts set name = 'Second & Co' where id = ${second.accountId}`
  return { user, second }
}
const remove = ({ userId }: Caller, by: Caller) => by.call('removeMember', { memberId: userId })

describe('connected app', () => {
  it('uses the account that the user selected on the consent page', async () => {
    const { user, second } = await makeUserInTwoAccounts()
    const page = await (await openBrowser(user)).open(authorizeUrl())
    const html = await page.response.text()
    expect([...html.matchAll(/<option value="([^"]+)">([^<]+)</g)].map(([, ...found]) => found)).toEqual([
      [user.accountId, 'Acme'],
      [second.accountId, 'Second &#38; Co'],
    ])
    const suggested = await connect(user)
    const chosen = await connect(user, second.accountId)
    expect((await whoami(suggested)).text).toContain(user.accountId)
    expect((await whoami(chosen)).text).toContain(second.accountId)
    expect((await whoami(await refresh(chosen))).text).toContain(second.accountId)
    const apps = (await user.call('listConnectedApps', {})).data
    expect(apps.map(({ accountId }) => accountId)).toEqual([second.accountId, user.accountId])
    const audited = (await second.call('listAuditLog', {})).data
    expect(audited[0]).toMatchObject({ action: 'connect', auditedId: apps[0]!.id })
  })

  it('cannot use an account that the user is not a member of', async () => {
    const { user, second } = await makeUserInTwoAccounts()
    const stranger = await makeCaller(server.app)
    for (const accountId of [stranger.accountId, 'nonsense', '']) {
      const { response, leadsTo } = await (await openBrowser(user)).answer(authorizeUrl(), 'allow', accountId)
      expect([response.status, leadsTo]).toEqual([409, undefined])
    }
    const browser = await openBrowser(user)
    const page = await browser.open(authorizeUrl())
    const csrf = /name="csrf" value="([^"]+)"/.exec(await page.response.text())![1]!
    await remove(user, second)
    const late = await browser.request(page.url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin },
      body: new URLSearchParams({ csrf, decision: 'allow', account: second.accountId }).toString(),
    })
    expect(late.status).toBe(409)
    expect((await user.call('listConnectedApps', {})).data).toEqual([])
  })

  it('loses its grant when the membership ends and does not regain it when the user rejoins', async () => {
    const { user, second } = await makeUserInTwoAccounts()
    const kept = await connect(user)
    const ending = await connect(user, second.accountId)
    const [app] = (await user.call('listConnectedApps', {})).data
    await remove(user, second)
    await vi.waitFor(async () => expect((await whoami(ending)).status).toBe(401))
    expect((await refresh(ending)).status).toBe(400)
    expect((await whoami(kept)).text).toContain(user.accountId)
    expect(
      (await second.call('listAuditLog', {})).data.map(({ action, auditedId }) => [action, auditedId]),
    ).toEqual(expect.arrayContaining([['disconnect', app!.id]]))
    expect((await user.call('listConnectedApps', {})).data.map(({ accountId }) => accountId)).toEqual([
      user.accountId,
    ])
    await server.app.db.auth`
      insert into members (account_id, user_id, role) values (${second.accountId}, ${user.userId}, 'owner')`
    await user.call('listConnectedApps', {})
    expect((await whoami(ending)).status).toBe(401)
    expect((await refresh(ending)).status).toBe(400)
  })

  it('does not move to another account when the user leaves the first one', async () => {
    const { user, second } = await makeUserInTwoAccounts()
    const tokens = await connect(user)
    expect((await whoami(tokens)).text).toContain(user.accountId)
    await makeCaller(server.app, 'owner', user.accountId).then(other => remove(user, other))
    await vi.waitFor(async () => expect((await whoami(tokens)).status).toBe(401))
    expect((await whoami(tokens)).text).not.toContain(second.accountId)
    expect((await refresh(tokens)).status).toBe(400)
  })

  it('loses its grant in the transaction that deletes the membership', async () => {
    const { user, second } = await makeUserInTwoAccounts()
    await connect(user, second.accountId)
    const rolledBack = new Error('rolled back')
    const readRevoked = (sql = server.app.db.auth) => sql<{ isRevoked: boolean }[]>`
      select revoked_at is not null as "isRevoked" from oauth_grants where account_id = ${second.accountId}`
    await server.app.db.auth
      .begin(async sql => {
        await sql`delete from members where account_id = ${second.accountId} and user_id = ${user.userId}`
        expect(await readRevoked(sql as never)).toEqual([{ isRevoked: true }])
        throw rolledBack
      })
      .catch(error => expect(error).toBe(rolledBack))
    expect(await readRevoked()).toEqual([{ isRevoked: false }])
  })
})
