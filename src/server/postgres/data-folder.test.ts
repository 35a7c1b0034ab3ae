import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmdirSync } from 'node:fs'
import { chown, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  makeScratch,
  openInChild,
  query,
  readServerPid,
  waitForExit,
} from '../../../test/support/db/postgres-processes.ts'
import { chownToServer, openHome } from './cluster-folder.ts'
import { resolveDataDir } from './data-folder.ts'
import { openPostgres } from './open-postgres.ts'
import { canEnter, findServerAccount, isRoot } from './server-account.ts'

let scratch: Awaited<ReturnType<typeof makeScratch>>

beforeAll(async () => {
  scratch = await makeScratch()
})
afterAll(async () => await scratch[Symbol.asyncDispose]())

/** Opens and closes the server and returns the path of its socket. */
const openAndClose = async (dataDir: string): Promise<string> => {
  await using server = await openPostgres({ dataDir })
  expect(await query(server.connection, 'select 1 as one')).toEqual([{ one: 1 }])
  return join(server.connection.host, `.s.PGSQL.${server.connection.port}`)
}

/** Creates a data folder like that of another PostgreSQL release. */
const createFolderOfVersion = async (dataDir: string, version: string): Promise<string> => {
  const home = await openHome(dataDir)
  const cluster = join(home, 'cluster')
  await writeFile(join(home, 'password'), 'secret', { mode: 0o600 })
  await mkdir(cluster)
  await writeFile(join(cluster, 'PG_VERSION'), `${version}\n`)
  await chownToServer(cluster, findServerAccount())
  return dataDir
}

/** Returns whether a file system can be mounted, which even root cannot do in many containers. */
const canMount = (): boolean => {
  const dir = mkdtempSync('/tmp/overture-test-')
  const { status } = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', dir])
  if (status === 0) execFileSync('umount', [dir])
  rmdirSync(dir)
  return status === 0
}

/** An account that is neither root nor ours; only root can act as it. */
const stranger = { ...findServerAccount(), uid: 65_534, gid: 65_534 }
const canActAsStranger = isRoot && canEnter(stranger, import.meta.dirname)

describe('a valid data folder', () => {
  it('may have a path that is too long for a socket and has spaces, quotes and commas', async () => {
    const dataDir = join(scratch.dir, `it's a "long", odd path `.repeat(6), 'data')
    expect(dataDir.length).toBeGreaterThan(150)
    const socketDir = dirname(await openAndClose(dataDir))
    expect(socketDir).toMatch(/^\/tmp\/overture-[0-9a-f]{24}$/)
    expect(existsSync(socketDir)).toBe(false)
    expect(dirname(await openAndClose(dataDir))).toBe(socketDir)
  })

  it('may be an existing empty folder with any permissions', async () => {
    const dataDir = join(scratch.dir, 'private')
    await mkdir(dataDir, { mode: 0o700 })
    await openAndClose(dataDir)
  })

  it('may contain only the secret that a restore puts there, which is kept', async () => {
    const dataDir = join(scratch.dir, 'restored')
    await mkdir(dataDir)
    await writeFile(join(dataDir, 'secret'), 'saved', { mode: 0o600 })
    await openAndClose(dataDir)
    expect(await readFile(join(dataDir, 'secret'), 'utf8')).toBe('saved')
  })

  it.runIf(canActAsStranger)('may belong to a normal user', async () => {
    const dataDir = join(scratch.dir, 'normal')
    await mkdir(dataDir)
    await chown(dataDir, stranger.uid, stranger.gid)
    const user = await openInChild(dataDir, { account: stranger })
    expect(await query(user.connection, 'select 1 as one')).toEqual([{ one: 1 }])
    const pid = readServerPid(dataDir)
    await user.close()
    await waitForExit(pid)
    await expect(openPostgres({ dataDir })).rejects.toThrow(/belongs to the user nobody.* as root.*chown/)
  })
})

