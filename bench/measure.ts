import { readdirSync, readFileSync } from 'node:fs'
import autocannon from 'autocannon'

const TICK_MICROSECONDS = 10_000

export type Load = { reqPerSec: number; p50Ms: number; p99Ms: number; nodeCpuUs: number; pgCpuUs: number }

/** What autocannon sends: one address again and again, or bodies that differ. */
export type Target = {
  url: string
  headers?: Record<string, string>
  connections?: number | undefined
  nextBody?: () => string
}

/** 32 connections unless told, for `seconds`; every answer must be 200. CPU is of the server and of PostgreSQL, per request. */
export async function load(
  { url, headers = {}, connections = 32, nextBody }: Target,
  processes: { node: number; postmaster: number },
  seconds: number,
): Promise<Load> {
  const before = cpuOf(processes)
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
  const after = cpuOf(processes)
  const answered = result['2xx']
  if (result.non2xx > 0 || result.errors > 0 || answered === 0) {
    throw new Error(`${url}: ${answered} answered, ${result.non2xx} refused, ${result.errors} failed`)
  }
  return {
    reqPerSec: answered / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    nodeCpuUs: (after.node - before.node) / answered,
    pgCpuUs: (after.postgres - before.postgres) / answered,
  }
}

/** Microseconds of processor time so far, those of ended connections included; 0 where the system has no /proc. */
export function cpuOf({ node, postmaster }: { node: number; postmaster: number }): {
  node: number
  postgres: number
} {
  try {
    const children = readdirSync('/proc').filter(name => /^\d+$/.test(name) && parentOf(name) === postmaster)
    const connections = children.reduce((sum, pid) => sum + cpuOfProcess(pid), 0)
    return { node: cpuOfProcess(node), postgres: connections + cpuOfProcess(postmaster, 4) }
  } catch {
    return { node: 0, postgres: 0 }
  }
}

/** Fields of /proc/PID/stat after the command's name, which may itself hold spaces. */
const statOf = (pid: number | string): string[] => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
  } catch {
    return []
  }
}
const parentOf = (pid: string): number => Number(statOf(pid)[1])
/** Of the four times, two are the process's own and two those of its children that ended. */
const cpuOfProcess = (pid: number | string, times = 2): number =>
  statOf(pid)
    .slice(11, 11 + times)
    .reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_MICROSECONDS

export function rssMbOf(pid: number): number {
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
