import { rmSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { openInstallation } from '../src/server/installation.ts'
import { readConfig } from '../src/server/kernel/config.ts'
import { connect, type Sql } from '../src/server/kernel/db/database.ts'
import { openPostgres } from '../src/server/postgres/open-postgres.ts'
import { hasChromium } from '../test/support/browser/chromium.ts'
import { asSuperuser } from '../test/support/db/postgres-processes.ts'
import { listCases } from './cases.ts'
import { measureClaim } from './claim.ts'
import { measureSearchCases } from './find.ts'
import { measureImport, measureImportIndexes } from './import.ts'
import { openMcpPair } from './mcp.ts'
import { type Load, load, median, readRssMb } from './measure.ts'
import { print, type Row } from './print.ts'
import { measureReports } from './report.ts'
import { openRequestPairs, type Pair, type Server } from './request-pairs.ts'
import { seed, seedOptOuts } from './seed.ts'
import { needsPeopleSeed, needsReportSeed, needsSeed, selectCases } from './select-cases.ts'
import { measureSend, measureSendIndexes } from './send.ts'
import { measureStart } from './start.ts'
import { measureWeb, printWeb } from './web.ts'
import { measureWebhooks } from './webhooks.ts'
import { listWriteCases } from './writes.ts'

const parseCount = (text: string): number => {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('Must be a whole number above 0.')
  return Number(text)
}

const command = new Command('npm run bench --')
  .description(
    'Benchmark Overture against a minimal baseline, in alternating rounds of the same run; prints medians.',
  )
  .option(
    '--rows <n>',
    'Email messages to seed (default: 1000000), rows to import (default: 100000), emails to report on (default: 5000000), people to search (default: 1000000), active prospects to claim, plus ten times as many ended ones (default: 1000000)',
    parseCount,
  )
  .option('--rounds <n>', 'Rounds per case', parseCount, 3)
  .option('--seconds <n>', 'Duration of one measurement', parseCount, 1)
  .option(
    '--only <case...>',
    'Cases to run; list-email:* selects by prefix',
    (pattern: string, selected: string[] = []) => [...selected, ...selectCases(pattern)],
  )
  .helpOption('-h, --help', 'Show help')
  .option('--json', 'Print each case as one line of JSON')
  .parse()
const options = command.opts<{
  rows?: number
  rounds: number
  seconds: number
  only?: string[]
  json?: true
}>()
const log = (message: string) => process.stderr.write(`${message}\n`)
const selected = new Set(options.only ?? selectCases('*'))
const results: Row[] = []
const report = (row: Row) => {
  results.push(row)
  if (options.json) console.log(JSON.stringify(row))
}

const newDataDir = () => mkdtemp(join(tmpdir(), 'overture-bench-'))
const dataDir = await newDataDir()
const claimDir = await newDataDir()
const reportDir = await newDataDir()
const findDir = await newDataDir()
const webDir = await newDataDir()
const dataDirs = [dataDir, claimDir, reportDir, findDir, webDir]
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    for (const dir of dataDirs) rmSync(dir, { recursive: true, force: true })
    process.exit(1)
  })
}
try {
  if (needsSeed(selected)) await runRequestCases()
  if (selected.has('send') || selected.has('send:search-indexes')) await runSendCases()
  if (selected.has('webhooks')) await runWebhookCase()
  if (selected.has('claim')) await runClaimCase()
  if (needsReportSeed(selected)) await runReportCases()
  if (needsPeopleSeed(selected)) await runSearchCases()
  if (selected.has('web') && hasChromium()) await runWebCases()
  // Last, because no other process may use the data folder.
  if (selected.has('start')) report(await measureStart(dataDir, options.rounds, log))
  if (!options.json && results.length > 0) print(results)
} finally {
  for (const dir of dataDirs) await rm(dir, { recursive: true, force: true })
}

/** Measures every case that needs the seeded data. */
async function runRequestCases(): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const config = readConfig({ dataDir, logLevel: 'silent' })
  const { app } = opened.use(await openInstallation(config, { onProgress: log }))
  const connection = asSuperuser(opened.use(await openPostgres({ dataDir })).connection, dataDir)
  const owner = connect({ options: connection }, { max: 1, statementTimeoutMs: 0 })
  opened.defer(() => owner.end())
  const rows = options.rows ?? 1_000_000
  const ids = await seed(owner, rows, log)
  const postmaster = await readPostmasterPid(owner)
  const cases = listCases(ids, Math.min(100_000, Math.floor(rows / 4))).filter(({ name }) =>
    selected.has(name),
  )
  const writes = listWriteCases(ids).filter(({ name }) => selected.has(name))
  if (writes.some(({ name }) => name.startsWith('add-opt-outs'))) await seedOptOuts(owner, ids, rows)
  if (cases.length + writes.length > 0) {
    await using servers = await openRequestPairs({ app, connection, dataDir, ids, cases, writes })
    for (const pair of servers.pairs) report(await measurePair(pair, { postmaster, server: servers.pid }))
  }
  if (selected.has('mcp-call')) {
    await using servers = await openMcpPair(app, { dataDir, ids })
    report(await measurePair(servers.pair, { postmaster, server: servers.pid }))
  }
  const target = { connection, accountId: ids.accountId, campaignId: ids.emptyCampaignId }
  const imports = {
    ...{ owner, dataDir, target, postmaster, log },
    ...{ rows: options.rows ?? 100_000, rounds: options.rounds },
  }
  if (selected.has('import-csv')) report(await measureImport(imports))
  if (selected.has('import-csv:search-indexes')) report(await measureImportIndexes(imports))
}

