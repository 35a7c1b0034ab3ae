import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ConnectionOptions } from '../kernel/db/session.ts'
import { type ClusterFolder, openClusterFolder, openHome } from './cluster-folder.ts'
import { toDiskFullError } from './data-folder.ts'
import { isDiskFull } from './embedded-postgres-error.ts'
import { lockFile } from './folder-lock.ts'
import { joinOrStart } from './join-or-start.ts'
import { truncateLog } from './server-log.ts'
import { stopServer } from './server-process.ts'
import { loginConnection, ownerConnection } from './server-roles.ts'
import { isServerUnavailable, type ServerUser } from './server-users.ts'

/** The embedded server on a data folder. Disposing the last user stops the server. */
export type EmbeddedPostgres = AsyncDisposable & {
  /** Connects as a role that can only assume the application's roles. */
  readonly connection: ConnectionOptions
  /** Connects as the owner of the database, for migrations. */
  readonly owner: ConnectionOptions
  readonly dataDir: string
  /** The server version, such as `18.4`. */
  readonly version: string
}

type ReportProgress = (message: string) => void

/** Longer than any start or stop takes, because both hold the lock. */
const LOCK_TIMEOUT_MS = 100_000
const RETRY_MAX_MS = 5_000
const LOG_CHECK_MS = 3_600_000

/**
 * Opens the embedded server on a data folder: joins it when it is running, else starts it. Restarts it when it dies
 * while open. Throws EmbeddedPostgresError, which says what to do.
 */
export const openPostgres = async (options: {
  dataDir: string
  onProgress?: ReportProgress
}): Promise<EmbeddedPostgres> => {
  try {
    const home = await openHome(options.dataDir)
    const use = new ServerUse(await readFolder(home), options.onProgress ?? (() => {}))
    await use.join()
    return use
  } catch (error) {
    throw isDiskFull(error) ? await toDiskFullError(options.dataDir, error) : error
  }
}

const lockHome = (home: string): Promise<Disposable> => lockFile(join(home, 'lock'), LOCK_TIMEOUT_MS)

const readFolder = async (home: string): Promise<ClusterFolder> => {
  using _lock = await lockHome(home)
  return await openClusterFolder(home)
}

/**
 * One use of the server by this process. Joining and leaving hold the folder's lock, so that a start and a
 * stop never overlap. The server itself tracks its users: each holds a lock in a session, which ends with the
 * user's process, however the process dies.
 */
class ServerUse implements EmbeddedPostgres {
  readonly connection: ConnectionOptions
  readonly owner: ConnectionOptions
  readonly dataDir: string
  #folder: ClusterFolder
  #report: ReportProgress
  #user: ServerUser | undefined
  #version = ''
  #recovery: Promise<void> = Promise.resolve()
  #closing = new AbortController()
  #closed: Promise<void> | undefined
  #logCheck: NodeJS.Timeout

  constructor(folder: ClusterFolder, report: ReportProgress) {
    this.#folder = folder
    this.#report = report
    this.connection = loginConnection(folder)
    this.owner = ownerConnection(folder)
    this.dataDir = dirname(folder.home)
    this.#logCheck = setInterval(() => truncateLog(folder.logPath), LOG_CHECK_MS).unref()
  }

  get version(): string {
    return this.#version
  }

  async join(): Promise<void> {
    using _lock = await lockHome(this.#folder.home)
    this.#user = await joinOrStart(this.#folder, this.#report, () => this.#onLost())
    this.#version = this.#user.serverVersion
  }

  #onLost(): void {
    this.#user = undefined
    if (!this.#closing.signal.aborted) this.#recovery = this.#recover()
  }

  async #recover(): Promise<void> {
    this.#report('The database stopped unexpectedly. Restarting it…')
    const { signal } = this.#closing
    for (let waitMs = 100; !signal.aborted; waitMs = Math.min(waitMs * 2, RETRY_MAX_MS)) {
      try {
        await this.join()
        return this.#report('The database is running again.')
      } catch (error) {
        this.#report(`The database cannot be started yet: ${error}`)
      }
      await Promise.race([sleep(waitMs), waitForAbort(signal)])
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    this.#closing.abort()
    clearInterval(this.#logCheck)
    await this.#recovery
    using _lock = await lockHome(this.#folder.home)
    if (!this.#user) return
    const isLast = await isLastUser(this.#user)
    await this.#user?.leave()
    if (isLast) await stopServer(this.#folder)
  }
}

/** Returns false when the server has just died and need not be stopped. */
const isLastUser = async (user: ServerUser): Promise<boolean> => {
  try {
    return await user.isLast()
  } catch (error) {
    if (isServerUnavailable(error)) return false
    throw error
  }
}

const waitForAbort = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => signal.addEventListener('abort', () => resolve(), { once: true }))
