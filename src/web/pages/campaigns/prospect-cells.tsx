import { Link } from '@tanstack/react-router'
import type { Selection } from '../../ui/selection.tsx'
import { LocalTime, Time } from '../../ui/time.tsx'
import type { Prospect } from './prospect-status.tsx'

export const getName = ({ person: { firstName, lastName, email } }: Prospect): string =>
  [firstName, lastName].filter(Boolean).join(' ') || email || 'Unnamed prospect'

/** The prospect's name, linked to their email thread once there is one. */
export function NameCell({
  prospect,
  selection,
}: {
  prospect: Prospect
  selection: Selection<Prospect> | undefined
}) {
  const { id, emailThreadId, person } = prospect
  const name = getName(prospect)
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
      <span className="wrap-anywhere line-clamp-3 min-w-0" title={person.email}>
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

/** The next step and when it is due, also in the prospect's time zone. */
export function NextStepCell({ prospect: { step = 0, nextStepAt, person } }: { prospect: Prospect }) {
  if (!nextStepAt) return null
  return (
    <>
      Step {step + 1}, <Time at={nextStepAt} />
      {person.timezone && (
        <span className="block text-muted text-xs">
          <LocalTime at={nextStepAt} zone={person.timezone} /> their time
        </span>
      )}
    </>
  )
}
