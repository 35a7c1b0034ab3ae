import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../../test/support/db/database.ts'
import { openDatabaseProxy } from '../../../../test/support/db/database-proxy.ts'
import { connect, type Pool, type Sql, toDatabaseError } from './database.ts'
import { openPool as openPoolDirectly } from './pool.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

/** Opens a pool with one connection, over a network that can fail. */
async function openPool({ statementTimeoutMs = 60_000 } = {}) {
  const { proxy, ...through } = await openDatabaseProxy(database.connection)
  const sql: Pool = connect(through.connection, { max: 1, role: 'overture_app', statementTimeoutMs })
  return {
    sql,
    proxy,
    [Symbol.asyncDispose]: async () => {
      proxy.fault = undefined
      await sql.end({ timeoutMs: 0 })
      await through[Symbol.asyncDispose]()
    },
  }
}

/** Starts a statement and returns the process ID of its session. */
async function startStatement(sql: Sql): Promise<{ ended: Promise<unknown>; pid: number }> {
  const [session] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
  const { pid } = session!
  const ended = sql`select pg_sleep(600)`.catch(error => error)
  await vi.waitUntil(
    async () => {
      const [found] = await database.owner<{ query: string }[]>`
        select query from pg_stat_activity where pid = ${pid}`
      return found?.query === 'select pg_sleep(600)'
    },
    { timeout: 60_000, interval: 10 },
  )
  return { ended, pid }
}

/** Retries until the lost connection has ended, which takes a moment. */
const retry = <T>(work: () => PromiseLike<T>): Promise<T> =>
  vi.waitFor(async () => work(), { timeout: 60_000 })

const selectNine = (sql: Sql) => sql<{ n: number }[]>`select n from generate_series(1, 9) n order by n`

