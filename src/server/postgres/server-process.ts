import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Binaries } from './binaries.ts'
import { type ClusterFolder, makeSocketDir } from './cluster-folder.ts'
import { EmbeddedPostgresError, getErrorCode } from './embedded-postgres-error.ts'
import { SERVER_ENVIRONMENT } from './run-program.ts'
import { toSpawnIdentity } from './server-account.ts'
import { getFileSize, readLogTail, rotateLog } from './server-log.ts'
import { serverSettings } from './server-settings.ts'

const STOP_TIMEOUT_MS = 30_000
const QUIT_TIMEOUT_MS = 5_000

/** A server process that we started; it may still fail. */
export type StartedServer = {
  /** Its exit code or the signal that ended it; undefined while it runs. */
  ending: () => string | undefined
  /** What it wrote to its log since the start. */
  readLog: () => Promise<string>
}

/** The process number of the server that runs on the cluster, if one does; it may still be starting or stopping. */
export const findServer = (folder: ClusterFolder): number | undefined => {
  const pid = readRecordedPid(folder)
  return pid !== undefined && isServerOf(pid, folder) ? pid : undefined
}

/** Starts the server apart from us: a session of its own, so that Ctrl-C and our end do not reach it. */
export const startServer = async (folder: ClusterFolder, { postgres }: Binaries): Promise<StartedServer> => {
  const { clusterDir, logPath, account } = folder
  await makeSocketDir(folder)
  await rotateLog(logPath)
  const logStart = await getFileSize(logPath)
  const log = openSync(logPath, 'a', 0o600)
  const settings = Object.entries(serverSettings(folder)).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const child = spawn(postgres, ['-D', clusterDir, ...settings], {
    ...toSpawnIdentity(account),
    cwd: '/',
    env: { ...SERVER_ENVIRONMENT, ...ignoreRecordedPid(folder) },
    detached: true,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  await once(child, 'spawn')
  child.unref()
  return { ending: () => describeEnding(child), readLog: () => readLogTail(logPath, logStart) }
}

/** Ends every session, writes all to disk and waits for the end of the process. */
export const stopServer = async (folder: ClusterFolder): Promise<void> => {
  const pid = findServer(folder)
  if (pid === undefined) return
  const hasStopped = await stopWith('SIGINT', pid, folder, STOP_TIMEOUT_MS)
  // As if the machine lost power: nothing acknowledged is lost, the next start recovers.
  if (!hasStopped && !(await stopWith('SIGQUIT', pid, folder, QUIT_TIMEOUT_MS))) {
    throw new EmbeddedPostgresError(
      `PostgreSQL on ${folder.clusterDir} (process ${pid}) does not stop. Look into ${folder.logPath}.`,
    )
  }
  if (!folder.socketDir.startsWith(folder.home)) await rm(folder.socketDir, { recursive: true, force: true })
}

const stopWith = async (
  signal: NodeJS.Signals,
  pid: number,
  folder: ClusterFolder,
  timeoutMs: number,
): Promise<boolean> => {
  signalIfThere(pid, signal)
  const deadline = Date.now() + timeoutMs
  while (isServerOf(pid, folder)) {
    if (Date.now() > deadline) return false
    await sleep(10)
  }
  return true
}

const signalIfThere = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (getErrorCode(error) !== 'ESRCH') throw error
  }
}

const describeEnding = ({ exitCode, signalCode }: ChildProcess): string | undefined =>
  signalCode ?? (exitCode === null ? undefined : `exit code ${exitCode}`)

const readRecordedPid = ({ clusterDir }: ClusterFolder): number | undefined => {
  const path = join(clusterDir, 'postmaster.pid')
  if (!existsSync(path)) return undefined
  const pid = Number.parseInt(readFileSync(path, 'utf8'), 10)
  return pid > 1 ? pid : undefined
}

/**
 * After a crash the recorded number may belong to a stranger by now (in a container nearly always), and
 * PostgreSQL would refuse to start. Its own variable for "not a rival" overrules that, while its check for
 * survivors in shared memory stays in force. Only used when findServer found none.
 */
const ignoreRecordedPid = (folder: ClusterFolder): { PG_GRANDPARENT_PID?: string } => {
  const pid = readRecordedPid(folder)
  return pid === undefined ? {} : { PG_GRANDPARENT_PID: String(pid) }
}

/** By its command line, which even root in a container may read of another account's process. */
const isServerOf = (pid: number, { clusterDir }: ClusterFolder): boolean => {
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
    return stdout.includes(`-D ${clusterDir}`)
  }
  const words = readCommandLine(pid).split('\0')
  return words[words.indexOf('-D') + 1] === clusterDir
}

const readCommandLine = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES'].includes(getErrorCode(error) ?? '')) return ''
    throw error
  }
}
