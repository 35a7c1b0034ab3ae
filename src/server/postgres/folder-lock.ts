import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { EmbeddedPostgresError, getErrorCode } from './embedded-postgres-error.ts'

const SQLITE_BUSY = 5
const POLL_MS = 15

/**
 * Waits until no other process holds the lock file, then holds it until disposed.
 *
 * Node has no flock. A lock file with a process number in it can outlive its owner and name a stranger;
 * SQLite's exclusive transaction is a kernel lock on the file, which ends with the process however it
 * dies, and it also keeps apart two callers inside one process. The file stays empty.
 */
export const lockFile = async (path: string, timeoutMs: number): Promise<Disposable> => {
  createOnce(path)
  const deadline = Date.now() + timeoutMs
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    while (!tryLock(database)) {
      if (Date.now() > deadline) throw heldTooLong(path, timeoutMs)
      await sleep(POLL_MS)
    }
  } catch (error) {
    database.close()
    throw error
  }
  return { [Symbol.dispose]: () => database.close() }
}

const heldTooLong = (path: string, timeoutMs: number): EmbeddedPostgresError =>
  new EmbeddedPostgresError(
    `Another process has been starting or stopping the database for ${timeoutMs / 1000} s ` +
      `(it holds ${path}). Wait for it or end it, then start again.`,
  )

/** Only ever opened by hand when it is new: closing any handle on a file drops the process's locks on it. */
const createOnce = (path: string): void => {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (getErrorCode(error) !== 'EEXIST') throw error
  }
}

const tryLock = (database: DatabaseSync): boolean => {
  try {
    // With its journal in memory nothing at all is written: the lock works on a full disk too.
    database.exec('pragma journal_mode = memory; begin exclusive')
    return true
  } catch (error) {
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return false
    throw error
  }
}
