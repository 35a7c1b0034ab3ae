import { Link } from '@tanstack/react-router'
import { usePages, usePermission } from '../../api.ts'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { AssistantStatus } from './assistant-status.tsx'
import { CallsLayout } from './calls-layout.tsx'
import { providerNames } from './voice-providers.tsx'

export function AssistantsPage() {
  const { query, more } = usePages('listAssistants', {})
  const canEdit = usePermission('Rep.EditRep')
  return (
    <CallsLayout
      action={
        canEdit && (
          <Link to="/calls/assistants/new" className={buttonClass('primary')}>
            Add assistant
          </Link>
        )
      }
    >
      <Loaded query={query} skeleton={<TableSkeleton rows={3} />}>
        {rows =>
          rows.length > 0 ? (
            <Table
              label="Assistants"
              rows={rows}
              more={more}
              columns={[
                {
                  head: 'Name',
                  cell: ({ id, name }) => (
                    <Link
                      to="/calls/assistants/$assistantId"
                      params={{ assistantId: id }}
                      className="wrap-anywhere underline-offset-2 hover:underline"
                    >
                      {name}
                    </Link>
                  ),
                },
                { head: 'Status', cell: assistant => <AssistantStatus assistant={assistant} /> },
                { head: 'Caller number', cell: ({ fromNumber }) => fromNumber },
                { head: 'Provider', cell: ({ provider }) => providerNames[provider], isMinor: true },
                { head: 'Updated', cell: ({ updatedAt }) => <Time at={updatedAt} />, isMinor: true },
              ]}
            />
          ) : (
            <EmptyState title="No assistants yet">
              Add an AI voice assistant that calls prospects through Vapi, Retell or your own voice service.
            </EmptyState>
          )
        }
      </Loaded>
    </CallsLayout>
  )
}
