import { readdirSync, readFileSync } from 'node:fs'
import autocannon from 'autocannon'

const TICK_MICROSECONDS = 10_000

export type Load = { reqPerSec: number; p50Ms: number; p99Ms: number; nodeCpuUs: number; pgCpuUs: number }

/** A request that is sent repeatedly, with a new body each time if `nextBody` is given. */
export type Target = {
  url: string
  headers?: Record<string, string>
  connections?: number | undefined
  nextBody?: () => string
}

/**
 * Loads a target for `seconds`, with 32 connections by default. Throws unless every response is 2xx. CPU times are
 * those of the server and PostgreSQL, per request.
 */
export async function load(
  { url, headers = {}, connections = 32, nextBody }: Target,
  processes: { node: number; postmaster: number },
  seconds: number,
): Promise<Load> {
  const before = readCpu(processes)
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    headers,
    ...(nextBody && {
      requests: [
        {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          setupRequest: request => ({ ...request, body: nextBody() }),
        },
      ],
    }),
  })
  const after = readCpu(processes)
  const succeeded = result['2xx']
  if (result.non2xx > 0 || result.errors > 0 || succeeded === 0) {
    throw new Error(`${url}: ${succeeded} succeeded, ${result.non2xx} rejected, ${result.errors} failed`)
  }
  return {
    reqPerSec: succeeded / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    nodeCpuUs: (after.node - before.node) / succeeded,
    pgCpuUs: (after.postgres - before.postgres) / succeeded,
  }
}

/** Returns microseconds of CPU time so far, including ended connections; 0 on systems without /proc. */
export function readCpu({ node, postmaster }: { node: number; postmaster: number }): {
  node: number
  postgres: number
} {
  try {
    const children = readdirSync('/proc').filter(
      name => /^\d+$/.test(name) && readParentPid(name) === postmaster,
    )
    const connections = children.reduce((sum, pid) => sum + readProcessCpu(pid), 0)
    return { node: readProcessCpu(node), postgres: connections + readProcessCpu(postmaster, 4) }
  } catch {
    return { node: 0, postgres: 0 }
  }
}

/** Returns the fields of /proc/PID/stat after the command name, which may contain spaces. */
const readProcessStat = (pid: number | string): string[] => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
  } catch {
    return []
  }
}
const readParentPid = (pid: string): number => Number(readProcessStat(pid)[1])
/** Sums the process's own user and system time. With `fieldCount` 4, adds those of its ended children. */
const readProcessCpu = (pid: number | string, fieldCount = 2): number =>
  readProcessStat(pid)
    .slice(11, 11 + fieldCount)
    .reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_MICROSECONDS

export function readRssMb(pid: number): number {
  try {
    const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
    return Math.round(Number(match?.[1] ?? 0) / 1024)
  } catch {
    return 0
  }
}

export const median = (values: number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
