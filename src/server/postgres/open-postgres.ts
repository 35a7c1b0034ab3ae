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

/** The packaged server on a data folder. Disposing gives up this use of it; the last use stops it. */
export type EmbeddedPostgres = AsyncDisposable & {
  /** Of a role that may do no more than become one of the application's roles. */
  readonly connection: ConnectionOptions
  /** The same of the role that owns the database, for migrations. */
  readonly owner: ConnectionOptions
  readonly dataDir: string
  /** The server's own, as in `18.4`. */
  readonly version: string
}

type Report = (message: string) => void

/** Longer than a start or a stop may take, which is what the holder of the lock is busy with. */
const LOCK_TIMEOUT_MS = 100_000
const RETRY_MAX_MS = 5_000
const LOG_CHECK_MS = 3_600_000

/**
 * Opens the packaged server on a data folder: starts it, or joins the one that runs there. When the server dies
 * while it is open, it is started again. Throws EmbeddedPostgresError, which says what to do.
 */
export const openPostgres = async (options: {
  dataDir: string
  onProgress?: Report
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
 * Joining and leaving both hold the folder's lock, so a start never meets a stop. Who else uses the server is
 * asked of the server itself: a use is a lock in one of its sessions and ends with its process, however that dies.
 */
class ServerUse implements EmbeddedPostgres {
  readonly connection: ConnectionOptions
  readonly owner: ConnectionOptions
  readonly dataDir: string
  #folder: ClusterFolder
  #report: Report
  #user: ServerUser | undefined
  #version = ''
  #recovery: Promise<void> = Promise.resolve()
  #closing = new AbortController()
  #closed: Promise<void> | undefined
  #logCheck: NodeJS.Timeout

  constructor(folder: ClusterFolder, report: Report) {
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
    this.#report('The database stopped unexpectedly. Starting it again…')
    const { signal } = this.#closing
    for (let waitMs = 100; !signal.aborted; waitMs = Math.min(waitMs * 2, RETRY_MAX_MS)) {
      try {
        await this.join()
        return this.#report('The database is back.')
      } catch (error) {
        this.#report(`The database cannot be started yet: ${error}`)
      }
      await Promise.race([sleep(waitMs), aborted(signal)])
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

/** A server that died this moment has nobody to stop it. */
const isLastUser = async (user: ServerUser): Promise<boolean> => {
  try {
    return await user.isLast()
  } catch (error) {
    if (isServerUnavailable(error)) return false
    throw error
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => signal.addEventListener('abort', () => resolve(), { once: true }))
