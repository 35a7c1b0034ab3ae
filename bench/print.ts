/**
 * One measured case; times in milliseconds, processor time in microseconds a request, medians over the rounds. Null
 * where a figure has no meaning. An import's requests are its rows.
 */
export type Row = {
  case: string
  /** Our throughput as a share of the bare limit's. */
  ratio: number
  reqPerSec: number | null
  limitReqPerSec: number | null
  p50Ms: number | null
  p99Ms: number | null
  nodeCpuUs: number | null
  pgCpuUs: number | null
  limitNodeCpuUs: number | null
  limitPgCpuUs: number | null
  /** The server's after the case, or an import's highest. */
  rssMb: number
  /** Processor time of this page as a multiple of the plain list's. */
  ofPlain?: number | null
  /** An import's highest in its first tenth: how flat it stays. */
  rssAtTenthMb?: number
  limitP50Ms?: number
}

export function print(rows: Row[]): void {
  const cells = rows.map(row => [
    row.case,
    row.ratio.toFixed(2),
    row.ofPlain?.toFixed(2) ?? '',
    ...[
      row.reqPerSec,
      row.limitReqPerSec,
      row.p50Ms,
      row.p99Ms,
      row.nodeCpuUs,
      row.limitNodeCpuUs,
      row.pgCpuUs,
      row.limitPgCpuUs,
      row.rssMb,
    ].map(value => value?.toFixed(0) ?? ''),
  ])
  const head = [
    'case',
    'ratio',
    'of plain',
    'req/s',
    'limit req/s',
    'p50 ms',
    'p99 ms',
    'node µs',
    'limit',
    'pg µs',
    'limit',
    'RSS MB',
  ]
  const widths = head.map((title, column) => Math.max(title.length, ...cells.map(row => row[column]!.length)))
  const line = (row: string[]) =>
    row.map((cell, column) => (column ? cell.padStart(widths[column]!) : cell.padEnd(widths[0]!))).join('  ')
  console.log([head, ...cells].map(line).join('\n'))
}
