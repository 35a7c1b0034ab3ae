import { useState } from 'react'
import { usePermission } from '../../api.ts'
import { MailboxesAtLimit } from '../../components/mailboxes-at-limit.tsx'
import { getProblemKey, ProblemRow, useProblems } from '../../components/problems.tsx'
import { Button } from '../../ui/button.tsx'
import { DayCard } from './day-card.tsx'

const MAX_ROWS = 3

/** Shows the problems that keep campaigns from working, each with a way to fix it. */
export function Problems() {
  const query = useProblems()
  const canReadReps = usePermission('Rep.ReadRep')
  const [isExpanded, setExpanded] = useState(false)
  return (
    <DayCard
      title="Problems"
      query={query}
      count={({ data }) => data.length}
      empty={
        <>
          <p>Nothing keeps your campaigns from sending.</p>
          {canReadReps && <MailboxesAtLimit />}
        </>
      }
    >
      {({ data }) => (
        <>
          <ul aria-label="Problems" className="grid grid-cols-1 gap-3">
            {(isExpanded ? data : data.slice(0, MAX_ROWS)).map(problem => (
              <ProblemRow key={getProblemKey(problem)} problem={problem} />
            ))}
          </ul>
          {!isExpanded && data.length > MAX_ROWS && (
            <Button look="quiet" className="mt-2 self-start" onClick={() => setExpanded(true)}>
              Show all {data.length} problems
            </Button>
          )}
        </>
      )}
    </DayCard>
  )
}
