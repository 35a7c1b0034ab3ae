import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const toPath = (dataDir: string): string => join(dataDir, 'url')

/** Stores the URL of the server that uses the data folder, for commands that print links to it. */
export const storeServerUrl = (dataDir: string, url: string): Promise<void> => writeFile(toPath(dataDir), url)

/** Returns the URL of the server that last started with the data folder; undefined before the first start. */
export async function readServerUrl(dataDir: string): Promise<string | undefined> {
  try {
    return (await readFile(toPath(dataDir), 'utf8')) || undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
