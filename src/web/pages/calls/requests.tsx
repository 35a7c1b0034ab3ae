import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useOperation, usePages, usePermission } from '../../api.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { ApproveDialog } from './approve-dialog.tsx'
import { CallsLayout } from './calls-layout.tsx'
import { DeclineDialog } from './decline-dialog.tsx'
import { type CallRequest, RequestCard } from './request-card.tsx'
import { toListCallRequestsInput } from './search-params.ts'

const route = getRouteApi('/shell/calls/requests')

const choices = { waiting: 'Waiting', approved: 'Approved', declined: 'Declined', expired: 'Expired' }

/** What assistants ask for: a person reads it, and decides. */
export function CallRequestsPage() {
  const { status = 'waiting' } = route.useSearch()
  const { query, more } = usePages('listCallRequests', toListCallRequestsInput({ status }))
  const canDecide = usePermission('Call.TriggerCall')
  const [asked, setAsked] = useState<{ to: 'approve' | 'decline'; request: CallRequest }>()
  const close = () => setAsked(undefined)
  return (
    <CallsLayout>
      <nav aria-label="Which requests" className="mb-4 flex flex-wrap gap-1">
        {Object.entries(choices).map(([choice, label]) => (
          <Link
            key={choice}
            to="/calls/requests"
            search={choice === 'waiting' ? {} : { status: choice }}
            activeOptions={{ exact: true }}
            aria-current={choice === status ? 'page' : undefined}
            className="rounded-control px-2.5 py-1 text-muted hover:bg-sunken hover:text-text aria-[current=page]:bg-accent-quiet aria-[current=page]:font-medium aria-[current=page]:text-accent"
          >
            {label}
          </Link>
        ))}
      </nav>
      <Loaded query={query} skeleton={<TableSkeleton />}>
        {requests =>
          requests.length > 0 ? (
            <ul aria-label="Requests" className="grid grid-cols-1 gap-4">
              {requests.map(request => (
                <li key={request.id}>
                  <RequestCard
                    request={request}
                    onDecide={canDecide ? to => setAsked({ to, request }) : undefined}
                  />
                </li>
              ))}
            </ul>
          ) : (
            <NoRequests status={status} />
          )
        }
      </Loaded>
      {query.data && <LoadMore {...more} shown={query.data.length} />}
      {asked?.to === 'approve' && <ApproveDialog request={asked.request} onClose={close} />}
      {asked?.to === 'decline' && <DeclineDialog request={asked.request} onClose={close} />}
    </CallsLayout>
  )
}

const emptyTexts: Record<string, string> = {
  approved: 'Requests that somebody approves come here, each with its call.',
  declined: 'Requests that somebody declines come here, with the reason.',
  expired: 'Requests about which nobody decides within seven days come here.',
}

function NoRequests({ status }: { status: string }) {
  const { data: account } = useOperation('getAccount', {})
  if (emptyTexts[status]) return <EmptyState title="None so far">{emptyTexts[status]}</EmptyState>
  return (
    <EmptyState title="Nothing waits for approval">
      {account?.assistantsMayRequestCalls === false ? (
        <>
          Assistants may not ask for calls in this account.
          <Link to="/settings/account" className="text-accent underline">
            Allow it in the settings
          </Link>
        </>
      ) : (
        'When a connected assistant asks for a call, it comes here. Nobody is called before you approve it.'
      )}
    </EmptyState>
  )
}
