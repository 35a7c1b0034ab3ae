import type { Output } from '../../../contract/index.ts'
import { useOperationMutation, usePages } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { getBrowserName } from './browser-name.ts'

type Session = Output<'listSessions'>['data'][number]

export function SessionsPage() {
  const { query, more } = usePages('listSessions', {})
  return (
    <Page
      title="Sessions"
      intro="Devices where you are signed in. If you don’t recognize one, end its session and change your password."
    >
      <Loaded query={query} skeleton={<TableSkeleton rows={2} />}>
        {rows => (
          <Table
            label="Sessions"
            rows={rows}
            more={more}
            columns={[
              {
                head: 'Browser',
                cell: ({ userAgent, isCurrent }) => (
                  <span className="flex items-center gap-2" title={userAgent}>
                    {getBrowserName(userAgent)}
                    {isCurrent && <Badge tone="accent">Current</Badge>}
                  </span>
                ),
              },
              { head: 'IP address', cell: ({ address }) => address ?? 'Unknown' },
              { head: 'Last seen', cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
              { head: 'Signed in', cell: ({ createdAt }) => <Time at={createdAt} />, isMinor: true },
              { head: '', cell: session => !session.isCurrent && <EndButton session={session} /> },
            ]}
          />
        )}
      </Loaded>
    </Page>
  )
}

function EndButton({ session: { id, userAgent } }: { session: Session }) {
  const end = useOperationMutation('endSession', 'listSessions')
  const name = getBrowserName(userAgent)
  const handleClick = async () => {
    await end({ sessionId: id }).then(
      () => showToast('Session ended.'),
      error => showToast(error.message),
    )
  }
  return (
    <Button size="small" aria-label={`End session in ${name}`} onClick={handleClick}>
      End session
    </Button>
  )
}