describe('a data folder is rejected when it', () => {
  it('is inside node_modules', async () => {
    const dataDir = join(scratch.dir, 'node_modules/overture/data')
    await expect(openPostgres({ dataDir })).rejects.toThrow(/inside node_modules.*--data/)
  })

  it('contains files that Overture did not create', async () => {
    const dataDir = join(scratch.dir, 'photos')
    await mkdir(dataDir)
    await writeFile(join(dataDir, 'holiday.jpg'), '')
    await expect(openPostgres({ dataDir })).rejects.toThrow(/not empty and was not created by Overture/)
    expect(await readdir(dataDir)).toEqual(['holiday.jpg'])
  })

  it('is a file or is inside a file', async () => {
    const file = join(scratch.dir, 'file')
    await writeFile(file, '')
    await expect(openPostgres({ dataDir: file })).rejects.toThrow(/is a file/)
    await expect(openPostgres({ dataDir: join(file, 'data') })).rejects.toThrow(/is a file/)
  })

  it.runIf(canActAsStranger)('was created by root and the user is not root', async () => {
    const dataDir = join(scratch.dir, 'of root')
    await openAndClose(dataDir)
    await expect(openInChild(dataDir, { account: stranger })).rejects.toThrow(
      /belongs to the user root, but Overture runs as nobody.*chown -R nobody/,
    )
    const below = join(scratch.dir, 'closed')
    await mkdir(below, { mode: 0o755 })
    await expect(openInChild(join(below, 'data'), { account: stranger })).rejects.toThrow(
      /has no permission to use the data folder .*belongs to the user root.*--data/,
    )
  })

  it.runIf(isRoot)('cannot be entered by the account that runs PostgreSQL under root', async () => {
    const home = join(scratch.dir, 'home')
    await mkdir(home, { mode: 0o700 })
    await expect(openPostgres({ dataDir: join(home, 'data') })).rejects.toThrow(/who cannot enter .*--data/)
  })

  it.each([
    ['19', /PostgreSQL 19, but this version of Overture includes 18. Use the newer version of Overture/],
    ['15', /PostgreSQL 15, but this version of Overture includes 18. Export it/],
  ])('was created by PostgreSQL %s', async (version, message) => {
    const dataDir = join(scratch.dir, `version ${version}`)
    await expect(openPostgres({ dataDir: await createFolderOfVersion(dataDir, version) })).rejects.toThrow(
      message,
    )
  })

  it('contains a database without its version', async () => {
    const dataDir = await createFolderOfVersion(join(scratch.dir, 'no version'), '18')
    await rm(join(dataDir, 'postgres/cluster/PG_VERSION'))
    await expect(openPostgres({ dataDir })).rejects.toThrow(/PG_VERSION is missing. Restore a backup/)
  })

  it.runIf(canMount())('is on a full disk', async () => {
    const disk = join(scratch.dir, 'disk')
    await mkdir(disk)
    for (const size of ['4k', '12m']) {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=755`, 'tmpfs', disk])
      try {
        const dataDir = join(disk, 'data')
        await expect(openPostgres({ dataDir })).rejects.toThrow(/disk that holds .* is full .*--data/)
        execFileSync('mount', ['-o', 'remount,size=200m', disk])
        await openAndClose(dataDir)
      } finally {
        execFileSync('umount', [disk])
      }
    }
  })
})

describe('the default data folder', () => {
  it('is `data` in the project unless a folder is set', () => {
    expect(resolveDataDir({ projectRoot: scratch.dir })).toBe(join(scratch.dir, 'data'))
    expect(resolveDataDir({ projectRoot: scratch.dir, suffix: '-demo' })).toBe(join(scratch.dir, 'data-demo'))
    expect(resolveDataDir({ given: '/srv/sales', projectRoot: scratch.dir })).toBe('/srv/sales')
  })

  it.runIf(isRoot)('is a system folder for root if PostgreSQL cannot enter the project', async () => {
    const projectRoot = join(scratch.dir, 'private project')
    await mkdir(projectRoot, { mode: 0o700 })
    expect(resolveDataDir({ projectRoot })).toBe('/var/lib/overture')
    expect(resolveDataDir({ projectRoot, suffix: '-demo' })).toBe('/var/lib/overture-demo')
    await mkdir(join(projectRoot, 'data'))
    expect(resolveDataDir({ projectRoot })).toBe(join(projectRoot, 'data'))
  })
})
