import { randomUUID } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'

/** Reads a JSON file of secrets, which the database cannot return; undefined when there is none. */
export async function readSecretFile<T>(path: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Replaces the file atomically, readable only by its owner (0600). */
export async function writeSecretFile(path: string, value: unknown): Promise<void> {
  const temporaryPath = `${path}.${randomUUID()}`
  await writeFile(temporaryPath, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  await rename(temporaryPath, path)
}
