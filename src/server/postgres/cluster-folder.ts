import { createHash, randomBytes } from 'node:crypto'
import { existsSync, type Stats } from 'node:fs'
import { chmod, chown, lstat, mkdir, open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { prepareDataFolder } from './data-folder.ts'
import { EmbeddedPostgresError, getErrorCode } from './embedded-postgres-error.ts'
import {
  canEnter,
  findServerAccount,
  getAccountName,
  isRoot,
  ownUid,
  type ServerAccount,
} from './server-account.ts'

/**
 * Paths of the embedded server. The cluster and the socket folder belong to the server's account, everything else to
 * us, so that as root we never write through a path that this account controls.
 */
export type ClusterFolder = {
  home: string
  clusterDir: string
  logPath: string
  socketDir: string
  password: string
  account: ServerAccount
}

/** Prefix of temporary folders. After a crash, the next process that holds the lock may delete them. */
export const TEMPORARY_PREFIX = 'new-'

export const SUPERUSER = 'overture_owner'

/** Used only in the socket's file name: the server does not listen on the network. */
export const PORT = 5432

/** The path in a socket address (`sun_path`) has 104 bytes on macOS and 108 on Linux, including the final NUL. */
const SOCKET_PATH_MAX_BYTES = 103

/** Returns PostgreSQL's folder inside the data folder, creating it when missing. */
export const openHome = async (dataDir: string): Promise<string> => {
  const home = join(await prepareDataFolder(dataDir), 'postgres')
  await makePrivateFolder(home, isRoot ? 0o711 : 0o700, ownUid)
  return home
}

/** Returns the paths and the password, which is created on the first call. The caller must hold the lock. */
export const openClusterFolder = async (home: string): Promise<ClusterFolder> => {
  const clusterDir = join(home, 'cluster')
  const account = findServerAccount(clusterDir)
  await rejectForeignCluster(clusterDir, account)
  if (!canEnter(account, home)) throw toUnreachableError(home, account)
  const password = await readPassword(join(home, 'password'), existsSync(clusterDir))
  const logPath = join(home, 'server.log')
  return { home, clusterDir, logPath, socketDir: chooseSocketDir(home, password), password, account }
}

export const socketPath = (socketDir: string): string => join(socketDir, `.s.PGSQL.${PORT}`)

/** Creates the socket folder, or checks that the existing one is private to the server's account. */
export const makeSocketDir = async ({ socketDir, account }: ClusterFolder): Promise<void> => {
  await makePrivateFolder(socketDir, 0o700, account.uid)
  await chownToServer(socketDir, account)
}

/** Changes the owner of a file or folder to the server's account. */
export const chownToServer = async (path: string, account: ServerAccount): Promise<void> => {
  if (isRoot) await chown(path, account.uid, account.gid)
}

/** Syncs the names of a folder's entries to disk. Syncing the files themselves does not do that. */
export const fsyncFolder = async (dir: string): Promise<void> => {
  await using handle = await open(dir, 'r')
  await handle.sync()
}

/**
 * Chooses a folder next to the cluster, where it is private and the system never cleans it up. When its path is too
 * long for a socket address, chooses a folder below /tmp with a name that other users can't predict.
 */
const chooseSocketDir = (home: string, password: string): string => {
  const local = join(home, 'run')
  if (Buffer.byteLength(socketPath(local)) <= SOCKET_PATH_MAX_BYTES) return local
  const name = createHash('sha256').update(`${password}:${home}`).digest('hex').slice(0, 24)
  return join('/tmp', `overture-${name}`)
}

/**
 * Creates a folder, or adopts an existing one. Throws if the existing one is not a directory, belongs to neither
 * `ownerUid` nor us, or is writable by others.
 */
const makePrivateFolder = async (path: string, mode: number, ownerUid: number): Promise<void> => {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    if (getErrorCode(error) !== 'EEXIST') throw error
    const found = await lstat(path)
    const isPrivate = found.isDirectory() && (found.mode & 0o022) === 0
    if (!isPrivate || ![ownerUid, ownUid].includes(found.uid)) throw toNotPrivateError(path, ownerUid, found)
  }
  // Also needed for new folders, because mkdir applies the umask, and for folders left by a process that died before
  // this line.
  await chmod(path, mode)
}

const toNotPrivateError = (path: string, ownerUid: number, found: Stats): EmbeddedPostgresError =>
  new EmbeddedPostgresError(
    `${path} should be a private folder of the user ${getAccountName(ownerUid)}, but it belongs to ` +
      `${getAccountName(found.uid)} with mode ${(found.mode & 0o7777).toString(8)}. ` +
      'Correct its owner and permissions, or set another folder with --data or OVERTURE_DATA.',
  )

const rejectForeignCluster = async (clusterDir: string, account: ServerAccount): Promise<void> => {
  if (!existsSync(clusterDir)) return
  const { uid } = await lstat(clusterDir)
  if (uid === account.uid) return
  throw new EmbeddedPostgresError(
    `The database in ${clusterDir} belongs to the user ${getAccountName(uid)}, but PostgreSQL runs as ` +
      `${account.name}. Change its owner with: chown -R ${account.name} '${clusterDir}'`,
  )
}

const toUnreachableError = (home: string, account: ServerAccount): EmbeddedPostgresError =>
  new EmbeddedPostgresError(
    `PostgreSQL refuses to run as root, so it runs as the user ${account.name}, who cannot enter ${home}. ` +
      'Set a folder that this user can access with --data or OVERTURE_DATA (such as /var/lib/overture), ' +
      'or start Overture as a normal user.',
  )

const readPassword = async (path: string, isRequired: boolean): Promise<string> => {
  if (existsSync(path)) return await readFile(path, 'utf8')
  if (isRequired) {
    throw new EmbeddedPostgresError(
      `The database has a password, but its file ${path} is missing. Restore it from a backup.`,
    )
  }
  const password = randomBytes(24).toString('base64url')
  await using file = await open(`${path}.new`, 'w', 0o600)
  await file.writeFile(password)
  await file.sync()
  await rename(`${path}.new`, path)
  return password
}
