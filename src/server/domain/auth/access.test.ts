import { randomUUIDv7 } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { aCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { addMember, setRole } from '../accounts/memberships.ts'
import { type Access, type AccessFinder, openAccess, resolveAccount } from './access.ts'
import { createApiToken, generateToken, revokeApiToken } from './stored-api-tokens.ts'

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

const aToken = async (options: { expiresAt?: Date; isReadOnly?: boolean } = {}) => {
  const owner = await aCaller(app)
  return {
    ...owner,
    ...(await createApiToken(app.db.auth, { userId: owner.userId, name: 'test', ...options })),
  }
}

/** The clock stands still, so that nothing can have grown too old: only being told makes it forget. */
const untilForgotten = (token: string) =>
  vi.waitFor(async () => expect(await access.find(token)).toBeUndefined(), 10_000)

describe('finding what a token opens', () => {
  it('gives the user and the accounts, the one joined first in front', async () => {
    const { token, userId, accountId, id } = await aToken({ isReadOnly: true })
    const other = await aCaller(app)
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

  it('finds nothing for other texts: no token, a mistyped one, one we never made, the secret of another', async () => {
    const { token } = await aToken()
    const [ovt, live, id] = token.split('_')
    for (const text of ['', 'x', token.slice(0, -1), generateToken(), `${ovt}_${live}_${id}_`]) {
      expect(await access.find(text)).toBeUndefined()
    }
    const impostor = generateToken()
    await app.owner`update api_tokens set prefix = ${impostor.slice(0, 17)} where prefix = ${token.slice(0, 17)}`
    expect(await access.find(impostor)).toBeUndefined()
  })

  it('knows a token the moment it is made', async () => {
    const { token } = await aToken()
    expect(await access.find(token)).toBeDefined()
  })

  it('refuses a token from the instant it expires, also one that is remembered', async () => {
    const { token } = await aToken({ expiresAt: later(1000) })
    app.setNow(later(999))
    expect(await access.find(token)).toBeDefined()
    app.setNow(later(1000))
    expect(await access.find(token)).toBeUndefined()
  })

  it('asks the database once for many requests at the same time', async () => {
    const { token } = await aToken()
    const found = await Promise.all(Array.from({ length: 100 }, () => access.find(token)))
    // Each answer of the database would be an object of its own.
    expect(found[0]).toBeDefined()
    expect(new Set(found).size).toBe(1)
  })

  it('passes on that the database is away, instead of calling the token wrong', async () => {
    const broken = await openTestApp()
    const finder = await openAccess(broken)
    const { userId } = await aCaller(broken)
    const { token } = await createApiToken(broken.db.auth, { userId, name: 'test' })
    await broken[Symbol.asyncDispose]()
    await expect(finder.find(token)).rejects.toMatchObject({ code: 'CONNECTION_ENDED' })
  })
})

describe('a change of what a token opens counts at once', () => {
  it('when the token is revoked', async () => {
    const { token, id } = await aToken()
    expect(await access.find(token)).toBeDefined()
    await revokeApiToken(app.db.auth, id)
    await untilForgotten(token)
  })

  it('when another program revokes it in the database', async () => {
    const { token, id } = await aToken()
    expect(await access.find(token)).toBeDefined()
    await app.owner`update api_tokens set revoked_at = now() where id = ${id}`
    await untilForgotten(token)
  })

  it('when the role changes', async () => {
    const { token, userId, accountId } = await aToken()
    const second = await aCaller(app, 'owner', accountId)
    expect(second.accountId).toBe(accountId)
    expect((await access.find(token))?.memberships[0]?.role).toBe('owner')
    const { email } = (await app.owner<{ email: string }[]>`select email from users where id = ${userId}`)[0]!
    await setRole(app.db.auth, { accountId, email, role: 'viewer' }, { actor: 'test' })
    await vi.waitFor(
      async () => expect((await access.find(token))?.memberships[0]?.role).toBe('viewer'),
      10_000,
    )
  })

  it('when the listening connection broke: it forgets as it listens again', async () => {
    // What was told of the tests before may come in between.
    const token = await vi.waitFor(async () => {
      const { token, id } = await aToken()
      expect(await access.find(token)).toBeDefined()
      await app.owner`alter table api_tokens disable trigger access_changed`
      await revokeApiToken(app.db.auth, id)
      await app.owner`alter table api_tokens enable trigger access_changed`
      expect(await access.find(token)).toBeDefined()
      return token
    }, 10_000)
    const killed = await app.owner`
      select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and query ilike 'listen%'`
    expect(killed).toHaveLength(1)
    await untilForgotten(token)
  })

  it('after a second at the latest, without any notification, and when the clock is set back', async () => {
    for (const at of [later(1000), later(-3_600_000)]) {
      app.setNow(NOW)
      const { token, id } = await aToken()
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

  it('is written once a minute, whatever the number of requests, and forgets nobody', async () => {
    const finder = await openAccess(app)
    const { token, id } = await aToken()
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

  it('is not written for a token that is refused', async () => {
    const { token, id } = await aToken({ expiresAt: NOW })
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
    ['the only one without a header', open(one), undefined, one, 'owner'],
    ['the only one, named', open(one), one, one, 'owner'],
    ['one of several, named', open(one, two), two, two, 'viewer'],
    ['one named in capitals', open(one, two), two.toUpperCase(), two, 'viewer'],
  ])('is %s', (_case, access, header, accountId, role) => {
    expect(resolveAccount(access, header)).toEqual({
      accountId,
      userId: 'u',
      role,
      actor: 'token:t',
      isReadOnly: false,
    })
  })

  it('is the one joined first for a session that names none', () => {
    const session = { ...open(one, two), by: 'session' } as const
    expect(resolveAccount(session, undefined)).toMatchObject({ accountId: one, actor: 'session:t' })
    expect(resolveAccount(session, two)).toMatchObject({ accountId: two, role: 'viewer' })
  })

  it.each<[string, Access, string | undefined, RegExp]>([
    ['several accounts without a header', open(one, two), undefined, /several accounts/],
    ['an account of others', open(one), two, /names no account of yours/],
    ['an account of others, with several of its own', open(one, two), randomUUIDv7(), /no account of yours/],
    ['what is no id', open(one), "' or 1=1", /names no account of yours/],
    ['a user in no account', open(), undefined, /is in no account/],
    ['a user in no account who names one', open(), one, /is in no account/],
  ])('is refused as Unauthorized for %s', (_case, access, header, reason) => {
    expect(() => resolveAccount(access, header)).toThrow(
      expect.objectContaining({ code: 'Unauthorized', message: expect.stringMatching(reason) }),
    )
  })
})
