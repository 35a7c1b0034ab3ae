import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Sql } from '../src/server/kernel/db/database.ts'
import type { ImportTarget } from './baseline-import.ts'
import { median, readCpu, readRssMb } from './measure.ts'
import type { Row } from './print.ts'
import { overture, spawnCommand } from './process.ts'
import { withoutSearchIndexes } from './seed.ts'

type Options = {
  owner: Sql
  dataDir: string
  target: ImportTarget
  postmaster: number
  rows: number
  rounds: number
  log: (message: string) => void
}

type Run = { rowsPerSec: number; nodeCpuUs: number; pgCpuUs: number; rssMb: number; rssAtTenthMb: number }

const SAMPLE_MS = 100

/** Measures `overture import prospects` with new people against the baseline; figures are per row. */
export const measureImport = (options: Options): Promise<Row> =>
  measureRounds('import-csv', options, name =>
    importNewPeople(
      name,
      file => [process.execPath, 'baseline-import.ts', file, JSON.stringify(options.target)],
      options,
    ),
  )

/** Measures the cost of the search indexes for the import: the baseline is the same import without them. */
export const measureImportIndexes = (options: Options): Promise<Row> =>
  measureRounds('import-csv:search-indexes', options, name =>
    withoutSearchIndexes(options.owner, () => importNewPeople(name, ourCommand(options), options)),
  )

const ourCommand =
  ({ dataDir, target: { accountId, campaignId } }: Options) =>
  (file: string) => [
    ...[overture, 'import', 'prospects', file, '--campaign', campaignId, '--account', accountId],
    ...['--data', dataDir, '--quiet'],
  ]

const importNewPeople = (
  name: string,
  command: (file: string) => string[],
  { rows, postmaster }: Options,
): Promise<Run> => withFile(name, rows, file => runToEnd(command(file), rows, postmaster))

async function measureRounds(
  caseName: string,
  options: Options,
  runBaseline: (name: string) => Promise<Run>,
): Promise<Row> {
  const { rounds, log } = options
  const measured: { ours: Run; baseline: Run }[] = []
  for (let round = 1; round <= rounds; round++) {
    log(`${caseName}, round ${round} of ${rounds}`)
    const name = `${caseName.replace(':', '-')}-${round}`
    measured.push({
      baseline: await runBaseline(`${name}-baseline`),
      ours: await importNewPeople(`${name}-ours`, ourCommand(options), options),
    })
  }
  const medianBy = (read: (round: { ours: Run; baseline: Run }) => number) => median(measured.map(read))
  return {
    case: caseName,
    ratio: medianBy(round => round.ours.rowsPerSec / round.baseline.rowsPerSec),
    reqPerSec: medianBy(round => round.ours.rowsPerSec),
    baselineReqPerSec: medianBy(round => round.baseline.rowsPerSec),
    p50Ms: null,
    p99Ms: null,
    nodeCpuUs: medianBy(round => round.ours.nodeCpuUs),
    pgCpuUs: medianBy(round => round.ours.pgCpuUs),
    baselineNodeCpuUs: medianBy(round => round.baseline.nodeCpuUs),
    baselinePgCpuUs: medianBy(round => round.baseline.pgCpuUs),
    rssMb: medianBy(round => round.ours.rssMb),
    rssAtTenthMb: medianBy(round => round.ours.rssAtTenthMb),
  }
}

async function runToEnd(command: string[], rows: number, postmaster: number): Promise<Run> {
  const startedAt = performance.now()
  const child = spawnCommand(command)
  child.stdout!.resume()
  const samples: { at: number; rssMb: number; node: number }[] = []
  const before = readCpu({ node: child.pid!, postmaster })
  const sampling = setInterval(() => {
    const rssMb = readRssMb(child.pid!)
    const { node } = readCpu({ node: child.pid!, postmaster })
    if (rssMb > 0) samples.push({ at: performance.now() - startedAt, rssMb, node })
  }, SAMPLE_MS)
  const [code] = await once(child, 'exit')
  clearInterval(sampling)
  if (code !== 0) throw new Error(`${command.slice(0, 3).join(' ')} exited with code ${code}.`)
  const durationMs = performance.now() - startedAt
  const maxRss = (list: { rssMb: number }[]) => Math.max(0, ...list.map(({ rssMb }) => rssMb))
  return {
    rowsPerSec: rows / (durationMs / 1000),
    nodeCpuUs: (samples.at(-1)?.node ?? 0) / rows,
    pgCpuUs: (readCpu({ node: 0, postmaster }).postgres - before.postgres) / rows,
    rssMb: maxRss(samples),
    rssAtTenthMb: maxRss(samples.filter(({ at }) => at <= durationMs / 10)),
  }
}

/** Creates a file of people that no other run imports, and deletes it with its result file afterwards. */
async function withFile<T>(name: string, rows: number, work: (file: string) => Promise<T>): Promise<T> {
  const file = join(tmpdir(), `overture-bench-${process.pid}-${name}.csv`)
  try {
    await pipeline(csv(name, rows), createWriteStream(file))
    return await work(file)
  } finally {
    await rm(file, { force: true })
    await rm(`${file}.result.csv`, { force: true })
  }
}

function* csv(name: string, rows: number): Generator<string> {
  yield 'First Name,Last Name,Title,Company,Email\n'
  for (let i = 1; i <= rows; i++) {
    const company = i % Math.ceil(rows / 10)
    yield `Ada${i},"Byron, ${name}",Head of Sales,Import ${company},ada${i}@${name}-${company}.example\n`
  }
}
