import { useState } from 'react'
import { usePermission } from '../../api.ts'
import { MailboxesAtLimit } from '../../components/mailboxes-at-limit.tsx'
import { getProblemKey, ProblemRow, useProblems } from '../../components/problems.tsx'
import { Button } from '../../ui/button.tsx'
import { DayCard } from './day-card.tsx'

const SHOWN = 3

/** Everything that keeps campaigns from working, each with what to do about it. */
export function Problems() {
  const query = useProblems()
  const readsReps = usePermission('Rep.ReadRep')
  const [showsAll, setShowsAll] = useState(false)
  return (
    <DayCard
      title="Problems"
      query={query}
      count={({ data }) => data.length}
      empty={
        <>
          <p>Nothing keeps your campaigns from sending.</p>
          {readsReps && <MailboxesAtLimit />}
        </>
      }
    >
      {({ data }) => (
        <>
          <ul aria-label="Problems" className="grid grid-cols-1 gap-3">
            {(showsAll ? data : data.slice(0, SHOWN)).map(problem => (
              <ProblemRow key={getProblemKey(problem)} problem={problem} />
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
