import { getRouteApi, Link } from '@tanstack/react-router'
import { useOperation, usePages, usePermission } from '../../api.ts'
import { usePersonDialog } from '../../components/use-person-dialog.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { Table } from '../../ui/table.tsx'
import { formatDuration, Time } from '../../ui/time.tsx'
import { CallFilters } from './call-filters.tsx'
import { type Call, CallStatusBadge, getContactName, getPhoneNumber } from './call-status.tsx'
import { CallsLayout } from './calls-layout.tsx'
import { toListCallsInput } from './search-params.ts'

const route = getRouteApi('/shell/calls')

export function CallsPage() {
  const search = route.useSearch()
  const { query, more } = usePages('listCalls', toListCallsInput(search))
  const { data: assistants } = useOperation('listAssistants', { limit: 100 })
  const { data: reps } = useOperation('listReps', { limit: 100 })
  return (
    <CallsLayout action={<NewCall />}>
      <CallFilters assistants={assistants?.data ?? []} reps={reps?.data ?? []} />
      <Loaded query={query} skeleton={<TableSkeleton />}>
        {rows =>
          rows.length > 0 ? (
            <Table
              label="Calls"
              rows={rows}
              more={more}
              columns={[
                { head: 'Contact', cell: call => <ContactLink call={call} /> },
                { head: 'Status', cell: call => <CallStatusBadge call={call} /> },
                {
                  head: 'Caller',
                  cell: ({ assistantId, repId }) => getName(assistants, assistantId) ?? getName(reps, repId),
                  isMinor: true,
                },
                {
                  head: 'Duration',
                  cell: ({ duration }) => duration !== undefined && formatDuration(duration),
                  isNumber: true,
                },
                {
                  head: 'Time',
                  cell: ({ startedAt, notBefore, createdAt }) => (
                    <Time at={startedAt ?? notBefore ?? createdAt} />
                  ),
                },
              ]}
            />
          ) : (
            <NoCalls isFiltered={Object.values(search).some(Boolean)} />
          )
        }
      </Loaded>
    </CallsLayout>
  )
}

const getName = (list: { data: { id: string; name: string }[] } | undefined, id: string | undefined) =>
  list?.data.find(named => named.id === id)?.name

/** Shows buttons that place or log a call. Both ask for the person first. */
function NewCall() {
  const canCall = usePermission('Call.TriggerCall')
  const [begin, dialog] = usePersonDialog()
  if (!canCall) return null
  return (
    <div className="flex flex-wrap gap-2">
      <Button onClick={() => begin('logCall')}>Log call</Button>
      <Button look="primary" onClick={() => begin('placeCall')}>
        Place call
      </Button>
      {dialog}
    </div>
  )
}

const ContactLink = ({ call }: { call: Call }) => (
  <>
    <Link
      to="/calls/$callId"
      params={{ callId: call.id }}
      className="block underline-offset-2 hover:underline"
    >
      {getContactName(call)}
    </Link>
    {call.personName && <span className="block text-muted text-xs">{getPhoneNumber(call)}</span>}
  </>
)

const NoCalls = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <EmptyState title="No matching calls">Choose another status, caller or period.</EmptyState>
  ) : (
    <EmptyState title="No calls yet">
      Calls by campaigns and assistants, and calls that you log, appear here with their recording and
      transcript.
    </EmptyState>
  )
