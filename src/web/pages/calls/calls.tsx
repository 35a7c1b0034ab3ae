import { getRouteApi, Link } from '@tanstack/react-router'
import { callStatuses } from '../../../contract/calls.ts'
import { useOperation, usePages } from '../../api.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { Table } from '../../ui/table.tsx'
import { formatDuration, Time } from '../../ui/time.tsx'
import { type Call, getContactName, getPhoneNumber, State } from './call-status.tsx'
import { CallsLayout } from './calls-layout.tsx'
import { toListCallsInput } from './search-params.ts'

const route = getRouteApi('/shell/calls')

export function CallsPage() {
  const search = route.useSearch()
  const { query, more } = usePages('listCalls', toListCallsInput(search))
  const { data: assistants } = useOperation('listAssistants', { limit: 100 })
  const nameOf = (assistantId: string | undefined) =>
    assistants?.data.find(({ id }) => id === assistantId)?.name
  return (
    <CallsLayout>
      <Filters assistants={assistants?.data ?? []} />
      <Loaded query={query} skeleton={<TableSkeleton />}>
        {rows =>
          rows.length > 0 ? (
            <Table
              label="Calls"
              rows={rows}
              more={more}
              columns={[
                { head: 'Who', cell: call => <WhoOf call={call} /> },
                { head: 'State', cell: call => <State call={call} /> },
                { head: 'Assistant', cell: ({ assistantId }) => nameOf(assistantId), isMinor: true },
                {
                  head: 'Length',
                  cell: ({ duration }) => duration !== undefined && formatDuration(duration),
                  isNumber: true,
                },
                {
                  head: 'When',
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

const WhoOf = ({ call }: { call: Call }) => (
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
    <EmptyState title="No call is like that">Choose another state or assistant.</EmptyState>
  ) : (
    <EmptyState title="No calls yet">
      Calls that assistants place come here, with what was said. They are started through the API, or approved
      once an assistant over MCP asks for one.
      <a href="/docs" className="text-accent underline">
        Read how
      </a>
    </EmptyState>
  )

function Filters({ assistants }: { assistants: { id: string; name: string }[] }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const choose = (name: 'status' | 'assistantId') => (event: React.ChangeEvent<HTMLSelectElement>) =>
    void navigate({ search: { ...search, [name]: event.target.value || undefined }, replace: true })
  return (
    <div className="mb-4 grid max-w-md grid-cols-2 gap-3">
      <SelectField label="State" value={search.status ?? ''} onChange={choose('status')}>
        <option value="">Any state</option>
        {callStatuses.map(status => (
          <option key={status} value={status}>
            {status.replace('_', ' ')}
          </option>
        ))}
      </SelectField>
      <SelectField label="Assistant" value={search.assistantId ?? ''} onChange={choose('assistantId')}>
        <option value="">Any assistant</option>
        {assistants.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
    </div>
  )
}
