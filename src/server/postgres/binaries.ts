import { existsSync } from 'node:fs'
import { chmod, cp, lstat, mkdtemp, readdir, readFile, readlink, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { type ClusterFolder, TEMPORARY_PREFIX } from './cluster-folder.ts'
import { EmbeddedPostgresError, getErrorCode, isDiskFull } from './embedded-postgres-error.ts'
import { runProgram } from './run-program.ts'
import type { ServerAccount } from './server-account.ts'

export type Binaries = { postgres: string; initdb: string; major: number }

const COPY_PREFIX = 'runtime-'
const RUN_TIMEOUT_MS = 30_000

/**
 * Finds the packaged programs in a place where the server's account can run them: in node_modules, else in a copy
 * inside `home`. The copy is for a checkout in a private home directory, or for a read-only checkout whose library
 * links are missing.
 */
export const findBinaries = async ({ home, account }: ClusterFolder): Promise<Binaries> => {
  const { native, version } = await findPackage()
  const copyDir = join(home, `${COPY_PREFIX}${version}`)
  const candidates = [
    ...(existsSync(copyDir) ? [async () => copyDir] : []),
    async () => native,
    async () => linkLibraries(native),
    async () => copyPackage(native, copyDir),
  ]
  let lastError: unknown
  for (const prepare of candidates) {
    try {
      return await checkBinaries(account, await prepare())
    } catch (error) {
      if (isDiskFull(error)) throw error
      lastError = error
    }
  }
  throw new EmbeddedPostgresError(
    `The packaged PostgreSQL does not run here (${lastError}). Set DATABASE_URL to a PostgreSQL server.`,
    { cause: lastError },
  )
}

const findPackage = async (): Promise<{ native: string; version: string }> => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const root = join(dirname(createRequire(import.meta.url).resolve(name)), '..')
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    return { native: join(root, 'native'), version }
  } catch (error) {
    if (getErrorCode(error) !== 'MODULE_NOT_FOUND') throw error
    throw new EmbeddedPostgresError(
      `There is no packaged PostgreSQL for ${process.platform}-${process.arch} (${name} is not installed). ` +
        'Set DATABASE_URL to a PostgreSQL server.',
      { cause: error },
    )
  }
}

/**
 * Runs the programs, which proves that they are reachable, executable, built for this machine and linked completely.
 */
const checkBinaries = async (account: ServerAccount, dir: string): Promise<Binaries> => {
  const [postgres, initdb] = [join(dir, 'bin/postgres'), join(dir, 'bin/initdb')]
  const [versionOutput] = await Promise.all(
    [postgres, initdb].map(file => runProgram(account, file, ['--version'], RUN_TIMEOUT_MS)),
  )
  return { postgres, initdb, major: Number(/ (\d+)/.exec(versionOutput ?? '')?.[1]) }
}

/** Creates the symbolic links that the package lists, because npm packages can't contain them. */
const linkLibraries = async (dir: string): Promise<string> => {
  const list: { source: string; target: string }[] = JSON.parse(
    await readFile(join(dir, 'pg-symlinks.json'), 'utf8'),
  )
  for (const { source, target } of list) {
    await linkOnce(basename(source), join(dir, relative('native', target)))
  }
  return dir
}

/** Ignores a link that another process just created. */
const linkOnce = async (source: string, link: string): Promise<void> => {
  try {
    await symlink(source, link)
  } catch (error) {
    const exists = getErrorCode(error) === 'EEXIST' && (await lstat(link)).isSymbolicLink()
    if (!exists || (await readlink(link)) !== source) throw error
  }
}

const copyPackage = async (native: string, copyDir: string): Promise<string> => {
  const home = dirname(copyDir)
  const temporaryDir = await mkdtemp(join(home, TEMPORARY_PREFIX))
  try {
    await cp(native, temporaryDir, { recursive: true, verbatimSymlinks: true })
    await linkLibraries(temporaryDir)
    await makeReadable(temporaryDir)
    for (const entry of await readdir(home)) {
      if (entry.startsWith(COPY_PREFIX)) await rm(join(home, entry), { recursive: true })
    }
    await rename(temporaryDir, copyDir)
  } finally {
    await rm(temporaryDir, { recursive: true, force: true })
  }
  return copyDir
}

/** Makes the files readable and executable for the server's account, even if npm ran under a strict umask. */
const makeReadable = async (dir: string): Promise<void> => {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => !entry.isSymbolicLink())
  for (const path of [dir, ...files.map(file => join(file.parentPath, file.name))]) await chmod(path, 0o755)
}
