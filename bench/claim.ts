import { randomUUIDv7 } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { claimDueProspects } from '../src/server/domain/prospects/claim-prospects.ts'
import type { openInstallation } from '../src/server/installation.ts'
import { connect, type Pool, type Sql } from '../src/server/kernel/db/database.ts'
import { openPostgres } from '../src/server/postgres/open-postgres.ts'
import { asSuperuser } from '../test/support/db/postgres-processes.ts'
import { seedClaims } from './claim-seed.ts'
import { cpuOf, median } from './measure.ts'
import type { Row } from './print.ts'

const LIMIT = 200
const LEASE_MS = 30_000
const ENDED_PER_ACTIVE = 10
const CLAIMS_A_ROUND = 50

type Options = {
  app: Awaited<ReturnType<typeof openInstallation>>['app']
  dataDir: string
  active: number
  rounds: number
  say: (message: string) => void
}

/**
 * One look of the engine for due work, with 200 prospects claimed, which is as many as it takes at once. The limit takes the next 200 due prospects of the table by an index, whoever they are.
 */
export async function measureClaim({ app, dataDir, active, rounds, say }: Options): Promise<Row> {
  await using postgres = await openPostgres({ dataDir })
  const connection = asSuperuser(postgres.connection, dataDir)
  const owner = connect({ options: connection }, { max: 1, statementTimeoutMs: 0 })
  const now = new Date()
  say(`claim: seeding ${active} active prospects and ${active * ENDED_PER_ACTIVE} ended ones`)
  await seedClaims(owner, { accountId: randomUUIDv7(), now, active, ended: active * ENDED_PER_ACTIVE })
  await owner`create index bare_due on prospects (next_step_at) where next_step_at is not null`
  await owner`vacuum analyze`
  const ours = (tx: Sql) => claimDueProspects(tx, { now, limit: LIMIT, perMailbox: LIMIT, leaseMs: LEASE_MS })
  const bare = (tx: Sql) => claimBare(tx, now)
  const [{ folder }] = await owner<[{ folder: string }]>`select current_setting('data_directory') as folder`
  const postmaster = Number((await readFile(join(folder, 'postmaster.pid'), 'utf8')).split('\n')[0])
  const cpuUs = () => cpuOf({ node: process.pid, postmaster }).postgres
  const times: { ours: number[]; limit: number[] } = { ours: [], limit: [] }
  const cpu: { ours: number[]; limit: number[] } = { ours: [], limit: [] }
  for (let round = 1; round <= rounds; round++) {
    say(`claim, round ${round} of ${rounds}`)
    const before = cpuUs()
    times.limit.push(...(await timesOf(owner, bare)))
    const between = cpuUs()
    times.ours.push(...(await timesOf(app.db.engine, ours)))
    cpu.limit.push((between - before) / CLAIMS_A_ROUND)
    cpu.ours.push((cpuUs() - between) / CLAIMS_A_ROUND)
  }
  await owner.end()
  const [p50, limitP50] = [median(times.ours), median(times.limit)]
  return {
    case: 'claim',
    ratio: limitP50 / p50,
    reqPerSec: null,
    limitReqPerSec: null,
    p50Ms: p50,
    p99Ms: times.ours.toSorted((a, b) => a - b)[Math.floor(times.ours.length * 0.99)]!,
    nodeCpuUs: null,
    pgCpuUs: median(cpu.ours),
    limitNodeCpuUs: null,
    limitPgCpuUs: median(cpu.limit),
    limitP50Ms: limitP50,
    rssMb: 0,
  }
}

/** Each is undone, so that the next finds the same. */
async function timesOf(sql: Pool, claim: (tx: Sql) => Promise<{ length: number }>): Promise<number[]> {
  const times: number[] = []
  const undone = new Error('undone')
  for (let n = 0; n < CLAIMS_A_ROUND; n++) {
    const claiming = sql.begin(async tx => {
      const startedAt = performance.now()
      const { length } = await claim(tx)
      times.push(performance.now() - startedAt)
      if (length < LIMIT) throw new Error(`Only ${length} prospects were due: seed more of them.`)
      throw undone
    })
    await claiming.catch(error => {
      if (error !== undone) throw error
    })
  }
  return times
}

const claimBare = (sql: Sql, now: Date) => sql`
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
