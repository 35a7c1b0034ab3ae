import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { BareImport } from './bare-import.ts'
import { cpuOf, median, rssMbOf } from './measure.ts'
import type { Row } from './print.ts'
import { overture, spawnHere } from './process.ts'

type Options = {
  dataDir: string
  target: BareImport
  postmaster: number
  rows: number
  rounds: number
  say: (message: string) => void
}

type Run = { rowsPerSec: number; nodeCpuUs: number; pgCpuUs: number; rssMb: number; rssAtTenthMb: number }

const SAMPLE_MS = 100

/** `overture import prospects` of new people, against the bare loop over a file alike; figures are per row. */
export async function measureImport({
  dataDir,
  target,
  postmaster,
  rows,
  rounds,
  say,
}: Options): Promise<Row> {
  const { accountId, campaignId } = target
  const ours = (file: string) => [
    ...[overture, 'import', 'prospects', file, '--campaign', campaignId, '--account', accountId],
    ...['--data', dataDir, '--quiet'],
  ]
  const bare = (file: string) => [process.execPath, 'bare-import.ts', file, JSON.stringify(target)]
  const run = (name: string, command: (file: string) => string[]) =>
    withFile(name, rows, file => runToEnd(command(file), rows, postmaster))
  const measured: { ours: Run; limit: Run }[] = []
  for (let round = 1; round <= rounds; round++) {
    say(`import-csv, round ${round} of ${rounds}`)
    measured.push({ limit: await run(`bare-${round}`, bare), ours: await run(`ours-${round}`, ours) })
  }
  const of = (read: (round: { ours: Run; limit: Run }) => number) => median(measured.map(read))
  return {
    case: 'import-csv',
    ratio: of(round => round.ours.rowsPerSec / round.limit.rowsPerSec),
    reqPerSec: of(round => round.ours.rowsPerSec),
    limitReqPerSec: of(round => round.limit.rowsPerSec),
    p50Ms: null,
    p99Ms: null,
    nodeCpuUs: of(round => round.ours.nodeCpuUs),
    pgCpuUs: of(round => round.ours.pgCpuUs),
    limitNodeCpuUs: of(round => round.limit.nodeCpuUs),
    limitPgCpuUs: of(round => round.limit.pgCpuUs),
    rssMb: of(round => round.ours.rssMb),
    rssAtTenthMb: of(round => round.ours.rssAtTenthMb),
  }
}

async function runToEnd(command: string[], rows: number, postmaster: number): Promise<Run> {
  const startedAt = performance.now()
  const child = spawnHere(command)
  child.stdout!.resume()
  const samples: { at: number; rssMb: number; node: number }[] = []
  const before = cpuOf({ node: child.pid!, postmaster })
  const sampling = setInterval(() => {
    const rssMb = rssMbOf(child.pid!)
    const { node } = cpuOf({ node: child.pid!, postmaster })
    if (rssMb > 0) samples.push({ at: performance.now() - startedAt, rssMb, node })
  }, SAMPLE_MS)
  const [code] = await once(child, 'exit')
  clearInterval(sampling)
  if (code !== 0) throw new Error(`${command.slice(0, 3).join(' ')} ended with ${code}`)
  const tookMs = performance.now() - startedAt
  const largest = (some: { rssMb: number }[]) => Math.max(0, ...some.map(({ rssMb }) => rssMb))
  return {
    rowsPerSec: rows / (tookMs / 1000),
    nodeCpuUs: (samples.at(-1)?.node ?? 0) / rows,
    pgCpuUs: (cpuOf({ node: 0, postmaster }).postgres - before.postgres) / rows,
    rssMb: largest(samples),
    rssAtTenthMb: largest(samples.filter(({ at }) => at <= tookMs / 10)),
  }
}

/** People that no other run has; beside the file its result is written. */
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
