import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useOperation, usePages, usePermission } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { SelectionBar, useSelection } from '../../ui/selection.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { Table } from '../../ui/table.tsx'
import { formatNumber } from '../../ui/time.tsx'
import { ImportDialog } from './import-prospects.tsx'
import { ProspectBulkActions } from './prospect-bulk-actions.tsx'
import { NameOf, NextStepCell } from './prospect-cells.tsx'
import { ProspectStatusBadge } from './prospect-status.tsx'
import { type ProspectStatus, statusLabels } from './prospect-statuses.ts'

const route = getRouteApi('/shell/campaigns/$campaignId/prospects')

/** The people of a campaign, where each stands and what comes next. */
export function ProspectsPage() {
  const { campaignId } = route.useParams()
  const { status } = route.useSearch()
  const { data: campaign } = useOperation('getCampaign', { campaignId })
  const { query, more } = usePages('listCampaignProspects', { campaignId, ...(status && { status }) })
  const canEdit = usePermission('Prospect.EditProspect')
  const [isImporting, setImporting] = useState(false)
  const selection = useSelection(query.data)
  const importing = canEdit && (
    <Button look="primary" onClick={() => setImporting(true)}>
      Import prospects
    </Button>
  )
  return (
    <Page
      above={
        <Link
          to="/campaigns/$campaignId"
          params={{ campaignId }}
          className="text-accent underline-offset-2 hover:underline"
        >
          {campaign?.name ?? 'Campaign'}
        </Link>
      }
      title="Prospects"
      intro="The people of this campaign, where each stands and what comes next."
      action={importing}
    >
      <States campaignId={campaignId} chosen={status} />
      <Loaded query={query} skeleton={<TableSkeleton />}>
        {rows =>
          rows.length > 0 ? (
            <Table
              label="Prospects"
              rows={rows}
              more={more}
              columns={[
                {
                  head: 'Name',
                  cell: prospect => (
                    <NameOf prospect={prospect} selection={canEdit ? selection : undefined} />
                  ),
                },
                { head: 'Company', cell: ({ person }) => person.company, isMinor: true },
                { head: 'State', cell: prospect => <ProspectStatusBadge prospect={prospect} /> },
                { head: 'Steps done', cell: ({ step }) => step, isNumber: true, isMinor: true },
                { head: 'Next', cell: prospect => <NextStepCell prospect={prospect} /> },
              ]}
            />
          ) : (
            <EmptyState title={status ? 'Nobody is in this state' : 'Nobody is in it yet'}>
              {status
                ? 'Choose another state above.'
                : 'Import a CSV file with the people to contact. Whoever is in twice is added once.'}
            </EmptyState>
          )
        }
      </Loaded>
      <SelectionBar selection={selection}>
        <ProspectBulkActions selected={selection.rows} onDone={selection.clear} />
      </SelectionBar>
      <ImportDialog campaignId={campaignId} isOpen={isImporting} onClose={() => setImporting(false)} />
    </Page>
  )
}

const choice =
  'rounded-control px-2.5 py-1 text-muted hover:bg-sunken hover:text-text aria-[current=page]:bg-accent-quiet aria-[current=page]:font-medium aria-[current=page]:text-accent'

/** Those in which somebody is, with how many; the address holds the choice. */
function States({ campaignId, chosen }: { campaignId: string; chosen: ProspectStatus | undefined }) {
  const { data: stats } = useOperation('getCampaignStats', { campaignId })
  const states = (Object.keys(statusLabels) as ProspectStatus[]).filter(
    status => status === chosen || stats?.prospects[status],
  )
  const link = (status: ProspectStatus | undefined, label: string, count: number | undefined) => (
    <Link
      key={label}
      to="/campaigns/$campaignId/prospects"
      params={{ campaignId }}
      search={status ? { status } : {}}
      activeOptions={{ exact: true }}
      aria-current={status === chosen ? 'page' : undefined}
      className={choice}
    >
      {label} {count !== undefined && <span className="tabular-nums">{formatNumber(count)}</span>}
    </Link>
  )
  return (
    <nav aria-label="State" className="mb-3 flex min-h-8 flex-wrap gap-1">
      {link(undefined, 'All', stats?.enrolled)}
      {states.map(status => link(status, statusLabels[status], stats?.prospects[status]))}
    </nav>
  )
}
