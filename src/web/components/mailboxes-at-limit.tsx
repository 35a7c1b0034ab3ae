import { useOperation } from '../api.ts'
import { formatNumber } from '../ui/time.tsx'

/**
 * Lists the mailboxes of these reps, or of all reps, that have reached their daily limit. A reached limit only delays
 * emails, so it is not shown as a problem.
 */
export function MailboxesAtLimit({ repIds }: { repIds?: readonly string[] }) {
  const { data } = useOperation('listMailboxes', { limit: 100 })
  const full = data?.data.flatMap(({ id, email, repId, usage }) =>
    usage?.limit !== undefined && usage.sent >= usage.limit && (!repIds || repIds.includes(repId))
      ? [{ id, email, limit: usage.limit }]
      : [],
  )
  return full?.map(({ id, email, limit }) => (
    <p key={id} className="wrap-anywhere">
      {email} has reached its limit of {formatNumber(limit)} {limit === 1 ? 'email' : 'emails'} in 24 hours.
      Further emails are sent later.
    </p>
  ))
}
