import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { EmbeddedPostgresError, getErrorCode } from './embedded-postgres-error.ts'

const SQLITE_BUSY = 5
const POLL_MS = 15

/**
 * Waits for a lock on the file and holds it until the result is disposed.
 *
 * Node has no flock, and a lock file that contains a process ID can outlive its owner and then name an unrelated
 * process. SQLite's exclusive transaction is a kernel lock on the file: it ends with the process, however the process
 * dies, and it also excludes other callers in the same process. The file stays empty.
 */
export const lockFile = async (path: string, timeoutMs: number): Promise<Disposable> => {
  createOnce(path)
  const deadline = Date.now() + timeoutMs
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    while (!tryLock(database)) {
      if (Date.now() > deadline) throw toTimeoutError(path, timeoutMs)
      await sleep(POLL_MS)
    }
  } catch (error) {
    database.close()
    throw error
  }
  return { [Symbol.dispose]: () => database.close() }
}

const toTimeoutError = (path: string, timeoutMs: number): EmbeddedPostgresError =>
  new EmbeddedPostgresError(
    `Another process has been starting or stopping the database for ${timeoutMs / 1000} s ` +
      `(it holds the lock ${path}). Wait for it or end it, then start Overture again.`,
  )

/** Opens the file only to create it: closing any handle on a file drops the process's locks on it. */
const createOnce = (path: string): void => {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (getErrorCode(error) !== 'EEXIST') throw error
  }
}

const tryLock = (database: DatabaseSync): boolean => {
  try {
    // With the journal in memory, nothing is written, so the lock works on a full disk.
    database.exec('pragma journal_mode = memory; begin exclusive')
    return true
  } catch (error) {
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return false
    throw error
  }
}
