import type { Output } from '../../../contract/index.ts'
import { usePages } from '../../api.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

type Entry = Output<'listAuditLog'>['data'][number]

export function AuditLogPage() {
  const { query, more } = usePages('listAuditLog', {})
  return (
    <Page title="Audit log" intro="A permanent record of changes in this account.">
      <Loaded query={query} skeleton={<TableSkeleton />}>
        {rows =>
          rows.length > 0 ? (
            <Table
              label="Audit log"
              rows={rows}
              more={more}
              columns={[
                { head: 'Action', cell: entry => <ActionCell entry={entry} /> },
                { head: 'User', cell: ({ userEmail, actor }) => userEmail ?? actor },
                { head: 'Via', cell: ({ actor }) => formatActor(actor), isMinor: true },
                { head: 'IP address', cell: ({ address }) => address, isMinor: true },
                { head: 'Time', cell: ({ createdAt }) => <Time at={createdAt} /> },
              ]}
            />
          ) : (
            <EmptyState title="No changes yet">Changes in this account appear here.</EmptyState>
          )
        }
      </Loaded>
    </Page>
  )
}

const actorLabels: Record<string, string> = {
  session: 'Web app',
  token: 'API token',
  cli: 'Command line',
  engine: 'Engine',
  system: 'Overture',
}

/** Returns the label of an actor such as `token:0198…`. */
function formatActor(actor: string): string {
  const [kind = actor] = actor.split(':')
  return actorLabels[kind] ?? kind
}

const ActionCell = ({ entry: { action, auditedId } }: { entry: Entry }) => (
  <span title={auditedId}>{toSentenceCase(action)}</span>
)

/** Converts an operation's name, such as `createApiToken`, to `Create api token`. */
function toSentenceCase(name: string): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[._]/g, ' ')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
