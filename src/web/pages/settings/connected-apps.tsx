import { useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { useOperationMutation, usePages, useSession } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'

type App = Output<'listConnectedApps'>['data'][number]

const mcpUrl = `${location.origin}/mcp`

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
                { head: 'Host', cell: ({ host }) => host, isMinor: true },
                {
                  head: 'Account',
                  cell: ({ accountId }) => accounts.find(({ id }) => id === accountId)?.name,
                },
                {
                  head: 'Access',
                  cell: ({ scopes }) =>
                    scopes.includes('outreach.write')
                      ? 'Reads and changes data, sends messages, requests calls'
                      : 'Reads data only',
                },
                { head: 'Connected', cell: ({ createdAt }) => <Time at={createdAt} />, isMinor: true },
                {
                  head: 'Last used',
                  cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : 'Never used'),
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
              <p>To connect an assistant such as Claude, add this URL to it as an MCP server:</p>
              <span className="flex flex-wrap items-center justify-center gap-2">
                <code className="wrap-anywhere font-mono text-text">{mcpUrl}</code>
                <CopyButton text={mcpUrl} />
              </span>
            </EmptyState>
          )
        }
      </Loaded>
      <DisconnectDialog
        account={accounts.find(({ id }) => id === disconnecting?.accountId)?.name}
        app={disconnecting}
        onClose={() => setDisconnecting(undefined)}
      />
    </Page>
  )
}

function DisconnectDialog({
  app,
  account,
  onClose,
}: {
  app: App | undefined
  account: string | undefined
  onClose: () => void
}) {
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
      {app?.name} can no longer read or change anything in {account ?? 'the account'}. Everything it has added
      and sent is kept. To use it again, connect it from the app.
    </ConfirmDialog>
  )
}
