import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises'
import { freemem } from 'node:os'
import { join } from 'node:path'
import { openPostgres } from '../../../src/server/postgres/open-postgres.ts'
import { asSuperuser } from './postgres-processes.ts'

// Runs the embedded PostgreSQL of one test run in its own process. Stops PostgreSQL and deletes its folder when the run
// disconnects for any reason. Ignores signals, such as Ctrl-C, so that they don't interrupt the cleanup.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
const disconnected = new Promise(resolve => process.once('disconnect', resolve))

/** Four times the space that a run of all tests needs. */
const MIN_FREE_BYTES = 3 * 1024 ** 3

/**
 * Returns a folder in memory if enough memory is free, because on a slow disk each short-lived database costs seconds.
 * Tests that stop PostgreSQL use their own server on disk. The account that PostgreSQL runs as can access both folders.
 */
async function findFolder(): Promise<string> {
  const memory = await statfs('/dev/shm').catch(() => undefined)
  const freeBytes = memory ? Math.min(memory.bavail * memory.bsize, freemem()) : 0
  return freeBytes > MIN_FREE_BYTES ? '/dev/shm' : '/tmp'
}

await using opened = new AsyncDisposableStack()
const dir = await mkdtemp(join(await findFolder(), 'overture-test-'))
opened.defer(() => rm(dir, { recursive: true, force: true }))
await chmod(dir, 0o755)
const dataDir = join(dir, 'data')
const server = opened.use(await openPostgres({ dataDir }))
// Tests create their own databases, which only the superuser can do.
process.send?.(asSuperuser(server.connection, dataDir), undefined, undefined, () => {})
await disconnected
