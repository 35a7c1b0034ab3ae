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
import { casesOf } from './cases.ts'
import { measureClaim } from './claim.ts'
import { measureImport } from './import.ts'
import { openMcpRig } from './mcp.ts'
import { type Load, load, median, rssMbOf } from './measure.ts'
import { print, type Row } from './print.ts'
import { openRig, type Pair, type Side } from './rig.ts'
import { seed, seedOptOuts } from './seed.ts'
import { measureSend } from './send.ts'
import { measureStart } from './start.ts'
import { measureWeb, printWeb } from './web.ts'
import { measureWebhooks } from './webhooks.ts'
import { writesOf } from './writes.ts'

const whole = (text: string): number => {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('give a whole number above 0')
  return Number(text)
}

const command = new Command('npm run bench --')
  .description(
    'What Overture costs, against the bare limit in the same run: medians over rounds that alternate.',
  )
  .option(
    '--rows <n>',
    'email messages to seed over 20 accounts (1000000), rows to import (100000), active prospects beside ten times as many ended ones (1000000)',
    whole,
  )
  .option('--rounds <n>', 'times each case is measured, ours and the limit in turn', whole, 3)
  .option('--seconds <n>', 'length of one measurement', whole, 1)
  .option('--only <case...>', 'cases by name; list-email:* are all that begin like this')
  .option('--json', 'one JSON object a case, a line each')
  .parse()
const options = command.opts<{
  rows?: number
  rounds: number
  seconds: number
  only?: string[]
  json?: true
}>()
const say = (message: string) => process.stderr.write(`${message}\n`)
const isWanted = (name: string) =>
  !options.only ||
  options.only.some(only => (only.endsWith('*') ? name.startsWith(only.slice(0, -1)) : name === only))
const results: Row[] = []
const report = (row: Row) => {
  results.push(row)
  if (options.json) console.log(JSON.stringify(row))
}

const newDataDir = () => mkdtemp(join(tmpdir(), 'overture-bench-'))
const dataDir = await newDataDir()
const claimDir = await newDataDir()
const webDir = await newDataDir()
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    for (const dir of [dataDir, claimDir, webDir]) rmSync(dir, { recursive: true, force: true })
    process.exit(1)
  })
}
try {
  if (!options.only?.every(name => ['claim', 'send', 'web', 'webhooks'].includes(name)))
    await measureRequests()
  if (isWanted('send')) await measureSending()
  if (isWanted('webhooks')) await measureEvents()
  if (isWanted('claim')) await measureClaims()
  if (isWanted('web') && hasChromium()) await measurePages()
  // Last, because nobody else may use the data folder then.
  if (isWanted('start')) report(await measureStart(dataDir, options.rounds, say))
  if (!options.json && results.length > 0) print(results)
} finally {
  for (const dir of [dataDir, claimDir, webDir]) await rm(dir, { recursive: true, force: true })
}

/** Every case that needs the seeded data served. */
async function measureRequests(): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const config = readConfig({ dataDir, logLevel: 'silent' })
  const { app } = opened.use(await openInstallation(config, { onProgress: say }))
  const connection = asSuperuser(opened.use(await openPostgres({ dataDir })).connection, dataDir)
  const owner = connect({ options: connection }, { max: 1, statementTimeoutMs: 0 })
  opened.defer(() => owner.end())
  const rows = options.rows ?? 1_000_000
  const world = await seed(owner, rows, say)
  const postmaster = await postmasterOf(owner)
  const cases = casesOf(world, Math.min(100_000, Math.floor(rows / 4))).filter(({ name }) => isWanted(name))
  const writes = writesOf(world).filter(({ name }) => isWanted(name))
  if (writes.some(({ name }) => name.startsWith('add-opt-outs'))) await seedOptOuts(owner, world, rows)
  if (cases.length + writes.length > 0) {
    await using rig = await openRig({ app, connection, dataDir, world, cases, writes })
    for (const pair of rig.pairs) report(await measurePair(pair, { postmaster, server: rig.pid }))
  }
  if (isWanted('mcp-call')) {
    await using rig = await openMcpRig(app, { dataDir, world })
    report(await measurePair(rig.pair, { postmaster, server: rig.pid }))
  }
  if (isWanted('import-csv')) {
    const target = { connection, accountId: world.accountId, campaignId: world.emptyCampaignId }
    const size = { rows: options.rows ?? 100_000, rounds: options.rounds }
    report(await measureImport({ dataDir, target, postmaster, say, ...size }))
  }
}

