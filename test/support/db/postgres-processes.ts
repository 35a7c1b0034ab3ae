import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openPool } from '../../../src/server/kernel/db/pool.ts'
import type { ConnectionOptions } from '../../../src/server/kernel/db/session.ts'
import type { SqlRow } from '../../../src/server/kernel/db/sql.ts'
import { SUPERUSER } from '../../../src/server/postgres/cluster-folder.ts'

/** Creates a folder below /tmp that any account can enter. Disposal kills the servers in the folder and deletes it. */
export const makeScratch = async (): Promise<AsyncDisposable & { dir: string }> => {
  const dir = await mkdtemp('/tmp/overture-test-')
  await chmod(dir, 0o755)
  return {
    dir,
    [Symbol.asyncDispose]: async () => {
      for (const path of globSync('**/postmaster.pid', { cwd: dir }))
        signal(readPid(join(dir, path)), 'SIGKILL')
      await rm(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
    },
  }
}

const readPid = (path: string): number => Number.parseInt(readFileSync(path, 'utf8'), 10)

export const readServerPid = (dataDir: string): number =>
  readPid(join(dataDir, 'postgres/cluster/postmaster.pid'))

const signal = (pid: number, name: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

export const killServer = (dataDir: string): void => {
  signal(readServerPid(dataDir), 'SIGKILL')
}

/** Stops the server like `pg_ctl stop -m immediate`; the next start recovers from the WAL. */
export const stopServerImmediately = (dataDir: string): void => {
  signal(readServerPid(dataDir), 'SIGQUIT')
}

/** Waits until a server process other than the stopped one accepts connections. Has no timeout. */
export const waitForRestart = async (dataDir: string, stoppedPid: number): Promise<void> => {
  // The last line of the file is the state, which pg_ctl reads too. The file exists only while a server runs.
  const isRestarted = async () => {
    const file = await readFile(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').catch(() => '')
    return Number.parseInt(file, 10) !== stoppedPid && file.trimEnd().endsWith('ready')
  }
  while (!(await isRestarted())) await sleep(20)
}

/** Resolves when the process has exited. Has no timeout. */
export const waitForExit = async (pid: number): Promise<void> => {
  while (signal(pid, 0)) await sleep(10)
}

/** Returns a superuser connection to the embedded server in this folder. The product never uses one at run time. */
export const asSuperuser = (connection: ConnectionOptions, dataDir: string): ConnectionOptions => ({
  ...connection,
  user: SUPERUSER,
  password: readFileSync(join(dataDir, 'postgres/password'), 'utf8'),
})

/** Runs one statement on the open server. */
export const query = async (connection: ConnectionOptions, statement: string): Promise<SqlRow[]> => {
  const sql = openPool({
    connection: { options: connection },
    max: 1,
    usesPreparedStatements: false,
    pipelinesBegin: false,
    settings: {},
    connectTimeoutMs: 15_000,
    responseTimeoutMs: 0,
  })
  try {
    return await sql.unsafe(statement)
  } finally {
    await sql.end()
  }
}

export type PostgresChild = {
  connection: ConnectionOptions
  close: () => Promise<void>
  /** Sends SIGKILL, so that the server can't clean up. */
  kill: () => Promise<void>
}

type Message = { progress?: string; opened?: { connection: ConnectionOptions }; failed?: string }

/** Opens the server in another process, optionally as another account. Rejects with the server's error. */
export const openInChild = async (
  dataDir: string,
  options: { account?: { uid: number; gid: number }; onProgress?: (child: ChildProcess) => void } = {},
): Promise<PostgresChild> => {
  const child = fork(join(import.meta.dirname, 'postgres-child.ts'), [dataDir], {
    ...options.account,
    cwd: '/',
    execArgv: [],
  })
  const ended = once(child, 'exit')
  const { promise, resolve, reject } = Promise.withResolvers<ConnectionOptions>()
  child.on('message', ({ progress, opened, failed }: Message) => {
    if (progress) options.onProgress?.(child)
    if (opened) resolve(opened.connection)
    if (failed) reject(new Error(failed))
  })
  ended.then(() => reject(new Error('The process exited before the server was open.')))
  const connection = await promise
  return {
    connection,
    close: async () => {
      child.send('close')
      await ended
    },
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
