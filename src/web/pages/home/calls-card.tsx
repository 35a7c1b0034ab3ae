import { formatApprovalCount, usePendingApprovals } from '../../components/pending-approvals.ts'
import { Time } from '../../ui/time.tsx'
import { CardRow, CardRows, DayCard } from './day-card.tsx'

const SHOWN = 4

/** Calls that an assistant asked for and a person decides on. */
export const CallsCard = () => (
  <DayCard
    title="Calls to approve"
    link={{ to: '/calls/requests', label: 'Show call requests' }}
    query={usePendingApprovals()}
    count={formatApprovalCount}
    empty="No calls wait for approval."
  >
    {({ data }) => (
      <CardRows label="Call requests">
        {data.slice(0, SHOWN).map(({ id, name, reason, expiresAt }) => (
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
