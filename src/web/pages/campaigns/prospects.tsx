import { getRouteApi, Link } from '@tanstack/react-router'
import { useOperation, usePages, usePermission } from '../../api.ts'
import { FixProspect } from '../../components/fix-prospect.tsx'
import { type ProspectStatus, statusLabels } from '../../components/prospect-statuses.ts'
import { buttonClass, filterClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { SelectionBar, useSelection } from '../../ui/selection.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { Table } from '../../ui/table.tsx'
import { formatNumber } from '../../ui/time.tsx'
import { ProspectBulkActions } from './prospect-bulk-actions.tsx'
import { NameCell, NextStepCell } from './prospect-cells.tsx'
import { ProspectStatusBadge } from './prospect-status.tsx'

const route = getRouteApi('/shell/campaigns/$campaignId/prospects')

/** Shows the prospects of a campaign with their status and next step. */
export function ProspectsPage() {
  const { campaignId } = route.useParams()
  const { status } = route.useSearch()
  const { query, more } = usePages('listCampaignProspects', { campaignId, ...(status && { status }) })
  const canEdit = usePermission('Prospect.EditProspect')
  const selection = useSelection(query.data)
  return (
    <>
      <div className="mb-3 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <StatusFilter campaignId={campaignId} selected={status} />
        {canEdit && <AddPeople campaignId={campaignId} />}
      </div>
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
                    <NameCell prospect={prospect} selection={canEdit ? selection : undefined} />
                  ),
                },
                { head: 'Company', cell: ({ person }) => person.company, isMinor: true },
                {
                  head: 'Status',
                  cell: prospect => (
                    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
                      <ProspectStatusBadge prospect={prospect} />
                      {canEdit && <FixProspect prospect={prospect} person={prospect.person} />}
                    </span>
                  ),
                },
                { head: 'Steps completed', cell: ({ step }) => step, isNumber: true, isMinor: true },
                { head: 'Next step', cell: prospect => <NextStepCell prospect={prospect} /> },
              ]}
            />
          ) : (
            <EmptyState title={status ? 'No prospects with this status' : 'No prospects yet'}>
              {status
                ? 'Choose another status above.'
                : 'Add people you know, or import a CSV file. Nobody is added twice.'}
            </EmptyState>
          )
        }
      </Loaded>
      <SelectionBar selection={selection}>
        <ProspectBulkActions selected={selection.rows} onDone={selection.clear} />
      </SelectionBar>
    </>
  )
}

/** Links to the pages for adding people or, if the campaign accepts none, says how to reopen it. */
function AddPeople({ campaignId }: { campaignId: string }) {
  const { data: campaign } = useOperation('getCampaign', { campaignId })
  if (campaign?.isArchived) return <p className="text-muted">Unarchive the campaign to add people.</p>
  if (campaign?.status === 'completed')
    return <p className="text-muted">Resume the campaign to add people.</p>
  return (
    <div className="flex flex-wrap gap-2">
      <Link to="/people/import" search={{ campaignId }} className={buttonClass()}>
        Import people
      </Link>
      <Link to="/people" search={{ addTo: campaignId }} className={buttonClass('primary')}>
        Add people
      </Link>
    </div>
  )
}

/** Filters by status, with counts. Hides statuses without prospects. The URL holds the selection. */
function StatusFilter({
  campaignId,
  selected,
}: {
  campaignId: string
  selected: ProspectStatus | undefined
}) {
  const { data: stats } = useOperation('getCampaignStats', { campaignId })
  const statuses = (Object.keys(statusLabels) as ProspectStatus[]).filter(
    status => status === selected || stats?.prospects[status],
  )
  const link = (status: ProspectStatus | undefined, label: string, count: number | undefined) => (
    <Link
      key={label}
      to="/campaigns/$campaignId/prospects"
      params={{ campaignId }}
      search={status ? { status } : {}}
      activeOptions={{ exact: true }}
      aria-current={status === selected ? 'page' : undefined}
      className={filterClass}
    >
      {label} {count !== undefined && <span className="tabular-nums">{formatNumber(count)}</span>}
    </Link>
  )
  return (
    <nav aria-label="Filter by status" className="flex min-h-8 flex-wrap gap-1">
      {link(undefined, 'All', stats?.enrolled)}
      {statuses.map(status => link(status, statusLabels[status], stats?.prospects[status]))}
    </nav>
  )
}
