import { Link } from '@tanstack/react-router'
import { SelectBox, type Selection } from '../../ui/selection.tsx'
import { DueTime, LocalTime } from '../../ui/time.tsx'
import type { Prospect } from './prospect-status.tsx'

export const getProspectName = ({ person: { firstName, lastName, email } }: Prospect): string =>
  [firstName, lastName].filter(Boolean).join(' ') || email || 'Unnamed prospect'

/** Links the prospect's name to the person's page. */
export function NameCell({
  prospect,
  selection,
}: {
  prospect: Prospect
  selection: Selection<Prospect> | undefined
}) {
  const { id, personId, person } = prospect
  const name = getProspectName(prospect)
  return (
    <span className="flex min-w-0 items-center gap-2.5">
      {selection && <SelectBox selection={selection} id={id} name={name} />}
      <Link
        to="/people/$personId"
        params={{ personId }}
        title={person.email}
        className="wrap-anywhere line-clamp-3 min-w-0 underline-offset-2 hover:underline"
      >
        {name}
      </Link>
    </span>
  )
}

/** Shows when the next step is due, also in the prospect's time zone. */
export function NextStepCell({ prospect: { nextStepAt, person } }: { prospect: Prospect }) {
  if (!nextStepAt) return null
  return (
    <>
      Due <DueTime at={nextStepAt} />
      {person.timezone && (
        <span className="block text-muted text-xs">
          <LocalTime at={nextStepAt} zone={person.timezone} />
        </span>
      )}
    </>
  )
}
