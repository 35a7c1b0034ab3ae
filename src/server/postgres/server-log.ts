import { existsSync } from 'node:fs'
import { open, rename, stat, truncate } from 'node:fs/promises'

const ROTATE_BYTES = 1_000_000
const MAX_BYTES = 10_000_000

/** Renames a long log, keeping one old log. Only call it while no server is running. */
export const rotateLog = async (path: string): Promise<void> => {
  if ((await getFileSize(path)) > ROTATE_BYTES) await rename(path, `${path}.old`)
}

/** Truncates the log of a running server if it is too long. The server continues to append to it. */
export const truncateLog = async (path: string): Promise<void> => {
  if ((await getFileSize(path)) > MAX_BYTES) await truncate(path)
}

export const getFileSize = async (path: string): Promise<number> =>
  existsSync(path) ? (await stat(path)).size : 0

/** Returns the last lines written after a position in the file. */
export const readLogTail = async (path: string, fromByte: number): Promise<string> => {
  const maxBytes = 4_000
  await using file = await open(path, 'r')
  const { size } = await file.stat()
  const start = Math.max(fromByte, size - maxBytes)
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(maxBytes), position: start })
  return buffer.toString('utf8', 0, bytesRead).trim().split('\n').slice(-8).join('\n')
}
