import { formatNumber } from '../../../ui/time.tsx'
import type { ImportRun } from './use-import-run.ts'

/** Shows how many rows the server has processed so far. */
export function RunProgress({ run: { job, results }, label }: { run: ImportRun; label: string }) {
  const total = job.table.rows.length
  return (
    <div className="grid max-w-2xl gap-2">
      <progress aria-label={label} max={total} value={results.size} className="w-full" />
      <p role="status" className="tabular-nums">
        {label}: {formatNumber(results.size)} of {formatNumber(total)}
      </p>
    </div>
  )
}
