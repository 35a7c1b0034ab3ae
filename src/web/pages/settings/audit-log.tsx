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
    <Page
      title="Audit log"
      intro="What was changed in this account, by whom and from where. Nobody can change it."
    >
      <Loaded query={query} skeleton={<TableSkeleton />}>
        {rows =>
          rows.length > 0 ? (
            <Table
              label="Audit log"
              rows={rows}
              more={more}
              columns={[
                { head: 'What', cell: entry => <What entry={entry} /> },
                { head: 'Who', cell: ({ userEmail, actor }) => userEmail ?? actor },
                { head: 'By', cell: ({ actor }) => formatActor(actor), isMinor: true },
                { head: 'From', cell: ({ address }) => address, isMinor: true },
                { head: 'When', cell: ({ createdAt }) => <Time at={createdAt} /> },
              ]}
            />
          ) : (
            <EmptyState title="Nothing was changed yet">Every change will stand here.</EmptyState>
          )
        }
      </Loaded>
    </Page>
  )
}

const ways: Record<string, string> = {
  session: 'Web app',
  token: 'API token',
  cli: 'Command line',
  engine: 'Engine',
  system: 'Overture',
}

/** `token:0198…` is of a token, and so on. */
function formatActor(actor: string): string {
  const [kind = actor] = actor.split(':')
  return ways[kind] ?? kind
}

/** The operation's own name, as sentences have it: `createApiToken` → Create api token. */
const What = ({ entry: { action, auditedId } }: { entry: Entry }) => (
  <span title={auditedId}>{asWords(action)}</span>
)

function asWords(name: string): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[._]/g, ' ')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
