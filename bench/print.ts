/**
 * Medians of a case over all rounds; null where a figure has no meaning. `reqPerSec` counts rows for imports,
 * emails for sending and events for webhooks.
 */
export type Row = {
  case: string
  /** Our throughput divided by the baseline's. */
  ratio: number
  reqPerSec: number | null
  baselineReqPerSec: number | null
  p50Ms: number | null
  p99Ms: number | null
  nodeCpuUs: number | null
  pgCpuUs: number | null
  baselineNodeCpuUs: number | null
  baselinePgCpuUs: number | null
  /** Memory of the server after the case, or the peak of an import. */
  rssMb: number
  /** CPU time of a filtered list divided by that of the unfiltered list. */
  ratioToUnfiltered?: number | null
  /** Peak memory in the first tenth of an import. The comparison with `rssMb` shows whether memory grows. */
  rssAtTenthMb?: number
  baselineP50Ms?: number
}

export function print(rows: Row[]): void {
  const cells = rows.map(row => [
    row.case,
    row.ratio.toFixed(2),
    row.ratioToUnfiltered?.toFixed(2) ?? '',
    ...[
      row.reqPerSec,
      row.baselineReqPerSec,
      row.p50Ms,
      row.p99Ms,
      row.nodeCpuUs,
      row.baselineNodeCpuUs,
      row.pgCpuUs,
      row.baselinePgCpuUs,
      row.rssMb,
    ].map(value => value?.toFixed(0 < value && value < 10 ? 1 : 0) ?? ''),
  ])
  const head = [
    'case',
    'ratio',
    'vs unfiltered',
    'req/s',
    'baseline req/s',
    'p50 ms',
    'p99 ms',
    'node µs',
    'baseline',
    'pg µs',
    'baseline',
    'RSS MB',
  ]
  const widths = head.map((title, column) => Math.max(title.length, ...cells.map(row => row[column]!.length)))
  const line = (row: string[]) =>
    row.map((cell, column) => (column ? cell.padStart(widths[column]!) : cell.padEnd(widths[0]!))).join('  ')
  console.log([head, ...cells].map(line).join('\n'))
}
