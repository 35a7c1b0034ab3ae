import { useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { useOperationMutation, usePages, useSession } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'

type App = Output<'listConnectedApps'>['data'][number]

export function ConnectedAppsPage() {
  const { query, more } = usePages('listConnectedApps', {})
  const { accounts } = useSession()
  const [disconnecting, setDisconnecting] = useState<App>()
  return (
    <Page
      title="Connected apps"
      intro="Assistants and other apps that can use Overture with your permissions."
    >
      <Loaded query={query} skeleton={<TableSkeleton rows={2} />}>
        {rows =>
          rows.length > 0 ? (
            <Table
              label="Connected apps"
              rows={rows}
              more={more}
              columns={[
                { head: 'Name', cell: ({ name }) => name },
                { head: 'Host', cell: ({ host }) => host },
                {
                  head: 'Account',
                  cell: ({ accountId }) => accounts.find(({ id }) => id === accountId)?.name,
                },
                {
                  head: 'Access',
                  cell: ({ scopes }) => (scopes.includes('outreach.write') ? 'Read and write' : 'Read'),
                },
                { head: 'Connected', cell: ({ createdAt }) => <Time at={createdAt} />, isMinor: true },
                {
                  head: 'Last used',
                  cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : 'Never used'),
                  isMinor: true,
                },
                {
                  head: '',
                  cell: app => (
                    <Button
                      size="small"
                      aria-label={`Disconnect ${app.name}`}
                      onClick={() => setDisconnecting(app)}
                    >
                      Disconnect
                    </Button>
                  ),
                },
              ]}
            />
          ) : (
            <EmptyState title="No connected apps">
              <p>
                To connect an assistant, add the MCP server{' '}
                <code className="wrap-anywhere font-mono">{location.origin}/mcp</code> to it and allow the
                connection.
              </p>
            </EmptyState>
          )
        }
      </Loaded>
      <DisconnectDialog app={disconnecting} onClose={() => setDisconnecting(undefined)} />
    </Page>
  )
}

function DisconnectDialog({ app, onClose }: { app: App | undefined; onClose: () => void }) {
  const disconnect = useOperationMutation('disconnectApp', 'listConnectedApps')
  return (
    <ConfirmDialog
      isOpen={app !== undefined}
      title={`Disconnect ${app?.name}?`}
      confirm="Disconnect app"
      onCancel={onClose}
      onConfirm={async () => {
        await disconnect({ connectedAppId: app!.id })
        showToast(`${app!.name} disconnected.`)
        onClose()
      }}
    >
      The app loses access immediately. To use it again, reconnect it.
    </ConfirmDialog>
  )
}
