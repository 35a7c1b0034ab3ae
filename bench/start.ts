import { openPostgres } from '../src/server/postgres/open-postgres.ts'
import { asSuperuser } from '../test/support/db/postgres-processes.ts'
import { median, readRssMb } from './measure.ts'
import type { Row } from './print.ts'
import { overture, startServer } from './process.ts'

/**
 * Measures the time from the command until the server is ready, with a data folder that no server uses. The baseline
 * starts the same PostgreSQL and the baseline HTTP server. Times are in milliseconds; `p99Ms` is the slowest start.
 */
export async function measureStart(
  dataDir: string,
  rounds: number,
  log: (message: string) => void,
): Promise<Row> {
  const times: { ours: number; baseline: number; rssMb: number }[] = []
  for (let round = 1; round <= rounds; round++) {
    log(`start, round ${round} of ${rounds}`)
    const baseline = await startBaseline(dataDir)
    times.push({ baseline, ...(await startOurs(dataDir)) })
  }
  const medianBy = (read: (round: (typeof times)[number]) => number) => median(times.map(read))
  return {
    case: 'start',
    ratio: medianBy(round => round.baseline / round.ours),
    reqPerSec: null,
    baselineReqPerSec: null,
    p50Ms: medianBy(round => round.ours),
    p99Ms: Math.max(...times.map(round => round.ours)),
    nodeCpuUs: null,
    pgCpuUs: null,
    baselineNodeCpuUs: null,
    baselinePgCpuUs: null,
    rssMb: medianBy(round => round.rssMb),
    baselineP50Ms: medianBy(round => round.baseline),
  }
}

async function startOurs(dataDir: string): Promise<{ ours: number; rssMb: number }> {
  const startedAt = performance.now()
  await using server = await startServer([overture, 'serve', '--json', '--port', '0', '--data', dataDir], {})
  const ready = await fetch(`${server.url}/readyz`)
  if (!ready.ok) throw new Error(`started, but not ready: ${ready.status}`)
  return { ours: performance.now() - startedAt, rssMb: readRssMb(server.pid) }
}

async function startBaseline(dataDir: string): Promise<number> {
  const startedAt = performance.now()
  await using postgres = await openPostgres({ dataDir })
  const statements = JSON.stringify({ connection: asSuperuser(postgres.connection, dataDir), reads: {} })
  await using _server = await startServer([process.execPath, 'baseline-http.ts'], {}, statements)
  return performance.now() - startedAt
}