/** Measures claims in a separate data folder, because of their large seed. */
async function runClaimCase(): Promise<void> {
  await using opened = await openInstallation(readConfig({ dataDir: claimDir, logLevel: 'silent' }), {
    onProgress: log,
  })
  const size = { active: options.rows ?? 1_000_000, rounds: options.rounds }
  report(await measureClaim({ app: opened.app, dataDir: claimDir, log, ...size }))
}

/** Measures reports in a separate data folder, because of their large seed. */
async function runReportCases(): Promise<void> {
  await using opened = await openInstallation(readConfig({ dataDir: reportDir, logLevel: 'silent' }), {
    onProgress: log,
  })
  const size = { messages: options.rows ?? 5_000_000, rounds: options.rounds }
  for (const row of await measureReports({ app: opened.app, dataDir: reportDir, selected, log, ...size }))
    report(row)
}

/** Measures searches in a separate data folder, because of their large seed. */
async function runSearchCases(): Promise<void> {
  await using opened = await openInstallation(readConfig({ dataDir: findDir, logLevel: 'silent' }), {
    onProgress: log,
  })
  const size = { people: options.rows ?? 1_000_000, rounds: options.rounds }
  for (const row of await measureSearchCases({ app: opened.app, dataDir: findDir, selected, log, ...size }))
    report(row)
}

/** Measures web pages on a slow device, and interactions with them; neither has a baseline. */
async function runWebCases(): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const config = readConfig({ dataDir: webDir, logLevel: 'silent' })
  const { app } = opened.use(await openInstallation(config, { onProgress: log }))
  const connection = asSuperuser(opened.use(await openPostgres({ dataDir: webDir })).connection, webDir)
  const owner = connect({ options: connection }, { max: 1, statementTimeoutMs: 0 })
  opened.defer(() => owner.end())
  const size = { emails: options.rows, rounds: options.rounds }
  const measured = await measureWeb(app, { owner, dataDir: webDir, log, ...size })
  if (!options.json) return printWeb(measured)
  for (const row of [...measured.pages, ...measured.interactions]) console.log(JSON.stringify(row))
}

/** Measures sending on the same PostgreSQL, alongside any other data. */
async function runSendCases(): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const config = readConfig({ dataDir, logLevel: 'silent', privateHosts: '127.0.0.1' })
  const { app } = opened.use(await openInstallation(config, { onProgress: log }))
  const connection = asSuperuser(opened.use(await openPostgres({ dataDir })).connection, dataDir)
  const owner = connect({ options: connection }, { max: 1, statementTimeoutMs: 0 })
  opened.defer(() => owner.end())
  const sending = {
    ...{ app, owner, dataDir, log, rounds: options.rounds },
    ...{ postmaster: await readPostmasterPid(owner), emails: Math.min(5_000, options.rows ?? 5_000) },
  }
  if (selected.has('send')) report(await measureSend(sending))
  if (selected.has('send:search-indexes')) report(await measureSendIndexes(sending))
}

/** Measures webhooks on the same PostgreSQL. */
async function runWebhookCase(): Promise<void> {
  const config = readConfig({ dataDir, logLevel: 'silent', privateHosts: '127.0.0.1' })
  await using opened = await openInstallation(config, { onProgress: log })
  report(await measureWebhooks(opened.app, { rounds: options.rounds, log }))
}

async function readPostmasterPid(owner: Sql): Promise<number> {
  const [{ folder }] = await owner<[{ folder: string }]>`select current_setting('data_directory') as folder`
  return Number((await readFile(join(folder, 'postmaster.pid'), 'utf8')).split('\n')[0])
}

async function measurePair(
  { name, ours, baseline }: Pair,
  { postmaster, server }: { postmaster: number; server: number },
): Promise<Row> {
  const run = ({ target, pid }: Server, seconds: number) => load(target, { node: pid, postmaster }, seconds)
  await run(ours, 1)
  await run(baseline, 1)
  const rounds: { ours: Load; baseline: Load }[] = []
  for (let round = 1; round <= options.rounds; round++) {
    log(`${name}, round ${round} of ${options.rounds}`)
    rounds.push({ baseline: await run(baseline, options.seconds), ours: await run(ours, options.seconds) })
  }
  const medianBy = (read: (round: { ours: Load; baseline: Load }) => number) => median(rounds.map(read))
  const cpu = {
    nodeCpuUs: medianBy(round => round.ours.nodeCpuUs),
    pgCpuUs: medianBy(round => round.ours.pgCpuUs),
  }
  return {
    case: name,
    ratio: medianBy(round => round.ours.reqPerSec / round.baseline.reqPerSec),
    reqPerSec: medianBy(round => round.ours.reqPerSec),
    baselineReqPerSec: medianBy(round => round.baseline.reqPerSec),
    p50Ms: medianBy(round => round.ours.p50Ms),
    p99Ms: medianBy(round => round.ours.p99Ms),
    ...cpu,
    baselineNodeCpuUs: medianBy(round => round.baseline.nodeCpuUs),
    baselinePgCpuUs: medianBy(round => round.baseline.pgCpuUs),
    rssMb: readRssMb(server),
    ratioToUnfiltered: name.startsWith('list')
      ? getRatioToUnfiltered(name, cpu.nodeCpuUs + cpu.pgCpuUs)
      : null,
  }
}

/** Compares a filtered list with the unfiltered one; null when that was not measured. */
function getRatioToUnfiltered(name: string, cpuUs: number): number | null {
  const unfiltered = results.find(row => name.startsWith(`${row.case}:`))
  return unfiltered ? cpuUs / (unfiltered.nodeCpuUs! + unfiltered.pgCpuUs!) : null
}
