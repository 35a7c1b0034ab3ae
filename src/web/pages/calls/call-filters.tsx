import { getRouteApi } from '@tanstack/react-router'
import { callOutcomes, callStatuses } from '../../../contract/calls.ts'
import { FilterGroup, FilterOptions, FilterSelect } from '../../ui/filter-select.tsx'
import { statusLabels } from './call-status.tsx'
import type { CallsSearch } from './search-params.ts'

const route = getRouteApi('/shell/calls')

const periodLabels = { today: 'Today', week: 'Last 7 days', month: 'Last 30 days' }

type NamedItem = { id: string; name: string }

/** Filters by status or outcome, by caller and by time. The URL holds the filters. */
export function CallFilters({ assistants, reps }: { assistants: NamedItem[]; reps: NamedItem[] }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  /** Sets one of these mutually exclusive filters from a value such as `status:queued`. */
  const choose =
    (...names: (keyof CallsSearch)[]) =>
    (value: string) => {
      const others = Object.fromEntries(
        Object.entries(search).filter(([name]) => !names.includes(name as keyof CallsSearch)),
      )
      const [name, chosen] = value.split(':')
      void navigate({ search: { ...others, ...(chosen && { [name!]: chosen }) }, replace: true })
    }
  const getValue = (...names: (keyof CallsSearch)[]) => {
    const name = names.find(name => search[name])
    return name ? `${name}:${search[name]}` : ''
  }
  return (
    <div className="mb-4 flex flex-wrap gap-2">
      <FilterSelect
        label="Status"
        value={getValue('status', 'outcome')}
        onChange={choose('status', 'outcome')}
      >
        <option value="">Any status</option>
        <FilterGroup label="Status" name="status" options={toOptions(callStatuses)} />
        <FilterGroup label="Outcome" name="outcome" options={toOptions(callOutcomes)} />
      </FilterSelect>
      <FilterSelect
        label="Caller"
        value={getValue('assistantId', 'repId')}
        onChange={choose('assistantId', 'repId')}
      >
        <option value="">Any caller</option>
        <FilterGroup label="Assistants" name="assistantId" options={toNames(assistants)} />
        <FilterGroup label="Reps" name="repId" options={toNames(reps)} />
      </FilterSelect>
      <FilterSelect
        label="Period"
        value={search.period ?? ''}
        onChange={period => choose('period')(`period:${period}`)}
      >
        <option value="">Any time</option>
        <FilterOptions labels={periodLabels} />
      </FilterSelect>
    </div>
  )
}

const toOptions = (values: readonly (keyof typeof statusLabels)[]): [string, string][] =>
  values.map(value => [value, statusLabels[value]])

const toNames = (list: NamedItem[]): [string, string][] => list.map(({ id, name }) => [id, name])
