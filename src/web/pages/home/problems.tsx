import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useOperation } from '../../api.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { formatNumber, Time } from '../../ui/time.tsx'
import { DayCard } from './day-card.tsx'
import { getProblemPage, type Problem } from './problem-pages.ts'

const SHOWN = 3
const POLL_MS = 60_000

/** Everything that keeps campaigns from working, each with what to do about it. */
export function Problems() {
  const query = useOperation('listProblems', {}, { fallbackIntervalMs: POLL_MS })
  const [showsAll, setShowsAll] = useState(false)
  return (
    <DayCard
      title="Problems"
      query={query}
      count={({ data }) => data.length}
      empty="Nothing keeps your campaigns from sending."
    >
      {({ data }) => (
        <>
          <ul aria-label="Problems" className="grid grid-cols-1 gap-3">
            {(showsAll ? data : data.slice(0, SHOWN)).map(problem => (
              <ProblemRow key={`${problem.kind} ${problem.about.id}`} problem={problem} />
            ))}
          </ul>
          {!showsAll && data.length > SHOWN && (
            <Button look="quiet" className="mt-2 self-start" onClick={() => setShowsAll(true)}>
              Show all {data.length} problems
            </Button>
          )}
        </>
      )}
    </DayCard>
  )
}

function ProblemRow({ problem }: { problem: Problem }) {
  const { message, nextStep, since, waiting, about } = problem
  const page = getProblemPage(problem)
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 border-line border-t pt-3 first:border-0 first:pt-0 narrow:flex-nowrap">
      <div className="min-w-0 flex-1 basis-48">
        <p className="wrap-anywhere max-w-[72ch] font-medium">{message}</p>
        <p className="max-w-[72ch] text-muted">{nextStep}</p>
        <p className="text-muted text-sm">
          {waiting > 0 && `${formatNumber(waiting)} waiting`}
          {waiting > 0 && since && ' · '}
          {since && (
            <>
              since <Time at={since} />
            </>
          )}
        </p>
      </div>
      {page && (
        <Link
          to={page.to}
          {...(page.search && { search: page.search })}
          aria-label={`${page.label}: ${about.name}`}
          className={buttonClass('secondary', 'small')}
        >
          {page.label}
        </Link>
      )}
    </li>
  )
}
