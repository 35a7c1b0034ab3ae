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
 * Where the parts of the server lie. The cluster and the socket's folder belong to the server's account,
 * all else to us, so that as root we never write through a path which that account could bend.
 */
export type ClusterFolder = {
  home: string
  clusterDir: string
  logPath: string
  socketDir: string
  password: string
  account: ServerAccount
}

/** Unfinished work carries this prefix: what is left of it after a crash may be deleted under the lock. */
export const DRAFT_PREFIX = 'new-'

export const SUPERUSER = 'overture_owner'

/** Only a part of the socket's name: nothing listens on the network. */
export const PORT = 5432

/** sun_path holds 104 bytes on macOS and 108 on Linux, its closing NUL included. */
const SOCKET_PATH_MAX_BYTES = 103

/** The part of the data folder that is PostgreSQL's; created when missing. */
export const openHome = async (dataDir: string): Promise<string> => {
  const home = join(await prepareDataFolder(dataDir), 'postgres')
  await makePrivateFolder(home, isRoot ? 0o711 : 0o700, ownUid)
  return home
}

/** Reads where everything is; under the lock, because the first caller makes the password. */
export const openClusterFolder = async (home: string): Promise<ClusterFolder> => {
  const clusterDir = join(home, 'cluster')
  const account = findServerAccount(clusterDir)
  await refuseForeignCluster(clusterDir, account)
  if (!canEnter(account, home)) throw unreachable(home, account)
  const password = await readPassword(join(home, 'password'), existsSync(clusterDir))
  const logPath = join(home, 'server.log')
  return { home, clusterDir, logPath, socketDir: chooseSocketDir(home, password), password, account }
}

export const socketPath = (socketDir: string): string => join(socketDir, `.s.PGSQL.${PORT}`)

/** Creates the socket's folder, or makes sure that the one found is the server account's alone. */
export const makeSocketDir = async ({ socketDir, account }: ClusterFolder): Promise<void> => {
  await makePrivateFolder(socketDir, 0o700, account.uid)
  await giveToServer(socketDir, account)
}

/** Gives a file or folder to the server's account. */
export const giveToServer = async (path: string, account: ServerAccount): Promise<void> => {
  if (isRoot) await chown(path, account.uid, account.gid)
}

/** Puts the names of a folder's entries on the disk; fsync of a file does not. */
export const syncFolder = async (dir: string): Promise<void> => {
  await using handle = await open(dir, 'r')
  await handle.sync()
}

/**
 * Beside the cluster, where no other user gets and nothing cleans up. A long path would not fit into a
 * socket's address: then below /tmp, under a name that another user cannot foresee and take first.
 */
const chooseSocketDir = (home: string, password: string): string => {
  const beside = join(home, 'run')
  if (Buffer.byteLength(socketPath(beside)) <= SOCKET_PATH_MAX_BYTES) return beside
  const name = createHash('sha256').update(`${password}:${home}`).digest('hex').slice(0, 24)
  return join('/tmp', `overture-${name}`)
}

/** Makes the folder; one that is there must be a real folder of that user (or of us), closed to other writers. */
const makePrivateFolder = async (path: string, mode: number, ownerUid: number): Promise<void> => {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    if (getErrorCode(error) !== 'EEXIST') throw error
    const found = await lstat(path)
    const isPrivate = found.isDirectory() && (found.mode & 0o022) === 0
    if (!isPrivate || ![ownerUid, ownUid].includes(found.uid)) throw notPrivate(path, ownerUid, found)
  }
  // Always: the umask or the end of an earlier process may have come in between.
  await chmod(path, mode)
}

const notPrivate = (path: string, ownerUid: number, found: Stats): EmbeddedPostgresError =>
  new EmbeddedPostgresError(
    `${path} should be a private folder of the user ${getAccountName(ownerUid)}, but it belongs to ` +
      `${getAccountName(found.uid)} with mode ${(found.mode & 0o7777).toString(8)}. ` +
      'Correct its owner and rights, or give another folder with --data or OVERTURE_DATA.',
  )

const refuseForeignCluster = async (clusterDir: string, account: ServerAccount): Promise<void> => {
  if (!existsSync(clusterDir)) return
  const { uid } = await lstat(clusterDir)
  if (uid === account.uid) return
  throw new EmbeddedPostgresError(
    `The database in ${clusterDir} belongs to the user ${getAccountName(uid)}, but PostgreSQL runs as ` +
      `${account.name}. Hand it over with: chown -R ${account.name} '${clusterDir}'`,
  )
}

const unreachable = (home: string, account: ServerAccount): EmbeddedPostgresError =>
  new EmbeddedPostgresError(
    `PostgreSQL refuses to run as root, so it runs as the user ${account.name}, who cannot enter ${home}. ` +
      'Give a folder that this user can reach with --data or OVERTURE_DATA (such as /var/lib/overture), ' +
      'or start Overture as a normal user.',
  )

const readPassword = async (path: string, isNeeded: boolean): Promise<string> => {
  if (existsSync(path)) return await readFile(path, 'utf8')
  if (isNeeded) {
    throw new EmbeddedPostgresError(
      `The database has a password, but its file ${path} is missing. Restore it from a backup.`,
    )
  }
  const password = randomBytes(24).toString('base64url')
  await using draft = await open(`${path}.new`, 'w', 0o600)
  await draft.writeFile(password)
  await draft.sync()
  await rename(`${path}.new`, path)
  return password
}
