import { existsSync } from 'node:fs'
import { access, chmod, constants, mkdir, readdir, realpath, stat, statfs, writeFile } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { EmbeddedPostgresError, getErrorCode, isDiskFull } from './embedded-postgres-error.ts'
import { canEnter, findServerAccount, getAccountName, isRoot, ownUid } from './server-account.ts'

const MARKER = '.overture'
/** What an operating system puts into a folder or a fresh volume by itself. */
const NOT_CONTENT = new Set(['lost+found', '.DS_Store'])

/**
 * The folder asked for, else `data` in the project. As root, where the server's account cannot enter the
 * project (a checkout in a private home), a system folder instead. `suffix` keeps a second folder apart,
 * as in `data-demo`.
 */
export const resolveDataDir = (options: {
  given?: string | undefined
  projectRoot: string
  suffix?: string
}): string => {
  const { given, projectRoot, suffix = '' } = options
  if (given) return resolve(given)
  const local = resolve(projectRoot, `data${suffix}`)
  // A folder that exists is never passed over in silence: its data would seem lost.
  const isUsable = !isRoot || existsSync(local) || canEnter(findServerAccount(), projectRoot)
  return isUsable ? local : `/var/lib/overture${suffix}`
}

/** Creates the folder when it is missing, makes sure it is ours to use, and answers its real path. */
export const prepareDataFolder = async (dataDir: string): Promise<string> => {
  const asked = resolve(dataDir)
  refuseNodeModules(asked)
  try {
    await mkdir(asked, { recursive: true })
    const folder = await realpath(asked)
    refuseNodeModules(folder)
    await refuseForeignOwner(folder)
    await claim(folder)
    return folder
  } catch (error) {
    throw await explain(error, asked)
  }
}

export const toDiskFullError = async (folder: string, cause: unknown): Promise<EmbeddedPostgresError> => {
  const { bavail, bsize } = await statfs(nearestExisting(folder))
  const freeMb = Math.floor((bavail * bsize) / 1_000_000)
  return new EmbeddedPostgresError(
    `The disk that holds ${folder} is full (${freeMb} MB free; a new database needs about 120 MB). ` +
      'Free some space, or give a folder on another disk with --data or OVERTURE_DATA.',
    { cause },
  )
}

const refuseNodeModules = (folder: string): void => {
  if (!folder.split(sep).includes('node_modules')) return
  throw new EmbeddedPostgresError(
    `The data folder ${folder} lies inside node_modules, which npm may delete at any time. ` +
      'Give another folder with --data or OVERTURE_DATA.',
  )
}

/** A normal user may use a folder of somebody else that lets them write; root never does, it would trap the owner. */
const refuseForeignOwner = async (folder: string): Promise<void> => {
  const { uid } = await stat(folder)
  if (uid === ownUid || (!isRoot && (await isWritable(folder)))) return
  const [owner, self] = [getAccountName(uid), getAccountName(ownUid)]
  throw new EmbeddedPostgresError(
    `The data folder ${folder} belongs to the user ${owner}, but Overture runs as ${self}. ` +
      `Start Overture as ${owner}, or give another folder with --data or OVERTURE_DATA, ` +
      `or hand this one over with: chown -R ${self} '${folder}'`,
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
  if (entries.some(entry => !NOT_CONTENT.has(entry))) {
    throw new EmbeddedPostgresError(
      `The folder ${folder} is not empty and was not made by Overture. ` +
        'Give a new or an empty folder with --data or OVERTURE_DATA.',
    )
  }
  // As root the server's account has to pass through; what lies inside protects itself.
  const isOwn = (await stat(folder)).uid === ownUid
  if (isOwn) await chmod(folder, isRoot ? 0o711 : 0o700)
  await writeFile(join(folder, MARKER), 'Data of Overture: change nothing in this folder by hand.\n')
}

const explain = async (error: unknown, folder: string): Promise<unknown> => {
  if (isDiskFull(error)) return toDiskFullError(folder, error)
  const code = getErrorCode(error) ?? ''
  if (code === 'ENOTDIR' || code === 'EEXIST') {
    return new EmbeddedPostgresError(`The data folder ${folder} is a file, or lies below one.`, {
      cause: error,
    })
  }
  if (!['EACCES', 'EPERM', 'EROFS'].includes(code)) return error
  const parent = nearestExisting(folder)
  const owner = getAccountName((await stat(parent)).uid)
  return new EmbeddedPostgresError(
    `Overture may not use the data folder ${folder} (${code}): ${parent} belongs to the user ${owner}. ` +
      'Give another folder with --data or OVERTURE_DATA, or change its rights.',
    { cause: error },
  )
}

const nearestExisting = (folder: string): string =>
  existsSync(folder) || folder === dirname(folder) ? folder : nearestExisting(dirname(folder))
