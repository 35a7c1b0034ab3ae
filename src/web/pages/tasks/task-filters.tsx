import { getRouteApi, Link } from '@tanstack/react-router'
import { useOperation } from '../../api.ts'
import { FilterOptions, FilterSelect } from '../../ui/filter-select.tsx'
import { type Due, toDue } from './search-params.ts'

const route = getRouteApi('/shell/tasks')

const statusLabels = { open: 'To do', completed: 'Done', skipped: 'Skipped', cancelled: 'Cancelled' }

const dueLabels: Record<Due, string> = {
  overdue: 'Overdue',
  today: 'Due today',
  week: 'Due this week',
  later: 'Due later',
}

export function TaskFilters() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { status = 'open', due } = search
  return (
    <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
      <nav aria-label="Filter by status" className="flex flex-wrap gap-1">
        {Object.entries(statusLabels).map(([option, label]) => (
          <Link
            key={option}
            to="/tasks"
            search={{ ...search, status: option === 'open' ? undefined : option, due: undefined }}
            activeOptions={{ exact: true }}
            aria-current={option === status ? 'page' : undefined}
            className="rounded-control px-2.5 py-1 text-muted hover:bg-sunken hover:text-text aria-[current=page]:bg-accent-quiet aria-[current=page]:font-medium aria-[current=page]:text-accent"
          >
            {label}
          </Link>
        ))}
      </nav>
      <div className="flex flex-wrap gap-2">
        {status === 'open' && (
          <FilterSelect
            label="Due"
            value={due ?? ''}
            onChange={value => void navigate({ search: { ...search, due: toDue(value) }, replace: true })}
          >
            <option value="">Any due date</option>
            <FilterOptions labels={dueLabels} />
          </FilterSelect>
        )}
        <RepFilter />
      </div>
    </div>
  )
}

/** Filters by rep. Shown only to users who see the tasks of several reps. */
function RepFilter() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { data: reps } = useOperation('listReps', { limit: 100 })
  if (!reps || reps.data.length < 2) return null
  return (
    <FilterSelect
      label="Rep"
      value={search.repId ?? ''}
      onChange={value => void navigate({ search: { ...search, repId: value || undefined }, replace: true })}
    >
      <option value="">All reps</option>
      {reps.data.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </FilterSelect>
  )
}
