import { existsSync } from 'node:fs'
import { access, chmod, constants, mkdir, readdir, realpath, stat, statfs, writeFile } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { EmbeddedPostgresError, getErrorCode, isDiskFull } from './embedded-postgres-error.ts'
import { canEnter, findServerAccount, getAccountName, isRoot, ownUid } from './server-account.ts'

const MARKER = '.overture'
/** Entries that operating systems create in folders and new volumes, and the secret that a restore puts there first. */
const IGNORED_ENTRIES = new Set(['lost+found', '.DS_Store', 'secret'])

/**
 * Returns the given folder, else `data` in the project. As root, returns a system folder when the server's account
 * can't enter the project (a checkout in a private home). `suffix` distinguishes a second folder, such as `data-demo`.
 */
export const resolveDataDir = (options: {
  given?: string | undefined
  projectRoot: string
  suffix?: string
}): string => {
  const { given, projectRoot, suffix = '' } = options
  if (given) return resolve(given)
  const local = resolve(projectRoot, `data${suffix}`)
  // An existing folder is never skipped: its data would seem lost.
  const isUsable = !isRoot || existsSync(local) || canEnter(findServerAccount(), projectRoot)
  return isUsable ? local : `/var/lib/overture${suffix}`
}

/** Creates the folder when missing, checks that we may use it, and returns its real path. */
export const prepareDataFolder = async (dataDir: string): Promise<string> => {
  const requested = resolve(dataDir)
  rejectNodeModules(requested)
  try {
    await mkdir(requested, { recursive: true })
    const folder = await realpath(requested)
    rejectNodeModules(folder)
    await rejectForeignOwner(folder)
    await claim(folder)
    return folder
  } catch (error) {
    throw await toDataFolderError(error, requested)
  }
}

export const toDiskFullError = async (folder: string, cause: unknown): Promise<EmbeddedPostgresError> => {
  const { bavail, bsize } = await statfs(findExistingParent(folder))
  const freeMb = Math.floor((bavail * bsize) / 1_000_000)
  return new EmbeddedPostgresError(
    `The disk that holds ${folder} is full (${freeMb} MB free; a new database needs about 120 MB). ` +
      'Free some space, or set a folder on another disk with --data or OVERTURE_DATA.',
    { cause },
  )
}

const rejectNodeModules = (folder: string): void => {
  if (!folder.split(sep).includes('node_modules')) return
  throw new EmbeddedPostgresError(
    `The data folder ${folder} is inside node_modules, which npm may delete at any time. ` +
      'Set another folder with --data or OVERTURE_DATA.',
  )
}

/**
 * Rejects folders of other users, unless we can write to them as a normal user. As root, always rejects them, because
 * files that root creates would lock out the owner.
 */
const rejectForeignOwner = async (folder: string): Promise<void> => {
  const { uid } = await stat(folder)
  if (uid === ownUid || (!isRoot && (await isWritable(folder)))) return
  const [owner, self] = [getAccountName(uid), getAccountName(ownUid)]
  throw new EmbeddedPostgresError(
    `The data folder ${folder} belongs to the user ${owner}, but Overture runs as ${self}. ` +
      `Start Overture as ${owner}, or set another folder with --data or OVERTURE_DATA, ` +
      `or change its owner with: chown -R ${self} '${folder}'`,
  )
}

const isWritable = (folder: string): Promise<boolean> =>
  access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )

const claim = async (folder: string): Promise<void> => {
  const entries = await readdir(folder)
  if (entries.includes(MARKER)) return
  if (entries.some(entry => !IGNORED_ENTRIES.has(entry))) {
    throw new EmbeddedPostgresError(
      `The folder ${folder} is not empty and was not created by Overture. ` +
        'Set a new or empty folder with --data or OVERTURE_DATA.',
    )
  }
  // The server's account must be able to pass through root's folder; the folders inside are private.
  const isOwn = (await stat(folder)).uid === ownUid
  if (isOwn) await chmod(folder, isRoot ? 0o711 : 0o700)
  await writeFile(join(folder, MARKER), 'Overture’s data. Do not edit the files in this folder.\n')
}

const toDataFolderError = async (error: unknown, folder: string): Promise<unknown> => {
  if (isDiskFull(error)) return toDiskFullError(folder, error)
  const code = getErrorCode(error) ?? ''
  if (code === 'ENOTDIR' || code === 'EEXIST') {
    return new EmbeddedPostgresError(
      `The data folder ${folder} is a file or is inside a file. ` +
        'Set another folder with --data or OVERTURE_DATA.',
      { cause: error },
    )
  }
  if (!['EACCES', 'EPERM', 'EROFS'].includes(code)) return error
  const parent = findExistingParent(folder)
  const owner = getAccountName((await stat(parent)).uid)
  return new EmbeddedPostgresError(
    `Overture has no permission to use the data folder ${folder} (${code}): ${parent} belongs to the user ${owner}. ` +
      `Set another folder with --data or OVERTURE_DATA, or change the permissions of ${parent}.`,
    { cause: error },
  )
}

const findExistingParent = (folder: string): string =>
  existsSync(folder) || folder === dirname(folder) ? folder : findExistingParent(dirname(folder))
