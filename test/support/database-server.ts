import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openPostgres } from '../../src/server/postgres/open-postgres.ts'

/**
 * The embedded server for one test run, in a process of its own: it ends, and takes its folder along, when the run
 * lets go of it, however that happens. Signals meant for the run (Ctrl-C reaches both) must not cut that short.
 */
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
const over = new Promise(resolve => process.once('disconnect', resolve))

await using opened = new AsyncDisposableStack()
// Below /tmp, because the account that PostgreSQL runs as has to get there.
const dir = await mkdtemp('/tmp/overture-test-')
opened.defer(() => rm(dir, { recursive: true, force: true }))
await chmod(dir, 0o755)
const server = opened.use(await openPostgres({ dataDir: join(dir, 'data') }))
process.send?.(server.connection, undefined, undefined, () => {})
await over
