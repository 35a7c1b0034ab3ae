import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useOperation, usePages, usePermission } from '../../api.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { listKeys } from '../../ui/roving-focus.ts'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { ApproveDialog } from './approve-dialog.tsx'
import { CallsLayout } from './calls-layout.tsx'
import { DeclineDialog } from './decline-dialog.tsx'
import { type CallRequest, RequestCard, requestStatusLabels } from './request-card.tsx'
import { toListCallRequestsInput } from './search-params.ts'

const route = getRouteApi('/shell/calls/requests')

/** Lists the calls that assistants request, for a person to approve or decline. */
export function CallRequestsPage() {
  const { status = 'waiting' } = route.useSearch()
  const { query, more } = usePages('listCallRequests', toListCallRequestsInput({ status }))
  const canDecide = usePermission('Call.TriggerCall')
  const [deciding, setDeciding] = useState<{ decision: 'approve' | 'decline'; request: CallRequest }>()
  const close = () => setDeciding(undefined)
  return (
    <CallsLayout>
      <nav aria-label="Filter by status" className="mb-4 flex flex-wrap gap-1">
        {Object.entries(requestStatusLabels).map(([option, label]) => (
          <Link
            key={option}
            to="/calls/requests"
            search={option === 'waiting' ? {} : { status: option }}
            activeOptions={{ exact: true }}
            aria-current={option === status ? 'page' : undefined}
            className="rounded-control px-2.5 py-1 text-muted hover:bg-sunken hover:text-text aria-[current=page]:bg-accent-quiet aria-[current=page]:font-medium aria-[current=page]:text-accent"
          >
            {label}
          </Link>
        ))}
      </nav>
      <Loaded query={query} skeleton={<TableSkeleton />}>
        {requests =>
          requests.length > 0 ? (
            <ul aria-label="Requests" {...listKeys} className="grid grid-cols-1 gap-4">
              {requests.map(request => (
                <li key={request.id} tabIndex={-1} className="scroll-my-4 rounded-card">
                  <RequestCard
                    request={request}
                    onDecide={canDecide ? decision => setDeciding({ decision, request }) : undefined}
                  />
                </li>
              ))}
            </ul>
          ) : (
            <NoRequests status={status} />
          )
        }
      </Loaded>
      {query.data && <LoadMore {...more} count={query.data.length} />}
      {deciding?.decision === 'approve' && <ApproveDialog request={deciding.request} onClose={close} />}
      {deciding?.decision === 'decline' && <DeclineDialog request={deciding.request} onClose={close} />}
    </CallsLayout>
  )
}

const emptyTexts: Record<string, string> = {
  approved: 'Approved requests appear here with their calls.',
  declined: 'Declined requests appear here with the reason.',
  expired: 'Requests that nobody decides on within seven days appear here.',
}

function NoRequests({ status }: { status: string }) {
  const { data: account } = useOperation('getAccount', {})
  if (emptyTexts[status]) return <EmptyState title="No requests yet">{emptyTexts[status]}</EmptyState>
  return (
    <EmptyState title="No calls to approve">
      {account?.assistantsMayRequestCalls === false ? (
        <>
          Connected assistants aren’t allowed to request calls in this account.
          <Link to="/settings/account" className="text-accent underline">
            Allow call requests
          </Link>
        </>
      ) : (
        'Calls requested by connected assistants appear here. Nobody is called until you approve.'
      )}
    </EmptyState>
  )
}
