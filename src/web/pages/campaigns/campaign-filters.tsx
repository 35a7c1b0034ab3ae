import { getRouteApi } from '@tanstack/react-router'
import { FilterOptions, FilterSelect } from '../../ui/filter-select.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { type CampaignSort, type CampaignState, type CampaignsSearch, withSort } from './search-params.ts'

const route = getRouteApi('/shell/campaigns')

const stateLabels: Record<CampaignState, string> = {
  draft: 'Draft',
  active: 'Active',
  paused: 'Paused',
  completed: 'Completed',
  archived: 'Archived',
}

const sortLabels: Record<CampaignSort, string> = {
  createdAt: 'Newest first',
  name: 'Name',
  lastActivityAt: 'Last activity',
}

/** Shows the search box, the status filter and the sort order. The URL holds them all. */
export function CampaignFilters() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const apply = (next: CampaignsSearch) => void navigate({ search: next, replace: true })
  return (
    <div className="mb-4 flex flex-wrap gap-2">
      <SearchBox
        label="Search campaigns"
        placeholder="Search campaigns"
        query={search.query}
        onSearch={query => {
          const { query: _previous, ...others } = search
          apply({ ...others, ...(query && { query }) })
        }}
      />
      <FilterSelect
        label="Status"
        value={search.state ?? ''}
        onChange={value => {
          const { state: _previous, ...others } = search
          apply({ ...others, ...(value && { state: value as CampaignState }) })
        }}
      >
        <option value="">Not archived</option>
        <FilterOptions labels={stateLabels} />
      </FilterSelect>
      {/* On wide screens, the column headings sort the list. */}
      <span className="contents triple:hidden">
        <FilterSelect
          label="Sort by"
          value={search.sort ?? 'createdAt'}
          onChange={value => apply(withSort(search, value as CampaignSort))}
        >
          <FilterOptions labels={sortLabels} />
        </FilterSelect>
      </span>
    </div>
  )
}
