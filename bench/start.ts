import { openPostgres } from '../src/server/postgres/open-postgres.ts'
import { asSuperuser } from '../test/support/db/postgres-processes.ts'
import { median, rssMbOf } from './measure.ts'
import type { Row } from './print.ts'
import { overture, startServer } from './process.ts'

/**
 * From the command to an address that answers, on a data folder that nobody uses at the time; the limit is the
 * start of its PostgreSQL and of the bare server. Times are in milliseconds, a start has no requests.
 */
export async function measureStart(
  dataDir: string,
  rounds: number,
  say: (message: string) => void,
): Promise<Row> {
  const times: { ours: number; limit: number; rssMb: number }[] = []
  for (let round = 1; round <= rounds; round++) {
    say(`start, round ${round} of ${rounds}`)
    const limit = await bareStart(dataDir)
    times.push({ limit, ...(await ourStart(dataDir)) })
  }
  const of = (read: (round: (typeof times)[number]) => number) => median(times.map(read))
  return {
    case: 'start',
    ratio: of(round => round.limit / round.ours),
    reqPerSec: null,
    limitReqPerSec: null,
    p50Ms: of(round => round.ours),
    p99Ms: Math.max(...times.map(round => round.ours)),
    nodeCpuUs: null,
    pgCpuUs: null,
    limitNodeCpuUs: null,
    limitPgCpuUs: null,
    rssMb: of(round => round.rssMb),
    limitP50Ms: of(round => round.limit),
  }
}

async function ourStart(dataDir: string): Promise<{ ours: number; rssMb: number }> {
  const startedAt = performance.now()
  await using server = await startServer([overture, 'serve', '--json', '--port', '0', '--data', dataDir], {})
  const ready = await fetch(`${server.url}/readyz`)
  if (!ready.ok) throw new Error(`started, but not ready: ${ready.status}`)
  return { ours: performance.now() - startedAt, rssMb: rssMbOf(server.pid) }
}

async function bareStart(dataDir: string): Promise<number> {
  const startedAt = performance.now()
  await using postgres = await openPostgres({ dataDir })
  const statements = JSON.stringify({ connection: asSuperuser(postgres.connection, dataDir), reads: {} })
  await using _server = await startServer([process.execPath, 'bare.ts'], {}, statements)
  return performance.now() - startedAt
}
