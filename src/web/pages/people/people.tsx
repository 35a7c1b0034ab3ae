import { getRouteApi, Link } from '@tanstack/react-router'
import { useOperation, usePages, usePermission } from '../../api.ts'
import { getPersonName, type Person } from '../../components/person-name.ts'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { SelectBox, SelectionBar, useSelection } from '../../ui/selection.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { BulkActions } from './bulk-actions.tsx'
import { ColumnsButton, useColumns } from './columns.tsx'
import { Filters } from './filters.tsx'
import { PeopleTabs } from './people-tabs.tsx'
import { PersonLink } from './person-link.tsx'
import { SavedViews } from './saved-views.tsx'
import { toListPersonsInput } from './search-params.ts'

/** With more columns than this, the table scrolls sideways and its headings don't stay in view. */
const MAX_FITTING_COLUMNS = 6

const route = getRouteApi('/shell/people')

/** Lists the account's people, whether or not they are in campaigns. */
export function PeoplePage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { query, more } = usePages('listPersons', toListPersonsInput(search))
  const canEdit = usePermission('Prospect.EditProspect')
  const selection = useSelection(query.data)
  const isViewOpen = search.view !== undefined || search.columns !== undefined
  const columns = useColumns(
    search.columns?.split(','),
    isViewOpen
      ? keys => void navigate({ search: { ...search, columns: keys.join(',') }, replace: true })
      : undefined,
  )
  const nameColumn: Column<Person> = {
    head: 'Name',
    cell: person => (
      <span className="flex min-w-0 items-center gap-2.5">
        {canEdit && <SelectBox selection={selection} id={person.id} name={getPersonName(person)} />}
        <PersonLink person={person} />
      </span>
    ),
  }
  const importLink = canEdit && (
    <Link to="/people/import" className={buttonClass('primary')}>
      Import people
    </Link>
  )
  const { sort, order, view, columns: _columns, addTo, ...filters } = search
  const isFiltered = Object.keys(filters).length > 0
  return (
    <Page
      title="People"
      intro="Your contacts, with their history."
      action={
        <div className="flex flex-wrap gap-2">
          <ColumnsButton columns={columns} />
          {importLink}
        </div>
      }
    >
      <PeopleTabs />
      {addTo && <AddingTo campaignId={addTo} />}
      <Filters views={<SavedViews columns={columns.shown.map(({ key }) => key)} />} />
      <Loaded query={query} skeleton={<TableSkeleton rows={10} />}>
        {rows =>
          rows.length > 0 ? (
            <div className={columns.shown.length > MAX_FITTING_COLUMNS ? 'overflow-x-auto' : ''}>
              <Table label="People" rows={rows} more={more} columns={[nameColumn, ...columns.shown]} />
            </div>
          ) : (
            <EmptyState title={isFiltered ? 'Nobody matches' : 'No people yet'}>
              {isFiltered
                ? 'Search for other words or remove a filter.'
                : 'Everyone you import or add to a campaign appears here.'}
              {isFiltered ? (
                <Link to="/people" search={addTo ? { addTo } : {}} className={buttonClass()}>
                  Clear filters
                </Link>
              ) : (
                importLink
              )}
            </EmptyState>
          )
        }
      </Loaded>
      <SelectionBar selection={selection}>
        <BulkActions
          people={selection.rows}
          columns={columns.shown}
          campaignId={addTo}
          onDone={() => {
            selection.clear()
            if (addTo)
              void navigate({ to: '/campaigns/$campaignId/prospects', params: { campaignId: addTo } })
          }}
        />
      </SelectionBar>
    </Page>
  )
}

/** Shows which campaign the user chooses people for. */
function AddingTo({ campaignId }: { campaignId: string }) {
  const { data: campaign } = useOperation('getCampaign', { campaignId })
  return (
    <p className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-card border border-line bg-sunken px-4 py-2.5">
      <span className="wrap-anywhere">Select people for “{campaign?.name}”, then add them.</span>
      <Link
        to="/campaigns/$campaignId/prospects"
        params={{ campaignId }}
        className={buttonClass('secondary', 'small')}
      >
        Back to campaign
      </Link>
    </p>
  )
}