describe('a pool', () => {
  it('replaces old connections, even while all of them are idle', async () => {
    const sql = openPoolDirectly({
      ...{ connection: database.connection, max: 2, lifetimeMs: 200 },
      ...{ usesPreparedStatements: true, pipelinesBegin: false },
      ...{ settings: {}, connectTimeoutMs: 60_000, responseTimeoutMs: 60_000 },
    })
    const getPids = () => {
      const transactions = [1, 2]
      const { promise: bothOpen, resolve } = Promise.withResolvers<void>()
      return Promise.all(
        transactions.map(() =>
          sql.begin(async tx => {
            const [session] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`
            transactions.pop()
            if (transactions.length === 0) resolve()
            await bothOpen
            return session!.pid
          }),
        ),
      )
    }
    const first = await getPids()
    expect(new Set(first).size).toBe(2)
    await vi.waitUntil(
      async () => {
        const [open] = await database.owner<{ count: number }[]>`
          select count(*)::int from pg_stat_activity where pid = any(${first})`
        return open!.count === 0
      },
      { timeout: 60_000, interval: 20 },
    )
    for (const pid of await getPids()) expect(first).not.toContain(pid)
    await sql.end()
  })

  it('reports the database as unavailable while its login is refused', async () => {
    const { connection } = database
    const user = 'unknown_login'
    const unknown =
      'url' in connection
        ? { url: Object.assign(new URL(connection.url), { username: user }).href }
        : { options: { ...connection.options, user } }
    const sql = connect(unknown, { max: 1 })
    const error = await sql`select 1`.catch(error => error)
    await sql.end()
    expect(error).toMatchObject({ code: expect.stringMatching(/^28/) })
    expect(toDatabaseError(error)).toMatchObject({ code: 'ServiceUnavailable' })
  })
})

describe('a pool that loses a connection', () => {
  it('fails the pending statements and opens a new connection for the next one', async () => {
    await using pool = await openPool()
    const { sql, proxy } = pool
    const { ended } = await startStatement(sql)
    const queued = sql`select 1`.catch(error => error)
    proxy.resetAll()
    expect(await ended).toBeInstanceOf(Error)
    expect(await selectNine(sql)).toHaveLength(9)
    expect(await queued).toBeInstanceOf(Error)
  })

  it('never returns rows of an interrupted result with a later one', async () => {
    await using pool = await openPool()
    const { sql, proxy } = pool
    expect(await selectNine(sql)).toHaveLength(9)
    proxy.fault = { kind: 'cut_response', after: 'row 3 ' }
    const many = sql`select 'row ' || n || ' ' || repeat('.', 9000) as n from generate_series(1, 1000) n`
    await expect(many).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
    proxy.fault = undefined
    expect((await selectNine(sql)).map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  it('recovers from a loss during sign-in', async () => {
    await using pool = await openPool()
    const { sql, proxy } = pool
    proxy.fault = { kind: 'cut_response', after: 'server_version' }
    await expect(selectNine(sql)).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
    proxy.fault = undefined
    expect(await selectNine(sql)).toHaveLength(9)
  })

  it('fails the transaction, which sends nothing on the next connection', async () => {
    await using pool = await openPool()
    const { sql, proxy } = pool
    const resume = Promise.withResolvers<void>()
    let late: unknown
    const transaction = sql.begin(async tx => {
      await tx`select 1`
      proxy.resetAll()
      await resume.promise
      late = await tx`select set_config('application_name', 'somebody else''s', false)`.catch(error => error)
    })
    await expect(transaction).rejects.toMatchObject({ code: expect.stringMatching(/^(ECONN|CONNECTION)/) })
    await sql.begin(async other => {
      await other`select 1`
      resume.resolve()
      await vi.waitUntil(() => late !== undefined)
      const [session] = await other`select current_setting('application_name') as name`
      expect(session).toEqual({ name: 'overture overture_app' })
    })
    expect(late).toBeInstanceOf(Error)
  })

  it('recovers when the server terminates the session', async () => {
    await using pool = await openPool()
    const { sql } = pool
    const { ended, pid } = await startStatement(sql)
    await database.owner`select pg_terminate_backend(${pid})`
    const results = Promise.allSettled(Array.from({ length: 20 }, () => selectNine(sql)))
    expect(await ended).toBeInstanceOf(Error)
    for (const result of await results)
      if (result.status === 'fulfilled') expect(result.value).toHaveLength(9)
    expect(await retry(() => selectNine(sql))).toHaveLength(9)
  })
})

describe('a pool on a network that drops everything', () => {
  it('fails a statement on timeout and drops its connection', async () => {
    await using pool = await openPool({ statementTimeoutMs: 800 })
    const { sql, proxy } = pool
    expect(await selectNine(sql)).toHaveLength(9)
    proxy.fault = { kind: 'blackhole' }
    await expect(selectNine(sql)).rejects.toMatchObject({ code: 'RESPONSE_TIMEOUT' })
    proxy.fault = undefined
    expect(await retry(() => selectNine(sql))).toHaveLength(9)
  })

  it('fails a transaction on timeout, regardless of what it waits for', async () => {
    await using pool = await openPool({ statementTimeoutMs: 800 })
    const { sql, proxy } = pool
    const transaction = sql.begin(async tx => {
      proxy.fault = { kind: 'half_open' }
      await tx`select 1`
    })
    await expect(transaction).rejects.toMatchObject({ code: 'RESPONSE_TIMEOUT' })
    proxy.fault = undefined
    // The server ends a transaction that stays idle.
    const waiting = () => sql.begin(() => new Promise(() => undefined))
    await expect(retry(selectNine.bind(undefined, sql)).then(waiting)).rejects.toMatchObject({
      code: 'CONNECTION_CLOSED',
    })
    expect(await retry(() => selectNine(sql))).toHaveLength(9)
  })

  it('keeps an idle connection, whose statements still time out', async () => {
    await using pool = await openPool({ statementTimeoutMs: 2_000 })
    const { sql, proxy } = pool
    const pid = async () => (await sql`select pg_backend_pid() as pid`)[0]
    const before = await pid()
    await sleep(3_000)
    expect(await pid()).toEqual(before)
    await sleep(3_000)
    proxy.fault = { kind: 'blackhole' }
    await expect(selectNine(sql)).rejects.toMatchObject({ code: 'RESPONSE_TIMEOUT' })
  })
})

describe('the first statement of a transaction', () => {
  it('is sent along with begin', async () => {
    await using pool = await openPool()
    const { sql, proxy } = pool
    await database.owner`create sequence done`
    await database.owner`grant usage on sequence done to overture_app`
    const count = () => sql.begin(tx => tx`select nextval('done')`)
    expect(await count()).toEqual([{ nextval: 1n }])
    proxy.fault = { kind: 'cut_response', after: 'BEGIN' }
    await expect(count()).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
    proxy.fault = undefined
    const done = () => database.owner`select from done where last_value = 2`
    await vi.waitUntil(async () => (await done()).count === 1, { timeout: 60_000, interval: 10 })
  })

  it('sees no account when begin fails, and nothing is sent afterwards', async () => {
    await using pool = await openPool()
    const { sql } = pool
    const accountId = crypto.randomUUID()
    const readAccount = async (tx: Sql) => {
      const setting = tx`select set_config('app.account_id', ${accountId}, true)`.execute()
      const [rows] = await Promise.all([tx`select current_account_id() as id`, setting])
      return rows
    }
    expect(await sql.begin(readAccount)).toEqual([{ id: accountId }])
    const resume = Promise.withResolvers<void>()
    const seen: unknown[] = []
    const failed = sql.begin(async tx => {
      seen.push(await readAccount(tx))
      await resume.promise
      seen.push(await tx`select 2`.catch(error => error))
    }, 'nonsense')
    const other = sql.begin(async tx => {
      const before = await tx`select now()`
      resume.resolve()
      await failed.catch(() => undefined)
      return [before, await tx`select now()`]
    })
    await expect(failed).rejects.toMatchObject({ code: '42601' })
    await vi.waitUntil(() => seen.length === 2, { timeout: 60_000, interval: 10 })
    expect(seen).toMatchObject([[{ id: null }], { code: '42601' }])
    // The failed transaction did not roll back the concurrent one: `now()` is still the time at which the latter began.
    const [before, after] = await other
    expect(after).toEqual(before)
  })
})

describe('a transaction', () => {
  it('is not left open when its work fails immediately', async () => {
    await using pool = await openPool()
    const { sql } = pool
    for (const work of [
      () => Promise.reject(new Error('no')),
      (): never => {
        throw new Error('no')
      },
    ]) {
      await expect(sql.begin(work)).rejects.toThrow('no')
      const [before] = await sql`select now() as at`
      await expect.poll(async () => (await sql`select now() as at`)[0]).not.toEqual(before)
    }
  })

  it('rejects with its first error even if the work caught it, and rolls back', async () => {
    await using pool = await openPool()
    const { sql } = pool
    await database.owner`create table kept (n int)`
    await database.owner`grant insert, select on kept to overture_app`
    const work = async (tx: Sql) => {
      await tx`insert into kept values (1)`
      await tx`select 1 / 0`.catch(() => undefined)
      await tx`insert into kept values (2)`.catch(() => undefined)
    }
    await expect(sql.begin(work)).rejects.toMatchObject({ code: '22012' })
    expect(await sql`select from kept`).toHaveLength(0)
  })

  it('rejects statements after its end', async () => {
    await using pool = await openPool()
    let tx: Sql | undefined
    await pool.sql.begin(async given => {
      tx = given
    })
    await expect((async () => await tx!`select 1`)()).rejects.toThrow('The transaction has ended.')
  })

  it('has a connection to itself, while statements outside it share the other connections', async () => {
    const sql = connect(database.connection, { max: 2, role: 'overture_app' })
    const ready = Promise.withResolvers<void>()
    const transaction = sql.begin(async tx => {
      const [own] = await tx`select pg_backend_pid() as pid`
      await ready.promise
      return own!.pid
    })
    const pids = await Promise.all(Array.from({ length: 20 }, () => sql`select pg_backend_pid() as pid`))
    ready.resolve()
    const own = await transaction
    expect(new Set(pids.map(([row]) => row!.pid))).not.toContain(own)
    await sql.end()
  })
})

it('repeats a prepared statement that a schema change made stale', async () => {
  await using pool = await openPool()
  const { sql } = pool
  await database.owner`create table changed (n int)`
  await database.owner`grant select on changed to overture_app`
  const read = () => sql`select * from changed`
  expect(await read()).toEqual([])
  await database.owner`alter table changed add column m text`
  await database.owner`insert into changed values (1, 'a')`
  expect(await read()).toEqual([{ n: 1, m: 'a' }])
})
