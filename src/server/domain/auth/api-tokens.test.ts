import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Caller,
  createCaller,
  makeCaller,
  openTestApp,
  type TestApp,
} from '../../../../test/support/app.ts'
import { openAccess } from './access.ts'
import { createApiToken } from './stored-api-tokens.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

/** Creates a user with `count` active tokens, a revoked one and an expired one. */
async function makeCallerWithTokens(count: number) {
  const caller = await makeCaller(app)
  await app.owner`
    insert into api_tokens (id, user_id, name, prefix, token_hash, revoked_at, expires_at)
    select gen_random_uuid(), ${caller.userId}, 'Token', gen_random_uuid()::text, sha256(gen_random_uuid()::text::bytea),
           case i when 1 then now() end, case i when 2 then now() end
      from generate_series(1, ${count + 2}::int) i`
  return caller
}

describe("a user's API tokens", () => {
  it('are limited to a hundred active tokens, even when several are created concurrently', async () => {
    const { call } = await makeCallerWithTokens(99)
    const create = () => call('createApiToken', { name: 'One more' })
    const outcomes = await Promise.allSettled([create(), create(), create()])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
    const message = 'You already have 100 API tokens. Revoke one first.'
    await expect(create()).rejects.toMatchObject({ code: 'Conflict', message })
    const { data } = await call('listApiTokens', { limit: 1 })
    await call('revokeApiToken', { apiTokenId: data[0]!.id })
    expect(await create()).toMatchObject({ name: 'One more' })
  })

  it("don't count toward another user's limit", async () => {
    await makeCallerWithTokens(100)
    const { call } = await makeCaller(app)
    expect(await call('createApiToken', { name: 'First' })).toMatchObject({ name: 'First' })
    expect((await call('listApiTokens', {})).data).toHaveLength(1)
  })
})

/** Returns the same user, acting with the given token or session. */
const actAs = ({ context }: Caller, actor: string) =>
  createCaller(app, { ...context, actor, authenticatedAt: app.now() })

describe('a new API token', () => {
  const NOW = new Date('2026-11-24T11:00:00.000Z')
  const END = '2026-12-24T11:00:00.000Z'
  const LATER = '2026-12-24T11:00:00.001Z'

  it('expires with its parent and cannot be created with a later expiry', async () => {
    const caller = await makeCaller(app)
    app.setNow(NOW)
    const parent = await caller.call('createApiToken', { name: 'CI', expiresAt: END })
    const { call } = actAs(caller, `token:${parent.id}`)
    expect(await call('createApiToken', { name: 'Job' })).toMatchObject({
      parentId: parent.id,
      expiresAt: END,
    })
    const short = '2026-11-25T11:00:00.000Z'
    expect(await call('createApiToken', { name: 'Job', expiresAt: short })).toMatchObject({
      expiresAt: short,
    })
    await expect(call('createApiToken', { name: 'Job', expiresAt: LATER })).rejects.toMatchObject({
      code: 'ValidationError',
      details: [{ path: 'expiresAt', message: expect.stringContaining(END) }],
    })
  })

  it('is revoked with any of its ancestors and appears in the audit log of every account', async () => {
    const caller = await makeCaller(app)
    const first = await caller.call('createApiToken', { name: 'First' })
    const second = await actAs(caller, `token:${first.id}`).call('createApiToken', { name: 'Second' })
    const third = await actAs(caller, `token:${second.id}`).call('createApiToken', { name: 'Third' })
    const unrelated = await caller.call('createApiToken', { name: 'Unrelated' })
    await using access = await openAccess(app)
    const isAlive = async ({ token }: { token: string }) => (await access.find(token)) !== undefined
    expect(await Promise.all([first, second, third, unrelated].map(isAlive))).toEqual([
      true,
      true,
      true,
      true,
    ])
    await caller.call('revokeApiToken', { apiTokenId: first.id })
    await expect.poll(() => isAlive(third)).toBe(false)
    expect(await Promise.all([first, second, third, unrelated].map(isAlive))).toEqual([
      false,
      false,
      false,
      true,
    ])
    const { data } = await caller.call('listAuditLog', { limit: 3 })
    expect(data.map(({ action, auditedId }) => [action, auditedId]).sort()).toEqual(
      [first, second, third].map(({ id }) => ['revoke', id]).sort(),
    )
  })

  it('is not created if the token or session was revoked while the request was in flight', async () => {
    const caller = await makeCaller(app)
    const { id } = await createApiToken(app.db.auth, { userId: caller.userId, name: 'Parent' })
    await caller.call('revokeApiToken', { apiTokenId: id })
    for (const actor of [`token:${id}`, `session:${id}`]) {
      await expect(actAs(caller, actor).call('createApiToken', { name: 'Orphan' })).rejects.toMatchObject({
        code: 'Unauthorized',
      })
    }
    expect((await caller.call('listApiTokens', {})).data.map(({ name }) => name)).toEqual(['Parent'])
  })

  it('cannot be created by a connected application', async () => {
    const caller = await makeCaller(app)
    await expect(
      actAs(caller, 'oauth:Assistant').call('createApiToken', { name: 'Mine' }),
    ).rejects.toMatchObject({ code: 'Forbidden' })
  })

  it('is revoked with its parent even when it is created at the same time', async () => {
    const caller = await makeCaller(app)
    for (let round = 0; round < 10; round++) {
      const { id } = await caller.call('createApiToken', { name: 'Parent' })
      await Promise.allSettled([
        actAs(caller, `token:${id}`).call('createApiToken', { name: 'Child' }),
        caller.call('revokeApiToken', { apiTokenId: id }),
      ])
    }
    const { data } = await caller.call('listApiTokens', {})
    expect(data.filter(({ revokedAt }) => revokedAt === undefined)).toEqual([])
  })
})
