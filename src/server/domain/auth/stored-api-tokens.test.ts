import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import {
  createApiToken,
  generateToken,
  listApiTokens,
  parseToken,
  revokeApiToken,
} from './stored-api-tokens.ts'

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_'

describe('the format of a token', () => {
  it('is as published, and no token is generated twice', () => {
    const tokens = Array.from({ length: 2000 }, generateToken)
    for (const token of tokens)
      expect(token).toMatch(/^ovt_live_[0-9A-Za-z]{8}_[0-9A-Za-z]{30}_[0-9A-Za-z]{6}$/)
    expect(new Set(tokens).size).toBe(tokens.length)
    for (const token of tokens) expect(parseToken(token)).toBeDefined()
  })

  it('uses every letter of its alphabet about equally often', () => {
    const counts = new Map<string, number>()
    for (let i = 0; i < 4000; i++) {
      for (const letter of generateToken().split('_')[3]!) counts.set(letter, (counts.get(letter) ?? 0) + 1)
    }
    const expected = (4000 * 30) / 62
    // Six standard deviations of a binomial: a fair source fails about once in ten million runs.
    const tolerance = 6 * Math.sqrt(expected)
    expect(counts.size).toBe(62)
    for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(tolerance)
  })

  it('is wrong if any single character is replaced or missing', () => {
    const token = generateToken()
    for (let i = 0; i < token.length; i++) {
      for (const letter of [...letters, ' ', '\n', 'é', '😀', '']) {
        const typo = token.slice(0, i) + letter + token.slice(i + 1)
        if (typo !== token) expect(parseToken(typo), typo).toBeUndefined()
      }
    }
  })

  it('is wrong if two neighbours are swapped, a character is doubled or text surrounds it', () => {
    for (let round = 0; round < 50; round++) {
      const token = generateToken()
      for (let i = 0; i < token.length; i++) {
        const swapped = token.slice(0, i) + (token[i + 1] ?? '') + token[i] + token.slice(i + 2)
        if (swapped !== token) expect(parseToken(swapped), swapped).toBeUndefined()
        expect(parseToken(token.slice(0, i) + token[i] + token.slice(i))).toBeUndefined()
      }
      for (const around of [` ${token}`, `${token} `, `${token}\n`, `Bearer ${token}`]) {
        expect(parseToken(around)).toBeUndefined()
      }
    }
  })

  it('is checked without throwing for arbitrary text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), text => parseToken(text) === undefined))
  })
})

describe('stored tokens', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await openTestApp()
  })
  afterAll(() => app[Symbol.asyncDispose]())

  it('appear nowhere in the database, neither whole nor as their secret', async () => {
    const { userId } = await aCaller(app)
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

  it('are listed newest first, several for one user', async () => {
    const { userId } = await aCaller(app)
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

  it('are revoked idempotently; revoking an unknown one throws NotFound', async () => {
    const { userId } = await aCaller(app)
    const { id } = await createApiToken(app.db.auth, { userId, name: 'x' })
    const once = await revokeApiToken(app.db.auth, id)
    expect(once.revokedIds).toEqual([id])
    expect(await revokeApiToken(app.db.auth, id)).toEqual({ ...once, revokedIds: [] })
    await expect(revokeApiToken(app.db.auth, userId)).rejects.toMatchObject({ code: 'NotFound' })
  })
})
