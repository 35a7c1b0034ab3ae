import { randomUUIDv7 } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createCaller, openTestApp, type TestApp } from '../../test/support/app.ts'
import { listApiTokens, revokeApiToken } from '../server/domain/auth/stored-api-tokens.ts'
import { verifyPassword } from '../server/protocols/passwords/hash-password.ts'
import { demoPassword } from './data/accounts.ts'
import { openDemo } from './demo.ts'

let app: TestApp
beforeEach(async () => {
  app = await openTestApp()
})
afterEach(() => app[Symbol.asyncDispose]())

const open = (testApp: TestApp = app) =>
  openDemo({ app: testApp, dataDir: testApp.dataDir, [Symbol.asyncDispose]: async () => {} })

/** Returns the number of rows in each table. */
async function countRows({ owner }: TestApp): Promise<Record<string, number>> {
  const tables = await owner<{ name: string }[]>`
    select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`
  const counts = tables.map(async ({ name }) => {
    const [row] = await owner<{ count: number }[]>`select count(*)::int from ${owner.identifier(name)}`
    return [name, row!.count] as const
  })
  return Object.fromEntries(await Promise.all(counts))
}

describe('the demo', () => {
  it('seeds the database once, even when opened repeatedly and concurrently', async () => {
    const [first, second] = await Promise.all([open(), open()])
    const rows = await countRows(app)
    expect(rows).toMatchObject({ accounts: 2, users: 6, members: 7, reps: 5 })
    expect(second.info.campaignId).toBe(first.info.campaignId)

    const third = await open()
    expect(await countRows(app)).toEqual(rows)
    expect(third.formatInstructions('http://localhost:4400')).toBe(
      (await open()).formatInstructions('http://localhost:4400'),
    )
  })

  it('seeds each account completely or not at all, and retries after a failure', async () => {
    await app.owner`
      create function fail() returns trigger language plpgsql as $$ begin raise exception 'interrupted'; end $$`
    await app.owner`create trigger fail before insert on linkedin_messages execute function fail()`
    await expect(open()).rejects.toThrow('interrupted')
    expect(await countRows(app)).toMatchObject({ campaigns: 0, persons: 0, email_messages: 0, audit_log: 0 })

    await app.owner`drop trigger fail on linkedin_messages`
    await open()
    await using whole = await openTestApp()
    await open(whole)
    const { api_tokens: _, ...expected } = await countRows(whole)
    expect(await countRows(app)).toMatchObject(expected)
  })

  it('has call requests that can be approved', async () => {
    await open()
    const [owner] = await app.owner<{ accountId: string; userId: string }[]>`
      select account_id as "accountId", requested_by_id as "userId" from call_requests limit 1`
    const { call } = createCaller(app, { ...owner!, role: 'owner', actor: 'session:1', isReadOnly: false })
    const { data } = await call('listCallRequests', { status: 'waiting' })
    expect(data.length).toBeGreaterThan(1)
    for (const { id, ...request } of data) {
      const { callId } = await call('approveCallRequest', { callRequestId: id })
      expect(await call('getCall', { callId: callId! })).toMatchObject({
        to: request.phoneNumber,
        personName: request.name,
        prospectId: request.prospectId,
      })
    }
  })

  it('has open tasks that can be completed', async () => {
    await open()
    const [owner] = await app.owner<{ accountId: string; userId: string }[]>`
      select account_id as "accountId", user_id as "userId" from members
       where role = 'owner' and account_id in (select account_id from tasks)`
    const { call } = createCaller(app, { ...owner!, role: 'owner', actor: 'session:1', isReadOnly: false })
    const { data } = await call('listTasks', { status: 'open' })
    expect(data.length).toBeGreaterThan(1)
    for (const { id: taskId, linkedinMessageId } of data) {
      await call('completeTask', { taskId })
      expect(await call('listLinkedinMessages', { status: 'draft' })).not.toMatchObject({
        data: expect.arrayContaining([expect.objectContaining({ id: linkedinMessageId })]),
      })
    }
  })

  it('seeds every database with the same data', async () => {
    app.setNow('2026-11-21T09:00:00.000Z')
    await open()
    await using other = await openTestApp()
    other.setNow('2026-11-21T21:00:00.000Z')
    await open(other)
    const readPeople = ({ owner }: TestApp) => owner`
      select p.id, p.email, p.created_at, r.id as prospect, r.status, m.id as message, m.kind, m.created_at, m.body, m.tags
        from persons p
        left join prospects r on r.person_id = p.id
        left join email_messages m on m.prospect_id = r.id
       order by p.id, r.id, m.id`
    expect([...(await readPeople(other))]).toEqual([...(await readPeople(app))])
  })

  it('rejects a database with other accounts, because the demo password is public', async () => {
    await app.db.auth`insert into accounts (id, name) values (${randomUUIDv7()}, 'Analytical Ltd')`
    await expect(open()).rejects.toThrow(/Analytical Ltd.*--data DIR/)
    expect(await countRows(app)).toMatchObject({ accounts: 1, users: 0, api_tokens: 0 })
  })

  it('sets the published password for every user', async () => {
    await open()
    const users = await app.db.auth<{ hash: string }[]>`select password_hash as hash from users`
    const checks = await Promise.all(users.map(user => verifyPassword(user.hash, demoPassword)))
    expect(checks).toEqual(users.map(() => true))
  })

  it('keeps its tokens across starts and replaces a revoked one', async () => {
    const { tokens } = (await open()).info
    const [token] = (await listApiTokens(app.db.auth)).filter(({ email }) => email === 'viewer@demo.example')
    await revokeApiToken(app.db.auth, token!.id)
    const { tokens: later } = (await open()).info
    const { 'viewer@demo.example': revoked, ...others } = tokens
    expect(later).toMatchObject(others)
    expect(later['viewer@demo.example']).not.toBe(revoked)
  })
})
