import { useMemo } from 'react'
import { Button } from '../../../ui/button.tsx'
import { ErrorState } from '../../../ui/error-state.tsx'
import { formatNumber } from '../../../ui/time.tsx'
import { countOutcomes, countRisks, Outcomes } from './outcomes.tsx'
import { RunProgress } from './run-progress.tsx'
import type { ImportRun } from './use-import-run.ts'

type Props = { run: ImportRun; onBack: () => void; onResume: () => void; onConfirm: () => void }

/** Shows the outcome of every row before anything is written. */
export function PreviewStep({ run, onBack, onResume, onConfirm }: Props) {
  const { job, error, isFinished } = run
  const counts = useMemo(() => countOutcomes(run), [run])
  const { campaign } = job.options
  const people = counts.created + counts.updated
  const marked = job.plan.optedOut.length
  const existing = counts.inCampaign
  const incomplete = useMemo(() => [...run.results.values()].filter(({ missing }) => missing).length, [run])
  const risky = useMemo(() => countRisks(run), [run])
  return (
    <div className="grid grid-cols-1 gap-5">
      {error && <ErrorState error={error} onRetry={onResume} />}
      {!isFinished && !error && <RunProgress run={run} label="Checking rows" />}
      {isFinished && (
        <div className="grid gap-1">
          <p>Nothing has been imported yet. People you already have are recognized and not created twice.</p>
          {marked > 0 && (
            <p className="text-amber">
              {formatNumber(marked)} {marked === 1 ? 'row is' : 'rows are'} marked as opted out. The import
              adds their contact details to the Do Not Contact list, so that nobody writes to or calls them.
            </p>
          )}
          {incomplete > 0 && (
            <p className="text-amber">
              {formatNumber(incomplete)} {incomplete === 1 ? 'person lacks' : 'people lack'} a value that a
              step uses. They start as soon as the value is filled in.
            </p>
          )}
          {risky > 0 && (
            <p className="text-amber">
              {formatNumber(risky)} {risky === 1 ? 'address' : 'addresses'} might not receive an email; the
              reasons are listed below. Campaigns send nothing to domains without a mail server.
            </p>
          )}
          {campaign?.status === 'active' && people > 0 && (
            <p className="text-amber">
              {campaign.name} is running: these people’s first step is due as soon as the schedule allows.
            </p>
          )}
          {campaign && people === 0 && existing > 0 && (
            <p>
              The import adds nobody to {campaign.name}, but can fill in missing details of{' '}
              {formatNumber(existing)} {existing === 1 ? 'person' : 'people'} already in it.
            </p>
          )}
          {people + marked + existing === 0 && <p>There is nothing to import in this file.</p>}
        </div>
      )}
      <div className="flex flex-wrap gap-3">
        {isFinished && people + marked + existing > 0 && (
          <Button look="primary" onClick={onConfirm}>
            {people > 0
              ? `${campaign ? 'Add' : 'Import'} ${formatNumber(people)} ${people === 1 ? 'person' : 'people'}`
              : marked > 0
                ? 'Add to Do Not Contact'
                : 'Add missing details'}
          </Button>
        )}
        <Button onClick={onBack}>Change columns</Button>
      </div>
      {isFinished && <Outcomes run={run} />}
    </div>
  )
}
