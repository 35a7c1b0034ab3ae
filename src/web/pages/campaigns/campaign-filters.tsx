import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useShortcuts } from '../../ui/use-shortcuts.ts'
import type { CampaignState, CampaignsSearch } from './search-params.ts'

const route = getRouteApi('/shell/campaigns')

const SEARCH_DELAY_MS = 250
const SEARCH_ID = 'campaign-search'
const controlClass = 'h-9 min-w-0 rounded-control border border-edge bg-surface px-3'

const stateLabels: Record<CampaignState, string> = {
  draft: 'Draft',
  active: 'Active',
  paused: 'Paused',
  completed: 'Completed',
  archived: 'Archived',
}

/** Search and state filter of the campaigns. The URL holds both. */
export function CampaignFilters() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const apply = (next: CampaignsSearch) => void navigate({ search: next, replace: true })
  return (
    <div className="mb-4 flex flex-wrap gap-2">
      <SearchBox search={search} onSearch={apply} />
      <select
        aria-label="State"
        value={search.state ?? ''}
        onChange={({ target }) => {
          const { state: _previous, ...others } = search
          apply({ ...others, ...(target.value && { state: target.value as CampaignState }) })
        }}
        className={`${controlClass} pr-8`}
      >
        <option value="">All but archived</option>
        {Object.entries(stateLabels).map(([state, label]) => (
          <option key={state} value={state}>
            {label}
          </option>
        ))}
      </select>
    </div>
  )
}

type SearchBoxProps = { search: CampaignsSearch; onSearch: (search: CampaignsSearch) => void }

function SearchBox({ search, onSearch }: SearchBoxProps) {
  const [text, setText] = useState(search.query ?? '')
  const [applied, setApplied] = useState(search.query)
  if (applied !== search.query) {
    setApplied(search.query)
    // Something else cleared the filters.
    if (search.query === undefined) setText('')
  }
  useShortcuts({ '/': () => document.getElementById(SEARCH_ID)?.focus() })
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing changes the URL
  useEffect(() => {
    const query = text.trim()
    if (query === (search.query ?? '')) return
    const timer = setTimeout(() => {
      const { query: _previous, ...others } = search
      onSearch({ ...others, ...(query && { query }) })
    }, SEARCH_DELAY_MS)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <input
      id={SEARCH_ID}
      type="search"
      aria-label="Search campaigns"
      placeholder="Search campaigns"
      maxLength={100}
      value={text}
      onChange={({ target }) => setText(target.value)}
      className={`${controlClass} w-full narrow:w-72`}
    />
  )
}
