import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseConnection } from '../../../src/server/kernel/db/database.ts'
import { findServerAccount, isRoot, toSpawnIdentity } from '../../../src/server/postgres/server-account.ts'
import { environment } from '../processes/environment.ts'
import { findFreePort, waitForListener } from '../processes/ports.ts'

export type PgBouncer = AsyncDisposable & { url: string }

/** Returns the `connect_query` from the operating guide. */
export const connectQuery = (role: string): string =>
  `set role ${role}; set statement_timeout = 30000; set idle_in_transaction_session_timeout = 30000; set jit = off`

/** Opens PgBouncer in transaction mode with this many sessions per role. */
export async function openPgBouncer(
  connection: DatabaseConnection,
  { sessions, createQuery = connectQuery }: { sessions: number; createQuery?: (role: string) => string },
): Promise<PgBouncer> {
  await using opened = new AsyncDisposableStack()
  const dir = await mkdtemp(join(tmpdir(), 'overture-pgbouncer-'))
  opened.defer(() => rm(dir, { recursive: true, force: true }))
  const port = await findFreePort()
  const server = toServer(connection)
  const databases = ['app', 'engine'].map(
    role => `pooled_${role} = ${server} connect_query='${createQuery(`overture_${role}`)}'`,
  )
  const file = join(dir, 'pgbouncer.ini')
  const settings = [
    `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =`,
    `auth_type = any\npool_mode = transaction\ndefault_pool_size = ${sessions}\nmax_client_conn = 200`,
  ]
  await writeFile(file, `[databases]\n${databases.join('\n')}\n[pgbouncer]\n${settings.join('\n')}\n`)
  // PgBouncer refuses to run as root.
  const account = findServerAccount()
  if (isRoot) {
    await chmod(dir, 0o700)
    for (const path of [dir, file]) await chown(path, account.uid, account.gid)
  }
  const child: ChildProcess = spawn('pgbouncer', ['-q', file], {
    ...toSpawnIdentity(account),
    cwd: dir,
    stdio: 'ignore',
    env: environment(),
  })
  await once(child, 'spawn')
  opened.defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  })
  if (!(await waitForListener(port, child))) throw new Error('PgBouncer exited before it listened')
  const all = opened.move()
  return {
    url: `postgres://pooled@127.0.0.1:${port}/pooled`,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

function toServer(connection: DatabaseConnection): string {
  if ('options' in connection) {
    const { host, port, user, password, database } = connection.options
    return `host=${host} port=${port} dbname=${database} user=${user} password=${password}`
  }
  const { hostname, port, pathname, username, password } = new URL(connection.url)
  return `host=${hostname} port=${port || 5432} dbname=${pathname.slice(1)} user=${username} password=${password}`
}
