import { Link } from '@tanstack/react-router'
import { usePages } from '../../api.ts'
import { MailboxState } from '../../components/mailbox-state.tsx'
import { FieldGroup } from '../../ui/field.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { formatNumber } from '../../ui/time.tsx'

type Props = {
  selected: string[]
  onChange: (repIds: string[]) => void
  error: string | undefined
}

/** Lets the user choose a campaign's reps. Shows which of their mailboxes can send, and how much. */
export function RepPicker({ selected, onChange, error }: Props) {
  const reps = usePages('listReps', {})
  const { query } = usePages('listMailboxes', {})
  return (
    <FieldGroup
      label="Reps"
      error={error}
      help={
        <>
          Several reps share the prospects; each prospect hears from one of them. Daily limits and warm-up
          belong to the mailboxes:{' '}
          <Link to="/settings/senders" className="text-accent underline underline-offset-2">
            change them under Senders
          </Link>
          .
        </>
      }
    >
      <Loaded query={reps.query} skeleton={<TableSkeleton rows={2} />}>
        {rows =>
          rows.length > 0 ? (
            rows.map(({ id, name }) => (
              <RepChoice
                key={id}
                name={name}
                isChosen={selected.includes(id)}
                onToggle={isChosen =>
                  onChange(isChosen ? [...selected, id] : selected.filter(repId => repId !== id))
                }
                mailboxes={query.data?.filter(({ repId }) => repId === id)}
              />
            ))
          ) : (
            <p className="text-muted">
              No reps yet.{' '}
              <Link to="/settings/senders/connect" className="text-accent underline underline-offset-2">
                Connect a mailbox
              </Link>{' '}
              first.
            </p>
          )
        }
      </Loaded>
      <LoadMore {...reps.more} count={reps.query.data?.length ?? 0} />
    </FieldGroup>
  )
}

type Mailbox = Parameters<typeof MailboxState>[0]['mailbox']

type RepChoiceProps = {
  name: string
  isChosen: boolean
  onToggle: (isChosen: boolean) => void
  mailboxes: Mailbox[] | undefined
}

const RepChoice = ({ name, isChosen, onToggle, mailboxes }: RepChoiceProps) => (
  <div className="rounded-control border border-line px-3 py-2.5">
    <label className="flex items-center gap-2.5 font-medium">
      <input
        type="checkbox"
        checked={isChosen}
        onChange={({ target }) => onToggle(target.checked)}
        className="size-4 accent-solid"
      />
      {name}
    </label>
    {mailboxes && (
      <ul className="mt-1.5 grid gap-1.5 pl-6.5 text-sm">
        {mailboxes.map(mailbox => (
          <li key={mailbox.id} className="flex flex-wrap items-start gap-x-2.5 gap-y-1">
            <span className="wrap-anywhere">{mailbox.email}</span>
            <MailboxState mailbox={mailbox} />
            {mailbox.dailyCap !== undefined && (
              <span className="text-muted">{formatLimit(mailbox.dailyCap, mailbox.usage?.limit)}</span>
            )}
          </li>
        ))}
        {mailboxes.length === 0 && <li className="text-muted">No mailbox</li>}
      </ul>
    )}
  </div>
)

/** Formats the daily limit of a mailbox, which is lower while it warms up. */
const formatLimit = (dailyCap: number, limitToday = dailyCap): string =>
  limitToday < dailyCap
    ? `${formatNumber(limitToday)} today, rising to ${formatNumber(dailyCap)} a day`
    : `${formatNumber(dailyCap)} a day`
