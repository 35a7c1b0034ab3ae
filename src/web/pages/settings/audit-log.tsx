import { getRouteApi, Link } from '@tanstack/react-router'
import type { Output } from '../../../contract/index.ts'
import { usePages } from '../../api.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { AuditFilters } from './audit-filters.tsx'
import { toListAuditLogInput } from './audit-search.ts'
import { toAuditSentence } from './audit-sentence.ts'

type Entry = Output<'listAuditLog'>['data'][number]

const route = getRouteApi('/shell/settings/audit-log')

export function AuditLogPage() {
  const search = route.useSearch()
  const { query, more } = usePages('listAuditLog', toListAuditLogInput(search))
  const isFiltered = Object.keys(search).length > 0
  return (
    <Page title="Audit log" intro="A permanent record of changes in this account.">
      <AuditFilters />
      <Loaded query={query} skeleton={<TableSkeleton />}>
        {rows =>
          rows.length > 0 ? (
            <Table
              label="Audit log"
              rows={rows}
              more={more}
              columns={[
                { head: 'Change', cell: entry => <Change entry={entry} /> },
                { head: 'Made with', cell: ({ actor }) => formatActor(actor), isMinor: true },
                { head: 'IP address', cell: ({ address }) => address, isMinor: true },
                { head: 'Time', cell: ({ createdAt }) => <Time at={createdAt} /> },
              ]}
            />
          ) : isFiltered ? (
            <EmptyState title="Nothing matches">Remove a filter or choose other days.</EmptyState>
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
  'sign-in': 'Sign-in page',
  token: 'API token',
  oauth: 'Connected app',
  cli: 'Command line',
  engine: 'Automatic',
  system: 'Automatic',
  bounce: 'Bounced email',
  complaint: 'Spam complaint',
  reply: 'Reply',
  unsubscribe_link: 'Unsubscribe link',
  unsubscribe_mail: 'Unsubscribe email',
}

/** Returns the label of an actor such as `token:0198…`. */
function formatActor(actor: string): string {
  const [kind = actor] = actor.split(':')
  return actorLabels[kind] ?? kind
}

/** Shows the change as a sentence, with the object's name linked to its page. */
function Change({ entry }: { entry: Entry }) {
  const { actor, before, after } = toAuditSentence(entry)
  return (
    <span className="wrap-anywhere block max-w-[72ch]">
      <span className="font-medium">{actor}</span> {before} <ObjectName entry={entry} /> {after}
    </span>
  )
}

/** The pages of objects by their type. */
const paths: Record<string, string> = {
  assistant: '/calls/assistants',
  call: '/calls',
  campaign: '/campaigns',
  company: '/companies',
  person: '/people',
  webhook: '/settings/webhooks',
}

function ObjectName({ entry: { action, auditedType = '', auditedId, auditedName } }: { entry: Entry }) {
  const path = paths[auditedType]
  const isGone = action === 'delete' || action === 'erase'
  // Calls have a page, but no name.
  const name = auditedName ?? (auditedType === 'call' && auditedId ? 'View call' : undefined)
  if (!name) return null
  if (!path || isGone) return <span className="font-medium">{name}</span>
  const to: string = `${path}/${auditedId}`
  return (
    <Link to={to} className="text-accent underline underline-offset-2">
      {name}
    </Link>
  )
}
