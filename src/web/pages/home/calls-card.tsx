import { formatApprovalCount, usePendingApprovals } from '../../components/pending-approvals.ts'
import { Time } from '../../ui/time.tsx'
import { CardRow, CardRows, DayCard } from './day-card.tsx'

const MAX_ROWS = 4

/** Shows calls that assistants have requested and that a person must approve or decline. */
export const CallsCard = () => (
  <DayCard
    title="Calls to approve"
    link={{ to: '/calls/requests', label: 'Show call requests' }}
    query={usePendingApprovals()}
    count={formatApprovalCount}
    empty="No calls are waiting for approval."
  >
    {({ data }) => (
      <CardRows label="Call requests">
        {data.slice(0, MAX_ROWS).map(({ id, name, reason, expiresAt }) => (
          <CardRow
            key={id}
            to="/calls/requests"
            title={name}
            text={reason}
            aside={
              <span>
                Expires <Time at={expiresAt} />
              </span>
            }
          />
        ))}
      </CardRows>
    )}
  </DayCard>
)
