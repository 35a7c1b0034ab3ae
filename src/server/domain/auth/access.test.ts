import { randomUUIDv7 } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { addMember, setRole } from '../accounts/memberships.ts'
import { type Access, type AccessFinder, openAccess, resolveAccount } from './access.ts'
import { generateToken } from './api-token-format.ts'
import { createApiToken, revokeApiToken } from './stored-api-tokens.ts'

const NOW = new Date('2026-11-21T09:00:00Z')
const later = (ms: number) => new Date(NOW.getTime() + ms)

let app: TestApp
let access: AccessFinder
beforeAll(async () => {
  app = await openTestApp()
  app.setNow(NOW)
  access = await openAccess(app)
})
afterEach(() => app.setNow(NOW))
afterAll(async () => {
  await access[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

const makeToken = async (options: { expiresAt?: Date; isReadOnly?: boolean } = {}) => {
  const owner = await makeCaller(app)
  return {
    ...owner,
    ...(await createApiToken(app.db.auth, { userId: owner.userId, name: 'test', ...options })),
  }
}

/** Waits until the token leaves the cache. The clock is stopped, so only a notification can evict it. */
const waitUntilEvicted = (token: string) =>
  vi.waitFor(async () => expect(await access.find(token)).toBeUndefined(), 10_000)

describe('finding the access of a token', () => {
  it('returns the user and the accounts, in the order in which the user joined them', async () => {
    const { token, userId, accountId, id } = await makeToken({ isReadOnly: true })
    const other = await makeCaller(app)
    const { email } = (await app.owner<{ email: string }[]>`select email from users where id = ${userId}`)[0]!
    await addMember(app.db.auth, { accountId: other.accountId, email, role: 'viewer' }, { actor: 'test' })
    expect(await access.find(token)).toEqual({
      by: 'token',
      id,
      userId,
      isReadOnly: true,
      memberships: [
        { accountId, role: 'owner' },
        { accountId: other.accountId, role: 'viewer' },
      ],
    })
  })

  it('finds nothing for a malformed, mistyped or unknown token, or a prefix with the wrong secret', async () => {
    const { token } = await makeToken()
    const [ovt, live, id] = token.split('_')
    for (const text of ['', 'x', token.slice(0, -1), generateToken(), `${ovt}_${live}_${id}_`]) {
      expect(await access.find(text)).toBeUndefined()
    }
    const impostor = generateToken()
    await app.owner`update api_tokens set prefix = ${impostor.slice(0, 17)} where prefix = ${token.slice(0, 17)}`
    expect(await access.find(impostor)).toBeUndefined()
  })

  it('finds a token as soon as it is created', async () => {
    const { token } = await makeToken()
    expect(await access.find(token)).toBeDefined()
  })

  it('rejects a token from the moment it expires, even when it is cached', async () => {
    const { token } = await makeToken({ expiresAt: later(1000) })
    app.setNow(later(999))
    expect(await access.find(token)).toBeDefined()
    app.setNow(later(1000))
    expect(await access.find(token)).toBeUndefined()
  })

  it('queries the database once for many concurrent requests', async () => {
    const { token } = await makeToken()
    const found = await Promise.all(Array.from({ length: 100 }, () => access.find(token)))
    // Each query would return an object of its own.
    expect(found[0]).toBeDefined()
    expect(new Set(found).size).toBe(1)
  })

  it('rethrows a database error instead of rejecting the token', async () => {
    const broken = await openTestApp()
    const finder = await openAccess(broken)
    const { userId } = await makeCaller(broken)
    const { token } = await createApiToken(broken.db.auth, { userId, name: 'test' })
    await broken[Symbol.asyncDispose]()
    await expect(finder.find(token)).rejects.toMatchObject({ code: 'CONNECTION_ENDED' })
  })
})

describe('the cached access of a token', () => {
  it('ends when the token is revoked', async () => {
    const { token, id } = await makeToken()
    expect(await access.find(token)).toBeDefined()
    await revokeApiToken(app.db.auth, id)
    await waitUntilEvicted(token)
  })

  it('ends when another program revokes the token in the database', async () => {
    const { token, id } = await makeToken()
    expect(await access.find(token)).toBeDefined()
    await app.owner`update api_tokens set revoked_at = now() where id = ${id}`
    await waitUntilEvicted(token)
  })

  it('changes when the role changes', async () => {
    const { token, userId, accountId } = await makeToken()
    const second = await makeCaller(app, 'owner', accountId)
    expect(second.accountId).toBe(accountId)
    expect((await access.find(token))?.memberships[0]?.role).toBe('owner')
    const { email } = (await app.owner<{ email: string }[]>`select email from users where id = ${userId}`)[0]!
    await setRole(app.db.auth, { accountId, email, role: 'viewer' }, { actor: 'test' })
    await vi.waitFor(
      async () => expect((await access.find(token))?.memberships[0]?.role).toBe('viewer'),
      60_000,
    )
  })

  it('is cleared when the lost listening connection is restored', async () => {
    // Notifications from the previous tests may arrive in between.
    const token = await vi.waitFor(async () => {
      const { token, id } = await makeToken()
      expect(await access.find(token)).toBeDefined()
      await app.owner`alter table api_tokens disable trigger access_changed`
      await revokeApiToken(app.db.auth, id)
      await app.owner`alter table api_tokens enable trigger access_changed`
      expect(await access.find(token)).toBeDefined()
      return token
    }, 60_000)
    const killed = await app.owner`
      select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and query ilike 'listen%'`
    expect(killed).toHaveLength(1)
    await waitUntilEvicted(token)
  })

  it('expires within a second without any notification, and when the clock is set back', async () => {
    for (const at of [later(1000), later(-3_600_000)]) {
      app.setNow(NOW)
      const { token, id } = await makeToken()
      expect(await access.find(token)).toBeDefined()
      await app.owner`alter table api_tokens disable trigger access_changed`
      await revokeApiToken(app.db.auth, id)
      await app.owner`alter table api_tokens enable trigger access_changed`
      app.setNow(at)
      expect(await access.find(token)).toBeUndefined()
    }
  })
})

describe('the time of last use', () => {
  const lastUse = async (id: string) =>
    (await app.owner<{ at: Date | null }[]>`select last_used_at as at from api_tokens where id = ${id}`)[0]!
      .at

  it('is written once a minute, regardless of the number of requests', async () => {
    const finder = await openAccess(app)
    const { token, id } = await makeToken()
    for (const [at, expected] of [
      [0, 0],
      [1000, 0],
      [59_999, 0],
      [60_000, 60_000],
      [61_000, 60_000],
    ] as const) {
      app.setNow(later(at))
      await finder.find(token)
      await finder[Symbol.asyncDispose]()
      expect(await lastUse(id)).toEqual(later(expected))
    }
    expect(await access.find(token)).toBeDefined()
  })

  it('is not written for a rejected token', async () => {
    const { token, id } = await makeToken({ expiresAt: NOW })
    expect(await access.find(token)).toBeUndefined()
    await access[Symbol.asyncDispose]()
    expect(await lastUse(id)).toBeNull()
  })
})

describe('the account of a request', () => {
  const [one, two] = [randomUUIDv7(), randomUUIDv7()]
  const open = (...ids: string[]): Access => ({
    by: 'token',
    id: 't',
    userId: 'u',
    isReadOnly: false,
    memberships: ids.map((accountId, index) => ({ accountId, role: index === 0 ? 'owner' : 'viewer' })),
  })

  it.each<[string, Access, string | undefined, string, string]>([
    ['the only one when the header is missing', open(one), undefined, one, 'owner'],
    ['the only one when the header names it', open(one), one, one, 'owner'],
    ['the one of several that the header names', open(one, two), two, two, 'viewer'],
    ['the one that the header names in capitals', open(one, two), two.toUpperCase(), two, 'viewer'],
  ])('is %s', (_case, access, header, accountId, role) => {
    expect(resolveAccount(access, header)).toEqual({
      accountId,
      userId: 'u',
      role,
      actor: 'token:t',
      isReadOnly: false,
    })
  })

  it('is the one joined first for a session without the header', () => {
    const session = { ...open(one, two), by: 'session' } as const
    expect(resolveAccount(session, undefined)).toMatchObject({ accountId: one, actor: 'session:t' })
    expect(resolveAccount(session, two)).toMatchObject({ accountId: two, role: 'viewer' })
  })

  it.each<[string, Access, string | undefined, RegExp]>([
    ['several accounts without a header', open(one, two), undefined, /several accounts/],
    ["somebody else's account", open(one), two, /an account that you belong to/],
    [
      "somebody else's account, from a user with several accounts",
      open(one, two),
      randomUUIDv7(),
      /that you belong to/,
    ],
    ['a malformed account ID', open(one), "' or 1=1", /an account that you belong to/],
    ['a user without accounts', open(), undefined, /doesn't belong to any account/],
    ['a user without accounts who names one', open(), one, /doesn't belong to any account/],
  ])('is rejected as Unauthorized for %s', (_case, access, header, reason) => {
    expect(() => resolveAccount(access, header)).toThrow(
      expect.objectContaining({ code: 'Unauthorized', message: expect.stringMatching(reason) }),
    )
  })
})
