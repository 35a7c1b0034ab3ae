import { Link, useLocation } from '@tanstack/react-router'
import { useOperation, usePermission } from '../api.ts'
import { buttonClass } from '../ui/button.tsx'
import { formatNumber, Time } from '../ui/time.tsx'
import { getProblemPage, type Problem } from './problem-pages.ts'

const POLL_MS = 60_000
const MAX_COUNT = 99

/** Returns everything that keeps campaigns from working. Shared by all pages, so that it is requested once. */
export const useProblems = () =>
  useOperation(
    'listProblems',
    {},
    { fallbackIntervalMs: POLL_MS, isEnabled: usePermission('Campaign.ReadCampaign') },
  )

/** Returns the problems of an object. For a campaign, includes problems of other objects that hold the campaign up. */
export function useProblemsAbout(objectType: Problem['about']['objectType'], id: string): Problem[] {
  const { data } = useProblems()
  return (data?.data ?? []).filter(
    ({ about, campaigns }) =>
      (about.objectType === objectType && about.id === id) ||
      (objectType === 'campaign' && campaigns?.some(campaign => campaign.id === id)),
  )
}

/** Returns the number of problems, as in `3` or `99+`; undefined when there are none. */
export function useProblemCount(): string | undefined {
  const count = useProblems().data?.data.length
  if (!count) return undefined
  return count > MAX_COUNT ? `${MAX_COUNT}+` : String(count)
}

export const getProblemKey = ({ kind, about }: Problem): string => `${kind} ${about.id}`

/** Shows a problem, the work that it holds up, and the next step. */
export function ProblemRow({ problem }: { problem: Problem }) {
  const { message, nextStep, since, waiting } = problem
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
              started <Time at={since} />
            </>
          )}
        </p>
      </div>
      <ProblemLink problem={problem} />
    </li>
  )
}

/** Links to the page of the next step, unless it is already open. */
export function ProblemLink({ problem }: { problem: Problem }) {
  const { pathname } = useLocation()
  const page = getProblemPage(problem)
  if (!page || (page.to === pathname && pathname.startsWith('/settings'))) return null
  return (
    <Link
      to={page.to}
      {...(page.search && { search: page.search })}
      aria-label={`${page.label}: ${problem.about.name}`}
      className={buttonClass('secondary', 'small')}
    >
      {page.label}
    </Link>
  )
}

/** Shows the problems of an object. Renders nothing when there are none. */
export function ProblemList({ problems }: { problems: Problem[] }) {
  if (problems.length === 0) return null
  return (
    <ul
      aria-label="Problems"
      className="mb-5 grid grid-cols-1 gap-3 rounded-card border border-line border-l-4 border-l-amber bg-surface p-4"
    >
      {problems.map(problem => (
        <ProblemRow key={getProblemKey(problem)} problem={problem} />
      ))}
    </ul>
  )
}

/** Shows the next steps for an object whose card already shows the problem. */
export const NextSteps = ({ problems }: { problems: Problem[] }) =>
  problems.map(problem => (
    <p key={getProblemKey(problem)} className="max-w-[72ch] text-muted text-sm">
      {problem.nextStep}
    </p>
  ))