/** Apart from all others, because of its size and of what it seeds. */
async function measureClaims(): Promise<void> {
  await using opened = await openInstallation(readConfig({ dataDir: claimDir, logLevel: 'silent' }), {
    onProgress: say,
  })
  const size = { active: options.rows ?? 1_000_000, rounds: options.rounds }
  report(await measureClaim({ app: opened.app, dataDir: claimDir, say, ...size }))
}

/** As people on slow machines get them; no limit to compare with but what they bear. */
async function measurePages(): Promise<void> {
  await using opened = await openInstallation(readConfig({ dataDir: webDir, logLevel: 'silent' }), {
    onProgress: say,
  })
  const rows = await measureWeb(opened.app, { dataDir: webDir, rounds: options.rounds, say })
  if (options.json) for (const row of rows) console.log(JSON.stringify(row))
  else printWeb(rows)
}

/** On the same PostgreSQL, whatever else lies in it. */
async function measureSending(): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const config = readConfig({ dataDir, logLevel: 'silent', privateHosts: '127.0.0.1' })
  const { app } = opened.use(await openInstallation(config, { onProgress: say }))
  const connection = asSuperuser(opened.use(await openPostgres({ dataDir })).connection, dataDir)
  const owner = connect({ options: connection }, { max: 1, statementTimeoutMs: 0 })
  opened.defer(() => owner.end())
  const mails = Math.min(5_000, options.rows ?? 5_000)
  report(
    await measureSend({
      app,
      owner,
      dataDir,
      postmaster: await postmasterOf(owner),
      mails,
      rounds: options.rounds,
      say,
    }),
  )
}

/** Likewise. */
async function measureEvents(): Promise<void> {
  const config = readConfig({ dataDir, logLevel: 'silent', privateHosts: '127.0.0.1' })
  await using opened = await openInstallation(config, { onProgress: say })
  report(await measureWebhooks(opened.app, { rounds: options.rounds, say }))
}

async function postmasterOf(owner: Sql): Promise<number> {
  const [{ folder }] = await owner<[{ folder: string }]>`select current_setting('data_directory') as folder`
  return Number((await readFile(join(folder, 'postmaster.pid'), 'utf8')).split('\n')[0])
}

async function measurePair(
  { name, ours, limit }: Pair,
  { postmaster, server }: { postmaster: number; server: number },
): Promise<Row> {
  const run = ({ target, pid }: Side, seconds: number) => load(target, { node: pid, postmaster }, seconds)
  await run(ours, 1)
  await run(limit, 1)
  const rounds: { ours: Load; limit: Load }[] = []
  for (let round = 1; round <= options.rounds; round++) {
    say(`${name}, round ${round} of ${options.rounds}`)
    rounds.push({ limit: await run(limit, options.seconds), ours: await run(ours, options.seconds) })
  }
  const of = (read: (round: { ours: Load; limit: Load }) => number) => median(rounds.map(read))
  const cpu = { nodeCpuUs: of(round => round.ours.nodeCpuUs), pgCpuUs: of(round => round.ours.pgCpuUs) }
  return {
    case: name,
    ratio: of(round => round.ours.reqPerSec / round.limit.reqPerSec),
    reqPerSec: of(round => round.ours.reqPerSec),
    limitReqPerSec: of(round => round.limit.reqPerSec),
    p50Ms: of(round => round.ours.p50Ms),
    p99Ms: of(round => round.ours.p99Ms),
    ...cpu,
    limitNodeCpuUs: of(round => round.limit.nodeCpuUs),
    limitPgCpuUs: of(round => round.limit.pgCpuUs),
    rssMb: rssMbOf(server),
    ofPlain: name.startsWith('list') ? ofPlain(name, cpu.nodeCpuUs + cpu.pgCpuUs) : null,
  }
}

/** Null where the list without the filter was not measured. */
function ofPlain(name: string, cpuUs: number): number | null {
  const plain = results.find(row => name.startsWith(`${row.case}:`))
  return plain ? cpuUs / (plain.nodeCpuUs! + plain.pgCpuUs!) : null
}
