import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  killServer,
  makeScratch,
  openInChild,
  query,
  readServerPid,
  waitForExit,
} from '../../../test/support/db/postgres-processes.ts'
import { openPostgres } from './open-postgres.ts'
import { findServerAccount, toSpawnIdentity } from './server-account.ts'

let scratch: Awaited<ReturnType<typeof makeScratch>>

beforeAll(async () => {
  scratch = await makeScratch()
})
afterAll(async () => await scratch[Symbol.asyncDispose]())

describe('a new data folder', () => {
  it('becomes a durable, private UTF-8 database', async () => {
    const dataDir = join(scratch.dir, 'new')
    const messages: string[] = []
    await using server = await openPostgres({ dataDir, onProgress: message => messages.push(message) })
    const [settings] = await query(
      server.connection,
      `select current_setting('fsync') as fsync, current_setting('full_page_writes') as pages,
              current_setting('synchronous_commit') as commits, current_setting('data_checksums') as checksums,
              current_setting('listen_addresses') as network, current_setting('server_encoding') as encoding,
              current_database() as database, session_user as "user", lower('ÄÖ') as lower`,
    )
    expect(settings).toEqual({
      ...{ fsync: 'on', pages: 'on', commits: 'on', checksums: 'on', network: '', encoding: 'UTF8' },
      ...{ database: 'overture', user: 'overture_login', lower: 'äö' },
    })
    expect(server.version).toMatch(/^18\./)
    expect(messages).toEqual(['Creating the database folder…', 'Starting PostgreSQL…'])

    const guess = { ...server.connection, password: 'guess' }
    await expect(query(guess, 'select 1')).rejects.toThrow(/password/)
    const modes = ['password', 'run', 'cluster'].map(name => stat(join(dataDir, 'postgres', name)))
    expect((await Promise.all(modes)).map(({ mode }) => mode & 0o777)).toEqual([0o600, 0o700, 0o700])
  })

  it('gets one server when six processes open it at the same time', async () => {
    const dataDir = join(scratch.dir, 'six')
    const users = await Promise.all(Array.from({ length: 6 }, () => openInChild(dataDir)))
    const starts = await Promise.all(
      users.map(({ connection }) => query(connection, 'select pg_postmaster_start_time()::text as start')),
    )
    expect(new Set(starts.map(([row]) => row?.start)).size).toBe(1)
    const pid = readServerPid(dataDir)
    await Promise.all(users.map(user => user.close()))
    await waitForExit(pid)
  })

  it('gets a complete database after an earlier start was killed while creating it', async () => {
    const dataDir = join(scratch.dir, 'interrupted')
    const home = join(dataDir, 'postgres')
    const listTemporaryDirs = async () => (await readdir(home)).filter(name => name.startsWith('new-'))
    const isPartlyCreated = async () =>
      (await listTemporaryDirs()).some(name => existsSync(join(home, name, 'cluster/PG_VERSION')))
    const dies = openInChild(dataDir, {
      onProgress: async child => {
        while (!(await isPartlyCreated())) await sleep(5)
        child.kill('SIGKILL')
      },
    })
    await expect(dies).rejects.toThrow('exited before')
    expect(existsSync(join(home, 'cluster'))).toBe(false)

    await using server = await openPostgres({ dataDir })
    expect(await query(server.connection, 'select 1 as one')).toEqual([{ one: 1 }])
    expect(await listTemporaryDirs()).toEqual([])
  })
})

describe('a data folder in use', () => {
  let dataDir: string
  beforeAll(async () => {
    dataDir = join(scratch.dir, 'data')
    await using server = await openPostgres({ dataDir })
    await query(server.owner, 'create table notes (word text); grant select, insert on notes to public')
  })
  const note = (word: string) => `insert into notes values ('${word}')`
  const find = (word: string) => `select word from notes where word = '${word}'`

  it('keeps its data and leaves no process when it is closed', async () => {
    const first = await openPostgres({ dataDir })
    await query(first.connection, note('kept'))
    const pid = readServerPid(dataDir)
    await first[Symbol.asyncDispose]()
    await waitForExit(pid)

    await using second = await openPostgres({ dataDir })
    expect(await query(second.connection, find('kept'))).toHaveLength(1)
  })

  it('has one server for two processes, and the last process stops it', async () => {
    const other = await openInChild(dataDir)
    const pid = readServerPid(dataDir)
    const messages: string[] = []
    const server = await openPostgres({ dataDir, onProgress: message => messages.push(message) })
    expect([readServerPid(dataDir), messages]).toEqual([pid, []])
    await other.close()
    await query(server.connection, note('still open'))
    await server[Symbol.asyncDispose]()
    await waitForExit(pid)
  })

  it('opens while other processes open and close it', async () => {
    const openHere = async () => {
      await using server = await openPostgres({ dataDir })
      await query(server.connection, 'select 1')
    }
    const openElsewhere = async () => (await openInChild(dataDir)).close()
    await Promise.all([openHere(), openElsewhere(), openHere(), openElsewhere(), openHere()])
  })

  it('keeps committed data when its process is killed, and the next process joins the server', async () => {
    const killed = await openInChild(dataDir)
    await query(killed.connection, note('process killed'))
    const pid = readServerPid(dataDir)
    await killed.kill()
    const next = await openPostgres({ dataDir })
    expect(await query(next.connection, find('process killed'))).toHaveLength(1)
    expect(readServerPid(dataDir)).toBe(pid)
    await next[Symbol.asyncDispose]()
    await waitForExit(pid)
  })

  it('recovers after the server and the process that opened it were killed together', async () => {
    const killed = await openInChild(dataDir)
    await query(killed.connection, note('both killed'))
    killServer(dataDir)
    await killed.kill()
    await using next = await openPostgres({ dataDir })
    expect(await query(next.connection, find('both killed'))).toHaveLength(1)
  })

  it('restarts the server when it dies while in use', async () => {
    const back = Promise.withResolvers<void>()
    const onProgress = (message: string) => message === 'The database is running again.' && back.resolve()
    const server = await openPostgres({ dataDir, onProgress })
    await query(server.connection, note('server killed'))
    killServer(dataDir)
    await back.promise
    expect(await query(server.connection, find('server killed'))).toHaveLength(1)
    const pid = readServerPid(dataDir)
    await server[Symbol.asyncDispose]()
    await waitForExit(pid)
  })

  it('opens even if the process ID of its dead server belongs to another process', async () => {
    const killed = await openInChild(dataDir)
    await killed.kill()
    const pid = readServerPid(dataDir)
    killServer(dataDir)
    await waitForExit(pid)
    using stranger = spawn('sleep', ['60'], toSpawnIdentity(findServerAccount()))
    const pidFile = join(dataDir, 'postgres/cluster/postmaster.pid')
    await writeFile(pidFile, (await readFile(pidFile, 'utf8')).replace(/^\d+/, String(stranger.pid)))
    await using server = await openPostgres({ dataDir })
    expect(await query(server.connection, 'select 1 as one')).toEqual([{ one: 1 }])
  })
})
