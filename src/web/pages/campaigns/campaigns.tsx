import { getRouteApi, Link } from '@tanstack/react-router'
import type { Output } from '../../../contract/index.ts'
import { usePages, usePermission } from '../../api.ts'
import { ProblemLink, useProblemsAbout } from '../../components/problems.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { type Column, type ColumnSort, Table } from '../../ui/table.tsx'
import { DueTime, formatNumber, formatPercent, Time } from '../../ui/time.tsx'
import { CampaignFilters } from './campaign-filters.tsx'
import { CampaignMenu } from './campaign-menu.tsx'
import { CampaignStatusBadge } from './campaign-status.tsx'
import { NewCampaignButton } from './new-campaign.tsx'
import { type CampaignSort, getOrder, sortBy, toCampaignsInput } from './search-params.ts'

type Campaign = Output<'listCampaigns'>['data'][number]
type Numbers = NonNullable<Campaign['numbers']>

const route = getRouteApi('/shell/campaigns')

export function CampaignsPage() {
  const search = route.useSearch()
  const { query, more } = usePages('listCampaigns', toCampaignsInput(search))
  const canEdit = usePermission('Campaign.EditCampaign')
  const navigate = route.useNavigate()
  const toSort = (sort: CampaignSort): ColumnSort => ({
    direction:
      sort === (search.sort ?? 'createdAt')
        ? getOrder(search) === 'asc'
          ? 'ascending'
          : 'descending'
        : undefined,
    onSort: () => void navigate({ search: sortBy(search, sort), replace: true }),
  })
  const columns = listColumns.map(column => ({
    ...column,
    ...(column.sortKey && { sort: toSort(column.sortKey) }),
  }))
  const isFiltered = search.query !== undefined || search.state !== undefined
  return (
    <Page
      title="Campaigns"
      intro="Email, LinkedIn and call sequences."
      action={canEdit && (isFiltered || (query.data?.length ?? 0) > 0) && <NewCampaignButton />}
    >
      <CampaignFilters />
      <Loaded query={query} skeleton={<TableSkeleton />}>
        {rows =>
          rows.length > 0 ? (
            <Table
              label="Campaigns"
              rows={rows}
              more={more}
              columns={canEdit ? [...columns, menuColumn] : columns}
            />
          ) : isFiltered ? (
            <EmptyState title="No campaigns match">
              Try another search term or status.
              <Link to="/campaigns" className={buttonClass()}>
                Clear filters
              </Link>
            </EmptyState>
          ) : (
            <EmptyState title="No campaigns yet">
              Your sequences of emails, LinkedIn messages and calls appear here with their results.
              {canEdit && <NewCampaignButton />}
            </EmptyState>
          )
        }
      </Loaded>
    </Page>
  )
}

/** Returns a column with one of the campaign's numbers. On narrow screens, the column's name follows the number. */
const createNumberColumn = (
  head: string,
  key: keyof Numbers,
  visibility: Pick<Column<Campaign>, 'isMinor' | 'isLeastImportant'> = {},
): Column<Campaign> => ({
  head,
  isNumber: true,
  ...visibility,
  cell: ({ numbers }) =>
    numbers && (
      <>
        {formatNumber(numbers[key] as number)}
        <span className="narrow:hidden"> {head.toLowerCase()}</span>
      </>
    ),
})

const listColumns: (Column<Campaign> & { sortKey?: CampaignSort })[] = [
  { head: 'Name', cell: campaign => <CampaignLink campaign={campaign} />, sortKey: 'name' },
  {
    head: 'Status',
    cell: ({ status, isArchived }) => (
      <span className="flex flex-wrap items-center gap-x-2">
        <CampaignStatusBadge status={status} />
        {isArchived && <span className="text-muted text-xs">Archived</span>}
      </span>
    ),
  },
  createNumberColumn('Prospects', 'prospects', { isLeastImportant: true }),
  createNumberColumn('Contacted', 'contacted'),
  {
    head: 'Reply rate',
    isNumber: true,
    cell: ({ numbers }) =>
      numbers?.replyRate !== undefined && (
        <span title={`${formatNumber(numbers.replied)} replied`}>
          {formatPercent(numbers.replyRate)}
          <span className="narrow:hidden"> replied</span>
        </span>
      ),
  },
  createNumberColumn('Positive', 'positive', { isMinor: true }),
  createNumberColumn('Bounced', 'bounced', { isLeastImportant: true }),
  {
    head: 'Next send',
    cell: ({ numbers }) => numbers?.nextSendAt && <DueTime at={numbers.nextSendAt} />,
    isMinor: true,
  },
  {
    head: 'Last activity',
    cell: ({ numbers }) => numbers?.lastActivityAt && <Time at={numbers.lastActivityAt} />,
    isLeastImportant: true,
    sortKey: 'lastActivityAt',
  },
  {
    head: 'Created',
    cell: ({ createdAt }) => <Time at={createdAt} />,
    isLeastImportant: true,
    sortKey: 'createdAt',
  },
]

const menuColumn: Column<Campaign> = {
  head: '',
  isBesideFirst: true,
  cell: campaign => <CampaignMenu campaign={campaign} size="small" />,
}

/** Shows the campaign's name with its most severe problem. */
function CampaignLink({ campaign: { id, name, status, health } }: { campaign: Campaign }) {
  const [problem] = useProblemsAbout('campaign', id)
  const error = problem?.message ?? health
  return (
    <>
      <Link
        to={status === 'draft' ? '/campaigns/$campaignId/steps' : '/campaigns/$campaignId'}
        params={{ campaignId: id }}
        className="block underline-offset-2 hover:underline"
      >
        {name}
      </Link>
      {error && <span className="wrap-anywhere block max-w-[60ch] text-amber text-xs">{error}</span>}
      {problem && (
        <span className="mt-1 block">
          <ProblemLink problem={problem} />
        </span>
      )}
    </>
  )
}
