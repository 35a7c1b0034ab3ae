import { randomUUIDv7 } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { OperationName } from '../src/contract/index.ts'
import { reportGroups } from '../src/contract/reports.ts'
import type { openInstallation } from '../src/server/installation.ts'
import { connect } from '../src/server/kernel/db/database.ts'
import { openPostgres } from '../src/server/postgres/open-postgres.ts'
import { createCaller } from '../test/support/app.ts'
import { asSuperuser } from '../test/support/db/postgres-processes.ts'
import { median, readCpu } from './measure.ts'
import type { Row } from './print.ts'
import { LAST_DAY, type ReportIds, seedReport } from './seed-report.ts'

type ReportCase = { operation: OperationName; input: (ids: ReportIds) => object }

/** The last 90 days of the seeded emails, in a time zone other than the database's. */
const period = { from: '2026-08-03', to: LAST_DAY }
const timezone = 'Europe/Berlin'
const report = (input: ReportCase['input']): ReportCase => ({
  operation: 'getReport',
  input: ids => ({ ...period, timezone, ...input(ids) }),
})

export const reportCases: Record<string, ReportCase> = {
  'report:total': report(() => ({})),
  ...Object.fromEntries(reportGroups.map(groupBy => [`report:${groupBy}`, report(() => ({ groupBy }))])),
  'report:campaign-filter': report(({ campaignId }) => ({ groupBy: 'day', campaignId })),
  'report:rep-filter': report(({ repId }) => ({ groupBy: 'day', repId })),
  'campaign-stats': {
    operation: 'getCampaignStats',
    input: ({ campaignId }) => ({ campaignId, ...period }),
  },
}

type Options = {
  app: Awaited<ReturnType<typeof openInstallation>>['app']
  dataDir: string
  messages: number
  rounds: number
  selected: ReadonlySet<string>
  log: (message: string) => void
}

/**
 * Measures reports on 90 days of an account that has sent for 24 months, and the statistics of one of its large
 * campaigns. The baseline counts emails and prospects of the period by campaign, in one statement.
 */
export async function measureReports(options: Options): Promise<Row[]> {
  const { app, dataDir, messages, rounds, selected, log } = options
  await using postgres = await openPostgres({ dataDir })
  const connection = asSuperuser(postgres.connection, dataDir)
  const owner = connect({ options: connection }, { max: 1, statementTimeoutMs: 0 })
  const accountId = randomUUIDv7()
  const ids = await seedReport(owner, { accountId, messages, log })
  const [{ folder }] = await owner<[{ folder: string }]>`select current_setting('data_directory') as folder`
  const postmaster = Number((await readFile(join(folder, 'postmaster.pid'), 'utf8')).split('\n')[0])
  const { call } = createCaller(app, {
    ...{ accountId, userId: randomUUIDv7(), role: 'owner', actor: 'bench', isReadOnly: false },
  })
  const measure = async (work: () => PromiseLike<unknown>) => {
    const before = readCpu({ node: process.pid, postmaster })
    const startedAt = performance.now()
    await work()
    const ms = performance.now() - startedAt
    const after = readCpu({ node: process.pid, postmaster })
    return { ms, node: after.node - before.node, postgres: after.postgres - before.postgres }
  }
  const baseline = () => owner`
    select campaign_id, count(*), count(distinct prospect_id)
      from email_messages
     where account_id = ${accountId} and type = 'campaign' and status = 'sent'
       and sent_at >= ${period.from}::date and sent_at < ${LAST_DAY}::date + 1
     group by campaign_id`
  const rows: Row[] = []
  for (const [name, { operation, input }] of Object.entries(reportCases)) {
    if (!selected.has(name)) continue
    const ours = () => call(operation, input(ids) as never)
    await ours()
    await baseline()
    const times: Awaited<ReturnType<typeof measure>>[] = []
    const baselines: typeof times = []
    for (let round = 1; round <= rounds; round++) {
      log(`${name}, round ${round} of ${rounds}`)
      baselines.push(await measure(baseline))
      times.push(await measure(ours))
    }
    const p50Ms = median(times.map(({ ms }) => ms))
    const baselineP50Ms = median(baselines.map(({ ms }) => ms))
    rows.push({
      ...{ case: name, ratio: baselineP50Ms / p50Ms, p50Ms, baselineP50Ms, rssMb: 0 },
      ...{ reqPerSec: null, baselineReqPerSec: null, p99Ms: Math.max(...times.map(({ ms }) => ms)) },
      nodeCpuUs: median(times.map(({ node }) => node)),
      pgCpuUs: median(times.map(({ postgres }) => postgres)),
      baselineNodeCpuUs: median(baselines.map(({ node }) => node)),
      baselinePgCpuUs: median(baselines.map(({ postgres }) => postgres)),
    })
  }
  await owner.end()
  return rows
}
