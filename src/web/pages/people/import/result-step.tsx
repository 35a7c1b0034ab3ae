import { Link } from '@tanstack/react-router'
import { downloadFile, toCsv } from '../../../components/download.ts'
import { formatInFlight } from '../../../components/in-flight.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { ErrorState } from '../../../ui/error-state.tsx'
import { Outcomes, outcomeLabels } from './outcomes.tsx'
import type { Outcome } from './plan.ts'
import { RunProgress } from './run-progress.tsx'
import type { ImportRun } from './use-import-run.ts'

type Props = { run: ImportRun; onResume: () => void; onRestart: () => void }

/** Shows the progress of the import, then its result. */
export function ResultStep({ run, onResume, onRestart }: Props) {
  const { error, inFlight, isFinished } = run
  const failed = toFailedRows(run)
  const { campaign } = run.job.options
  return (
    <div className="grid grid-cols-1 gap-5">
      {error && <ErrorState error={error} onRetry={onResume} />}
      {!isFinished && !error && <RunProgress run={run} label="Importing rows" />}
      {(isFinished || error) && (
        <>
          <div className="flex flex-wrap gap-3">
            {campaign ? (
              <Link
                to="/campaigns/$campaignId/prospects"
                params={{ campaignId: campaign.id }}
                className={buttonClass('primary')}
              >
                Show campaign
              </Link>
            ) : (
              <Link to="/people" className={buttonClass('primary')}>
                Show people
              </Link>
            )}
            {failed.length > 1 && (
              <Button onClick={() => downloadFile('not-imported.csv', 'text/csv', toCsv(failed))}>
                Download rows that failed
              </Button>
            )}
            <Button onClick={onRestart}>Import another file</Button>
          </div>
          {inFlight > 0 && <p>{formatInFlight(inFlight, ' to people who opted out')}.</p>}
          <Outcomes run={run} />
        </>
      )}
    </div>
  )
}

const failures: readonly Outcome[] = ['invalid', 'optedOut', 'elsewhere']

/** Returns a header and the rows that were not imported, as they are in the file, with the reason. */
function toFailedRows({ job: { table }, results }: ImportRun): string[][] {
  const failed = table.rows.flatMap(({ line, cells }, index) => {
    const result = results.get(index)
    if (result && !failures.includes(result.outcome)) return []
    const reasonCells = result ? [outcomeLabels[result.outcome], result.reason ?? ''] : ['Not imported', '']
    return [[...table.header.map((_, column) => cells[column] ?? ''), String(line), ...reasonCells]]
  })
  return [[...table.header, 'Row', 'Outcome', 'Reason'], ...failed]
}
