import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises'
import { freemem } from 'node:os'
import { join } from 'node:path'
import { openPostgres } from '../../../src/server/postgres/open-postgres.ts'
import { asSuperuser } from './postgres-processes.ts'

/**
 * The embedded server for one test run, in a process of its own: it ends, and takes its folder along, when the run
 * lets go of it, however that happens. Signals meant for the run (Ctrl-C reaches both) must not cut that short.
 */
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
const over = new Promise(resolve => process.once('disconnect', resolve))

/** Ten times what a run of all tests holds at once. */
const ROOM_BYTES = 8 * 1024 ** 3

/**
 * In memory where there is room: a fifth of what a run takes is files of databases that live for seconds. Tests that
 * end PostgreSQL bring a server of their own, on the disk. Any account may enter both folders, as the one that
 * PostgreSQL runs as has to.
 */
async function findFolder(): Promise<string> {
  const memory = await statfs('/dev/shm').catch(() => undefined)
  const room = memory ? Math.min(memory.bavail * memory.bsize, freemem()) : 0
  return room > ROOM_BYTES ? '/dev/shm' : '/tmp'
}

await using opened = new AsyncDisposableStack()
const dir = await mkdtemp(join(await findFolder(), 'overture-test-'))
opened.defer(() => rm(dir, { recursive: true, force: true }))
await chmod(dir, 0o755)
const dataDir = join(dir, 'data')
const server = opened.use(await openPostgres({ dataDir }))
// Tests make databases of their own.
process.send?.(asSuperuser(server.connection, dataDir), undefined, undefined, () => {})
await over
