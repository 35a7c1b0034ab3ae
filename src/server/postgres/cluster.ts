import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Binaries } from './binaries.ts'
import {
  type ClusterFolder,
  chownToServer,
  fsyncFolder,
  SUPERUSER,
  TEMPORARY_PREFIX,
} from './cluster-folder.ts'
import { EmbeddedPostgresError, isDiskFull } from './embedded-postgres-error.ts'
import { runProgram } from './run-program.ts'

const INITDB_TIMEOUT_MS = 60_000

/** Creates the cluster in a temporary folder and moves it when complete, so that a partial one is never used. */
export const createCluster = async (folder: ClusterFolder, { initdb }: Binaries): Promise<void> => {
  const { home, clusterDir, account, password } = folder
  const temporaryDir = await mkdtemp(join(home, TEMPORARY_PREFIX))
  const newClusterDir = join(temporaryDir, 'cluster')
  const passwordFile = join(temporaryDir, 'password')
  try {
    await mkdir(newClusterDir, { mode: 0o700 })
    await writeFile(passwordFile, password, { mode: 0o600 })
    for (const path of [newClusterDir, passwordFile, temporaryDir]) await chownToServer(path, account)
    await runProgram(account, initdb, initdbArguments(newClusterDir, passwordFile), INITDB_TIMEOUT_MS)
    await rename(newClusterDir, clusterDir)
    await fsyncFolder(home)
  } catch (error) {
    if (isDiskFull(error)) throw error
    const message = `PostgreSQL could not create its files in ${home}. ${error}`
    throw new EmbeddedPostgresError(message, { cause: error })
  } finally {
    await removeTemporaryDir(temporaryDir)
  }
}

/** Returns the arguments. The C.UTF-8 locale sorts text by its bytes, which gives the same order on every machine. */
const initdbArguments = (clusterDir: string, passwordFile: string): string[] => [
  `--pgdata=${clusterDir}`,
  `--username=${SUPERUSER}`,
  `--pwfile=${passwordFile}`,
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--data-checksums',
  '--no-instructions',
]

/** Deletes the temporary folders of processes that died. The caller must hold the lock. */
export const removeTemporaryDirs = async (home: string): Promise<void> => {
  const entries = await readdir(home)
  await Promise.all(
    entries
      .filter(name => name.startsWith(TEMPORARY_PREFIX))
      .map(name => removeTemporaryDir(join(home, name))),
  )
}

/** Retries, because an initdb whose parent was killed may still be writing; it stops once its files are gone. */
const removeTemporaryDir = (temporaryDir: string): Promise<void> =>
  rm(temporaryDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })

/** Throws unless the cluster has the major version of the packaged server. */
export const checkVersion = async ({ clusterDir }: ClusterFolder, major: number): Promise<void> => {
  const path = join(clusterDir, 'PG_VERSION')
  if (!existsSync(path))
    throw new EmbeddedPostgresError(
      `The database in ${clusterDir} is incomplete: its file PG_VERSION is missing. ` +
        'Restore a backup, or set another folder with --data or OVERTURE_DATA, or set DATABASE_URL.',
    )
  const found = (await readFile(path, 'utf8')).trim()
  if (found === String(major)) return
  const advice =
    Number(found) > major
      ? 'Use the newer version of Overture that created it'
      : 'Export it with the version of Overture that created it and import it into a new data folder'
  throw new EmbeddedPostgresError(
    `The database in ${clusterDir} was created by PostgreSQL ${found}, but this version of Overture includes ${major}. ` +
      `${advice}, or set another folder with --data or OVERTURE_DATA, or set DATABASE_URL.`,
  )
}
