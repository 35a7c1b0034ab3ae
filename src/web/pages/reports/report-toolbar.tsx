import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useOperation } from '../../api.ts'
import { filterClass } from '../../ui/button.tsx'
import { ADD_FILTER_ID, FilterChips } from '../../ui/filter-chips.tsx'
import { FilterGroup, FilterSelect } from '../../ui/filter-select.tsx'
import type { Days } from './periods.ts'
import {
  DEFAULT_GROUP,
  DEFAULT_PERIOD,
  groupLabels,
  isDay,
  type Period,
  periodLabels,
  type ReportFilters,
  type ReportGroup,
  type ReportSearch,
} from './search-params.ts'

const route = getRouteApi('/shell/reports')

/** Shows the period, comparison and filters. The URL holds them all. */
export function ReportToolbar({ days }: { days: Days | undefined }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const apply = (next: ReportSearch) => void navigate({ search: next, replace: true })
  const { period: _period, from: _from, to: _to, ...others } = search
  const setDays = (days: Days) => apply({ ...others, ...days })
  return (
    <div className="mb-5 grid grid-cols-1 gap-3 print:hidden">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Periods search={search} />
        {days && (
          <div className="grid w-full grid-cols-2 gap-x-4 narrow:flex narrow:w-auto">
            <DayField
              label="From"
              day={days.from}
              isInOrder={from => from <= days.to}
              onChange={from => setDays({ from, to: from > days.to ? from : days.to })}
            />
            <DayField
              label="To"
              day={days.to}
              isInOrder={to => to >= days.from}
              onChange={to => setDays({ from: to < days.from ? to : days.from, to })}
            />
          </div>
        )}
      </div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <AddFilter onAdd={filter => apply({ ...search, ...filter })} />
        <label className="flex items-center gap-2">
          <input
            type="checkbox"
            className="size-4 accent-solid"
            checked={search.compare !== 'off'}
            onChange={({ target }) => {
              const { compare: _previous, ...rest } = search
              apply({ ...rest, ...(!target.checked && { compare: 'off' }) })
            }}
          />
          Compare with the previous period
        </label>
      </div>
      <Chips search={search} onChange={apply} />
    </div>
  )
}

function Periods({ search }: { search: ReportSearch }) {
  const { period, from, to, ...others } = search
  const current = from ? undefined : (period ?? DEFAULT_PERIOD)
  return (
    <nav aria-label="Period" className="flex flex-wrap gap-1">
      {Object.entries(periodLabels).map(([name, label]) => (
        <Link
          key={name}
          to="/reports"
          search={{ ...others, ...(name !== DEFAULT_PERIOD && { period: name as Period }) }}
          activeOptions={{ exact: true }}
          aria-current={name === current ? 'page' : undefined}
          className={filterClass}
        >
          {label}
        </Link>
      ))}
    </nav>
  )
}

/** Links to the groupings, which keep everything but the order of the rows. */
export function Groups() {
  const { group: current = DEFAULT_GROUP, sort, order, ...others } = route.useSearch()
  return (
    <nav aria-label="Group by" className="flex flex-wrap gap-1 print:hidden">
      {Object.entries(groupLabels).map(([name, label]) => (
        <Link
          key={name}
          to="/reports"
          search={{ ...others, ...(name !== DEFAULT_GROUP && { group: name as ReportGroup }) }}
          activeOptions={{ exact: true }}
          aria-current={name === current ? 'page' : undefined}
          resetScroll={false}
          className={filterClass}
        >
          {label}
        </Link>
      ))}
    </nav>
  )
}

type DayProps = {
  label: string
  day: string
  isInOrder: (day: string) => boolean
  onChange: (day: string) => void
}

/**
 * Applies a day only once its year is complete, because typing a date passes through other dates. If the last day would
 * precede the first, the change waits until the user presses Enter or leaves the field.
 */
function DayField({ label, day, isInOrder, onChange }: DayProps) {
  const [draft, setDraft] = useState(day)
  const [applied, setApplied] = useState(day)
  if (applied !== day) {
    setApplied(day)
    setDraft(day)
  }
  const applyDraft = () => {
    if (isDay(draft) && draft !== day) onChange(draft)
  }
  return (
    <label className="flex flex-col gap-1 narrow:flex-row narrow:items-center narrow:gap-2">
      {label}
      <input
        type="date"
        value={draft}
        onChange={({ target: { value } }) => {
          setDraft(value)
          if (isDay(value) && isInOrder(value)) onChange(value)
        }}
        onBlur={applyDraft}
        onKeyDown={({ key }) => {
          if (key === 'Enter') applyDraft()
        }}
        className="h-9 min-w-0 rounded-control border border-edge bg-surface px-3"
      />
    </label>
  )
}

function AddFilter({ onAdd }: { onAdd: (filter: ReportFilters) => void }) {
  const { data: campaigns } = useOperation('listCampaigns', { limit: 100 })
  const { data: reps } = useOperation('listReps', { limit: 100 })
  const { data: mailboxes } = useOperation('listMailboxes', { limit: 100 })
  const toOptions = (items: { id: string; name: string }[] = []): [string, string][] =>
    items.map(({ id, name }) => [id, name])
  return (
    <FilterSelect
      label="Add filter"
      id={ADD_FILTER_ID}
      value=""
      onChange={value => {
        const [name = '', id] = value.split(':')
        onAdd({ [name]: id })
      }}
    >
      <option value="">Add filter</option>
      <FilterGroup label="Campaign" name="campaignId" options={toOptions(campaigns?.data)} />
      <FilterGroup label="Rep" name="repId" options={toOptions(reps?.data)} />
      <FilterGroup
        label="Sender"
        name="mailboxId"
        options={(mailboxes?.data ?? []).map(({ id, email }) => [id, email])}
      />
    </FilterSelect>
  )
}

type ChipsProps = { search: ReportSearch; onChange: (search: ReportSearch) => void }

function Chips({ search, onChange }: ChipsProps) {
  return (
    <FilterChips
      labels={useFilterLabels(search)}
      onRemove={(...names) => {
        const others = { ...search }
        for (const name of names) delete others[name]
        onChange(others)
      }}
    />
  )
}

/** Returns the labels of the active filters. */
export function useFilterLabels({ campaignId = '', repId = '', mailboxId = '' }: ReportFilters) {
  const { data: campaign } = useOperation('getCampaign', { campaignId }, { isEnabled: campaignId !== '' })
  const { data: rep } = useOperation('getRep', { repId }, { isEnabled: repId !== '' })
  const { data: mailbox } = useOperation('getMailbox', { mailboxId }, { isEnabled: mailboxId !== '' })
  return {
    campaignId: campaignId && `Campaign: ${campaign?.name ?? '…'}`,
    repId: repId && `Rep: ${rep?.name ?? '…'}`,
    mailboxId: mailboxId && `Sender: ${mailbox?.email ?? '…'}`,
  }
}
