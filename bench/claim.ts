import { randomUUIDv7 } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { claimDueProspects } from '../src/server/domain/prospects/claim-prospects.ts'
import type { openInstallation } from '../src/server/installation.ts'
import { connect, type Pool, type Sql } from '../src/server/kernel/db/database.ts'
import { openPostgres } from '../src/server/postgres/open-postgres.ts'
import { asSuperuser } from '../test/support/db/postgres-processes.ts'
import { median, readCpu } from './measure.ts'
import type { Row } from './print.ts'
import { seedClaims } from './seed-claims.ts'

const LIMIT = 200
const LEASE_MS = 30_000
const ENDED_PER_ACTIVE = 10
const CLAIMS_PER_ROUND = 50

type Options = {
  app: Awaited<ReturnType<typeof openInstallation>>['app']
  dataDir: string
  active: number
  rounds: number
  log: (message: string) => void
}

/**
 * Measures the engine's claim of 200 due prospects, the largest batch. The baseline claims the next 200 due prospects
 * of any account through an index.
 */
export async function measureClaim({ app, dataDir, active, rounds, log }: Options): Promise<Row> {
  await using postgres = await openPostgres({ dataDir })
  const connection = asSuperuser(postgres.connection, dataDir)
  const owner = connect({ options: connection }, { max: 1, statementTimeoutMs: 0 })
  const now = new Date()
  log(`claim: seeding ${active} active prospects and ${active * ENDED_PER_ACTIVE} ended ones`)
  await seedClaims(owner, { accountId: randomUUIDv7(), now, active, ended: active * ENDED_PER_ACTIVE })
  await owner`create index baseline_due on prospects (next_step_at) where next_step_at is not null`
  await owner`vacuum analyze`
  const ours = (tx: Sql) => claimDueProspects(tx, { now, limit: LIMIT, perMailbox: LIMIT, leaseMs: LEASE_MS })
  const baseline = (tx: Sql) => claimBaseline(tx, now)
  const [{ folder }] = await owner<[{ folder: string }]>`select current_setting('data_directory') as folder`
  const postmaster = Number((await readFile(join(folder, 'postmaster.pid'), 'utf8')).split('\n')[0])
  const readCpuUs = () => readCpu({ node: process.pid, postmaster }).postgres
  const times: { ours: number[]; baseline: number[] } = { ours: [], baseline: [] }
  const cpu: { ours: number[]; baseline: number[] } = { ours: [], baseline: [] }
  for (let round = 1; round <= rounds; round++) {
    log(`claim, round ${round} of ${rounds}`)
    const before = readCpuUs()
    times.baseline.push(...(await measureClaimTimes(owner, baseline)))
    const between = readCpuUs()
    times.ours.push(...(await measureClaimTimes(app.db.engine, ours)))
    cpu.baseline.push((between - before) / CLAIMS_PER_ROUND)
    cpu.ours.push((readCpuUs() - between) / CLAIMS_PER_ROUND)
  }
  await owner.end()
  const [p50, baselineP50] = [median(times.ours), median(times.baseline)]
  return {
    case: 'claim',
    ratio: baselineP50 / p50,
    reqPerSec: null,
    baselineReqPerSec: null,
    p50Ms: p50,
    p99Ms: times.ours.toSorted((a, b) => a - b)[Math.floor(times.ours.length * 0.99)]!,
    nodeCpuUs: null,
    pgCpuUs: median(cpu.ours),
    baselineNodeCpuUs: null,
    baselinePgCpuUs: median(cpu.baseline),
    baselineP50Ms: baselineP50,
    rssMb: 0,
  }
}

/**
 * Returns the duration of each claim in milliseconds. Rolls back each claim, so that the next finds the same prospects.
 */
async function measureClaimTimes(
  sql: Pool,
  claim: (tx: Sql) => Promise<{ length: number }>,
): Promise<number[]> {
  const times: number[] = []
  const rollback = new Error('rolled back')
  for (let n = 0; n < CLAIMS_PER_ROUND; n++) {
    const claiming = sql.begin(async tx => {
      const startedAt = performance.now()
      const { length } = await claim(tx)
      times.push(performance.now() - startedAt)
      if (length < LIMIT) throw new Error(`Only ${length} prospects were due; use more --rows.`)
      throw rollback
    })
    await claiming.catch(error => {
      if (error !== rollback) throw error
    })
  }
  return times
}

const claimBaseline = (sql: Sql, now: Date) => sql`
  update prospects p
     set lease_until = ${new Date(now.getTime() + LEASE_MS)}, lease_epoch = p.lease_epoch + 1
    from (select account_id, id
            from prospects
           where next_step_at <= ${now} and (lease_until is null or lease_until <= ${now})
           order by next_step_at
           limit ${LIMIT}
             for update skip locked) due
   where p.account_id = due.account_id and p.id = due.id
  returning p.id`
