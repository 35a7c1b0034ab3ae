import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { findBinaries } from './binaries.ts'
import { checkVersion, createCluster, removeTemporaryDirs } from './cluster.ts'
import { type ClusterFolder, socketPath } from './cluster-folder.ts'
import { EmbeddedPostgresError, getErrorCode } from './embedded-postgres-error.ts'
import { findServer, type StartedServer, startServer, stopServer } from './server-process.ts'
import { loginConnection, prepareRoles } from './server-roles.ts'
import { isServerUnavailable, joinServer, type ServerUser } from './server-users.ts'

type ReportProgress = (message: string) => void

const START_TIMEOUT_MS = 60_000
const POLL_MS = 15
/**
 * Log lines of a start that fails because of another server. Either sessions of a killed server are still ending, or
 * the process that started the other server was killed before that server recorded its process ID. A later attempt
 * starts a server or joins the other one.
 */
const CONFLICT = /pre-existing shared memory block|lock file ".*" already exists/
const CONFLICT_WAIT_MS = 200

/**
 * Joins the running server, else creates the cluster when missing and starts the server. The caller must hold the lock.
 */
export const joinOrStart = async (
  folder: ClusterFolder,
  report: ReportProgress,
  onLost: () => void,
): Promise<ServerUser> => {
  const deadline = Date.now() + START_TIMEOUT_MS
  let started: StartedServer | undefined
  while (Date.now() < deadline) {
    try {
      const user = await tryJoin(folder, onLost, { isNew: started !== undefined })
      if (user) return user
    } catch (error) {
      if (started) await stopServer(folder) // Nobody else would stop it, because it has no users yet.
      throw error
    }
    // A server that is starting, recovering or stopping rejects us for now. Start a new one only once it is gone.
    if (findServer(folder) === undefined && (await mayStart(started))) started = await start(folder, report)
    await sleep(POLL_MS)
  }
  throw new EmbeddedPostgresError(
    `PostgreSQL on ${folder.clusterDir} (process ${findServer(folder)}) did not respond for ` +
      `${START_TIMEOUT_MS / 1000} s. After a crash it may still be recovering: try again in a minute, ` +
      `or check ${folder.logPath}.`,
  )
}

/**
 * Error codes of a sign-in to a server without the login role. The server's files come from an older version, or its
 * first start was interrupted before the role was created.
 */
const UNKNOWN_ROLE = ['28P01', '28000']

/**
 * Joins the server; returns undefined while it is unavailable. Always prepares the roles of a server that we started,
 * because its files may come from a backup or an older version.
 */
const tryJoin = async (
  folder: ClusterFolder,
  onLost: () => void,
  { isNew }: { isNew: boolean },
): Promise<ServerUser | undefined> => {
  if (!existsSync(socketPath(folder.socketDir))) return undefined
  try {
    if (isNew) await prepareRoles(folder)
    const join = () => joinServer(loginConnection(folder), onLost)
    return await join().catch(async error => {
      if (!UNKNOWN_ROLE.includes(getErrorCode(error) ?? '')) throw error
      await prepareRoles(folder)
      return join()
    })
  } catch (error) {
    if (isServerUnavailable(error)) return undefined
    throw error
  }
}

const mayStart = async (started: StartedServer | undefined): Promise<boolean> => {
  if (!started) return true
  const exit = started.exit()
  if (!exit) return false
  const log = await started.readLog()
  if (CONFLICT.test(log)) {
    await sleep(CONFLICT_WAIT_MS)
    return true
  }
  throw new EmbeddedPostgresError(`PostgreSQL could not start (${exit}). The end of its log:\n${log}`)
}

const start = async (folder: ClusterFolder, report: ReportProgress): Promise<StartedServer> => {
  await removeTemporaryDirs(folder.home)
  const binaries = await findBinaries(folder)
  if (!existsSync(folder.clusterDir)) {
    report('Creating the database folder…')
    await createCluster(folder, binaries)
  }
  await checkVersion(folder, binaries.major)
  report('Starting PostgreSQL…')
  return startServer(folder, binaries)
}
