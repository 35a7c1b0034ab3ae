import { Link } from '@tanstack/react-router'
import type { Selection } from '../../ui/selection.tsx'
import { LocalTime, Time } from '../../ui/time.tsx'
import type { Prospect } from './prospect-status.tsx'

export const nameOf = ({ person: { firstName, lastName, email } }: Prospect): string =>
  [firstName, lastName].filter(Boolean).join(' ') || email || 'Somebody'

/** It leads to the thread of their emails, once there is one. */
export function NameOf({
  prospect,
  selection,
}: {
  prospect: Prospect
  selection: Selection<Prospect> | undefined
}) {
  const { id, emailThreadId, person } = prospect
  const name = nameOf(prospect)
  return (
    <span className="flex min-w-0 items-center gap-2.5">
      {selection && (
        <input
          type="checkbox"
          aria-label={`Select ${name}`}
          checked={selection.has(id)}
          onChange={() => selection.toggle(id)}
          className="size-4 shrink-0 accent-solid"
        />
      )}
      <span className="wrap-anywhere line-clamp-2 min-w-0" title={person.email}>
        {emailThreadId ? (
          <Link
            to="/inbox/$emailThreadId"
            params={{ emailThreadId }}
            className="underline-offset-2 hover:underline"
          >
            {name}
          </Link>
        ) : (
          name
        )}
      </span>
    </span>
  )
}

/** When the next step is due, by the clock of who reads and by theirs. */
export function NextStepCell({ prospect: { step = 0, nextStepAt, person } }: { prospect: Prospect }) {
  if (!nextStepAt) return null
  return (
    <>
      Step {step + 1}, <Time at={nextStepAt} />
      {person.timezone && (
        <span className="text-muted">
          {' '}
          (<LocalTime at={nextStepAt} zone={person.timezone} /> there)
        </span>
      )}
    </>
  )
}
