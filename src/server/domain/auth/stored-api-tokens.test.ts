import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { createApiToken, listApiTokens, revokeApiToken } from './stored-api-tokens.ts'

describe('API tokens', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await openTestApp()
  })
  afterAll(() => app[Symbol.asyncDispose]())

  it('are never stored in readable form, neither the whole token nor its secret', async () => {
    const { userId } = await makeCaller(app)
    const { token } = await createApiToken(app.db.auth, { userId, name: 'canary' })
    const secret = token.split('_')[3]!
    const tables = await app.owner<{ name: string }[]>`
      select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`
    expect(tables.map(table => table.name)).toContain('api_tokens')
    for (const { name } of tables) {
      const [found] = await app.owner`
        select count(*)::int as count from ${app.owner.identifier(name)} t
         where t::text like ${`%${secret}%`} or t::text like ${`%${Buffer.from(secret).toString('hex')}%`}`
      expect(found, name).toEqual({ count: 0 })
    }
  })

  it('are listed newest first', async () => {
    const { userId } = await makeCaller(app)
    const expiresAt = new Date('2027-01-01T00:00:00Z')
    const first = await createApiToken(app.db.auth, { userId, name: 'first' })
    await app.owner`update api_tokens set created_at = created_at - interval '1 second' where id = ${first.id}`
    const second = await createApiToken(app.db.auth, { userId, name: 'second', isReadOnly: true, expiresAt })
    const { revokedAt } = await revokeApiToken(app.db.auth, first.id)
    expect(await listApiTokens(app.db.auth, { userId })).toMatchObject([
      { id: second.id, name: 'second', isReadOnly: true, expiresAt, lastUsedAt: null, revokedAt: null },
      { id: first.id, name: 'first', isReadOnly: false, expiresAt: null, revokedAt },
    ])
    expect(second.token).toContain((await listApiTokens(app.db.auth, { userId }))[0]!.prefix)
  })

  it('are revoked idempotently; revoking an unknown token throws NotFound', async () => {
    const { userId } = await makeCaller(app)
    const { id } = await createApiToken(app.db.auth, { userId, name: 'x' })
    const once = await revokeApiToken(app.db.auth, id)
    expect(once.revokedIds).toEqual([id])
    expect(await revokeApiToken(app.db.auth, id)).toEqual({ ...once, revokedIds: [] })
    await expect(revokeApiToken(app.db.auth, userId)).rejects.toMatchObject({ code: 'NotFound' })
  })
})
