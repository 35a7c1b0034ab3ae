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

/** A server process that we started and that may still fail. */
export type StartedServer = {
  /** Returns the exit code or signal; undefined while the server is running. */
  exit: () => string | undefined
  /** Returns the last lines that were logged since the start. */
  readLog: () => Promise<string>
}

/** Returns the process ID of the cluster's server, if any. The server may be starting or stopping. */
export const findServer = (folder: ClusterFolder): number | undefined => {
  const pid = readRecordedPid(folder)
  return pid !== undefined && isServerProcess(pid, folder) ? pid : undefined
}

/** Starts the server in its own session, so that neither Ctrl-C nor our exit stops it. */
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
  return { exit: () => describeExit(child), readLog: () => readLogTail(logPath, logStart) }
}

/** Stops the server: ends all sessions, flushes to disk and waits for the process to exit. */
export const stopServer = async (folder: ClusterFolder): Promise<void> => {
  const pid = findServer(folder)
  if (pid === undefined) return
  const hasStopped = await stopWith('SIGINT', pid, folder, STOP_TIMEOUT_MS)
  // SIGQUIT is like a power loss: no committed data is lost, and the next start recovers.
  if (!hasStopped && !(await stopWith('SIGQUIT', pid, folder, QUIT_TIMEOUT_MS))) {
    throw new EmbeddedPostgresError(
      `PostgreSQL on ${folder.clusterDir} (process ${pid}) does not stop. Check ${folder.logPath}.`,
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
  sendSignal(pid, signal)
  const deadline = Date.now() + timeoutMs
  while (isServerProcess(pid, folder)) {
    if (Date.now() > deadline) return false
    await sleep(10)
  }
  return true
}

const sendSignal = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (getErrorCode(error) !== 'ESRCH') throw error
  }
}

const describeExit = ({ exitCode, signalCode }: ChildProcess): string | undefined =>
  signalCode ?? (exitCode === null ? undefined : `exit code ${exitCode}`)

const readRecordedPid = ({ clusterDir }: ClusterFolder): number | undefined => {
  const path = join(clusterDir, 'postmaster.pid')
  if (!existsSync(path)) return undefined
  const pid = Number.parseInt(readFileSync(path, 'utf8'), 10)
  return pid > 1 ? pid : undefined
}

/**
 * Returns the variable that makes PostgreSQL ignore the recorded process ID. After a crash, the ID may belong to an
 * unrelated process (in containers it nearly always does), and PostgreSQL would refuse to start. PostgreSQL still
 * refuses to start while processes of the old server use its shared memory. Only call it when findServer found no
 * server.
 */
const ignoreRecordedPid = (folder: ClusterFolder): { PG_GRANDPARENT_PID?: string } => {
  const pid = readRecordedPid(folder)
  return pid === undefined ? {} : { PG_GRANDPARENT_PID: String(pid) }
}

/**
 * Returns whether a process is the cluster's server. Compares the command line, which root can read for processes of
 * other accounts even in a container.
 */
const isServerProcess = (pid: number, { clusterDir }: ClusterFolder): boolean => {
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
    return stdout.includes(`-D ${clusterDir}`)
  }
  const args = readCommandLine(pid).split('\0')
  return args[args.indexOf('-D') + 1] === clusterDir
}

const readCommandLine = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES'].includes(getErrorCode(error) ?? '')) return ''
    throw error
  }
}
