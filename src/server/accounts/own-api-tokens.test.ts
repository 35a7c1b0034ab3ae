import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aCaller, openTestApp, type TestApp } from '../../../test/support/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

/** Some that work, one that was revoked and one that expired. */
async function withTokens(count: number) {
  const caller = await aCaller(app)
  await app.owner`
    insert into api_tokens (id, user_id, name, prefix, token_hash, revoked_at, expires_at)
    select gen_random_uuid(), ${caller.userId}, 'Token', gen_random_uuid()::text, sha256(gen_random_uuid()::text::bytea),
           case i when 1 then now() end, case i when 2 then now() end
      from generate_series(1, ${count + 2}::int) i`
  return caller
}

describe('API tokens of one user', () => {
  it('are a hundred that work at most, also when several are made at once', async () => {
    const { call } = await withTokens(99)
    const create = () => call('createApiToken', { name: 'One more' })
    const outcomes = await Promise.allSettled([create(), create(), create()])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
    const message = 'You have 100 API tokens already. Revoke one first.'
    await expect(create()).rejects.toMatchObject({ code: 'Conflict', message })
    const { data } = await call('listApiTokens', { limit: 1 })
    await call('revokeApiToken', { apiTokenId: data[0]!.id })
    expect(await create()).toMatchObject({ name: 'One more' })
  })

  it('take no room from those of another user', async () => {
    await withTokens(100)
    const { call } = await aCaller(app)
    expect(await call('createApiToken', { name: 'First' })).toMatchObject({ name: 'First' })
    expect((await call('listApiTokens', {})).data).toHaveLength(1)
  })
})
