import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useOperation } from '../../api.ts'
import { isProspectStatus, statusLabels } from '../../components/prospect-statuses.ts'
import { Button } from '../../ui/button.tsx'
import { CloseIcon } from '../../ui/icons.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { formatDay, formatNumber } from '../../ui/time.tsx'
import { useCustomFields } from './custom-values.tsx'
import { isByContact, type PeopleSearch, sortLabels, withContact, withExclusive } from './search-params.ts'

const route = getRouteApi('/shell/people')

const ADD_FILTER_ID = 'add-filter'

const contactOptions: [string, string][] = [
  ['notContactedForDays:30', 'Not contacted in 30 days'],
  ['notContactedForDays:90', 'Not contacted in 90 days'],
  ['contactedWithinDays:7', 'Contacted in the last 7 days'],
  ['contactedWithinDays:30', 'Contacted in the last 30 days'],
]

const controlClass = 'h-9 min-w-0 rounded-control border border-edge bg-surface px-3'

/** Search, filters and order of the people. The URL holds them all. */
export function Filters({ views }: { views: ReactNode }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const apply = (next: PeopleSearch) => void navigate({ search: next, replace: true })
  return (
    <div className="mb-4 grid grid-cols-1 gap-3">
      <div className="flex flex-wrap gap-2">
        {views}
        <SearchBox
          label="Search people"
          placeholder="Search name, email, phone or company"
          query={search.query}
          onSearch={query => {
            const { query: _previous, ...others } = search
            apply({ ...others, ...(query && { query }) })
          }}
        />
        <FilterSelect search={search} onFilter={apply} />
        {search.campaignId && (
          <Select
            label="Status in the campaign"
            value={search.prospectStatus ?? ''}
            onChange={value => {
              const { prospectStatus, ...others } = search
              apply({ ...others, ...(isProspectStatus(value) && { prospectStatus: value }) })
            }}
          >
            <option value="">Any status</option>
            <Options labels={statusLabels} />
          </Select>
        )}
        {!isByContact(search) && (
          <Select
            label="Order"
            value={search.sort ?? 'createdAt'}
            onChange={value => {
              const { sort, order, ...others } = search
              apply({
                ...others,
                ...(value !== 'createdAt' && { sort: value as keyof typeof sortLabels }),
              })
            }}
          >
            <Options labels={sortLabels} />
          </Select>
        )}
      </div>
      <Chips search={search} onChange={apply} />
    </div>
  )
}

type SelectProps = {
  label: string
  id?: string
  value: string
  onChange: (value: string) => void
  children: ReactNode
}

export const Select = ({ label, id, value, onChange, children }: SelectProps) => (
  <select
    id={id}
    aria-label={label}
    value={value}
    onChange={({ target }) => onChange(target.value)}
    className={`${controlClass} max-w-full pr-8 narrow:max-w-64`}
  >
    {children}
  </select>
)

const Options = ({ labels }: { labels: Record<string, string> }) =>
  Object.entries(labels).map(([value, label]) => (
    <option key={value} value={value}>
      {label}
    </option>
  ))

/** Adds a filter. Campaign, tag and owner replace each other. */
function FilterSelect({
  search,
  onFilter,
}: {
  search: PeopleSearch
  onFilter: (search: PeopleSearch) => void
}) {
  const { data: campaigns } = useOperation('listCampaigns', { limit: 100 })
  const { data: tags } = useOperation('listTags', { limit: 100 })
  const { data: reps } = useOperation('listReps', { limit: 100 })
  const fields = useCustomFields('person') ?? []
  const handleChange = (value: string) => {
    const [name, ...rest] = value.split(':')
    const chosen = rest.join(':')
    if (name === 'notContactedForDays' || name === 'contactedWithinDays')
      onFilter(withContact(search, name, Number(chosen)))
    else if (name === 'reachable') onFilter({ ...search, excludeOptedOut: true })
    else if (name === 'custom') onFilter({ ...search, custom: chosen })
    else onFilter(withExclusive(search, name as 'tag', chosen))
  }
  const withChoices = fields.filter(({ choices }) => choices)
  return (
    <Select label="Add filter" id={ADD_FILTER_ID} value="" onChange={handleChange}>
      <option value="">Add filter</option>
      <Group label="Campaign" name="campaignId" options={toOptions(campaigns?.data)} />
      <Group label="Tag" name="tag" options={(tags?.data ?? []).map(({ name }) => [name, name])} />
      <Group label="Owner" name="ownerRepId" options={toOptions(reps?.data)} />
      <optgroup label="Last contact">
        {contactOptions.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </optgroup>
      {withChoices.map(({ id, key, label, choices = [] }) => (
        <Group
          key={id}
          label={label}
          name="custom"
          options={choices.map(choice => [`${key}:${choice}`, choice])}
        />
      ))}
      <option value="reachable:">Not opted out</option>
    </Select>
  )
}

const toOptions = (items: { id: string; name: string }[] = []): [string, string][] =>
  items.map(({ id, name }) => [id, name])

export const Group = ({
  label,
  name,
  options,
}: {
  label: string
  name: string
  options: [string, string][]
}) =>
  options.length > 0 && (
    <optgroup label={label}>
      {options.map(([value, text]) => (
        <option key={value} value={`${name}:${value}`}>
          {text}
        </option>
      ))}
    </optgroup>
  )

/** The active filters, each with a button that removes it. */
function Chips({ search, onChange }: { search: PeopleSearch; onChange: (search: PeopleSearch) => void }) {
  const { companyId = '', campaignId = '', ownerRepId = '' } = search
  const { data: company } = useOperation('getCompany', { companyId }, { isEnabled: companyId !== '' })
  const { data: campaign } = useOperation('getCampaign', { campaignId }, { isEnabled: campaignId !== '' })
  const { data: rep } = useOperation('getRep', { repId: ownerRepId }, { isEnabled: ownerRepId !== '' })
  const labels: Partial<Record<keyof PeopleSearch, string | false | 0 | undefined>> = {
    companyId: companyId && `Company: ${company?.name ?? '…'}`,
    campaignId: campaignId && `Campaign: ${campaign?.name ?? '…'}`,
    ownerRepId: ownerRepId && `Owner: ${rep?.name ?? '…'}`,
    tag: search.tag && `Tag: ${search.tag}`,
    email: search.email && `Email: ${search.email}`,
    domain: search.domain && `Domain: ${search.domain}`,
    custom: search.custom?.replace(':', ': '),
    notContactedForDays:
      search.notContactedForDays && `Not contacted in ${formatNumber(search.notContactedForDays)} days`,
    contactedWithinDays:
      search.contactedWithinDays && `Contacted in the last ${formatNumber(search.contactedWithinDays)} days`,
    lastContactedBefore:
      search.lastContactedBefore && `Not contacted since ${formatDay(search.lastContactedBefore)}`,
    lastContactedAfter:
      search.lastContactedAfter && `Contacted since ${formatDay(search.lastContactedAfter)}`,
    createdSince: search.createdSince && `Added since ${formatDay(search.createdSince)}`,
    excludeOptedOut: search.excludeOptedOut && 'Not opted out',
  }
  const active = Object.entries(labels).filter((entry): entry is [keyof PeopleSearch, string] => !!entry[1])
  if (active.length === 0) return null
  return (
    <ul aria-label="Filters" className="flex flex-wrap items-center gap-2">
      {active.map(([name, label]) => (
        <li
          key={name}
          className="flex min-w-0 items-center gap-1 rounded-full bg-accent-quiet py-0.5 pr-1 pl-3 text-accent text-sm"
        >
          <span className="wrap-anywhere min-w-0">{label}</span>
          <button
            type="button"
            data-chip
            aria-label={`Remove filter ${label}`}
            onClick={({ currentTarget }) => {
              focusNeighbor(currentTarget)
              onChange(without(search, name))
            }}
            className="rounded-full p-1 hover:bg-sunken"
          >
            <CloseIcon size={14} />
          </button>
        </li>
      ))}
      {active.length > 1 && (
        <li>
          <Button
            look="quiet"
            size="small"
            onClick={() => {
              document.getElementById(ADD_FILTER_ID)?.focus()
              onChange(active.reduce((left, [name]) => without(left, name), search))
            }}
          >
            Clear filters
          </Button>
        </li>
      )}
    </ul>
  )
}

/** Moves the focus from a chip that goes away to another one, or to the field that adds filters. */
function focusNeighbor(button: HTMLButtonElement): void {
  const buttons = [...(button.closest('ul')?.querySelectorAll<HTMLElement>('[data-chip]') ?? [])]
  const index = buttons.indexOf(button)
  const next = buttons[index + 1] ?? buttons[index - 1] ?? document.getElementById(ADD_FILTER_ID)
  next?.focus()
}

function without({ ...search }: PeopleSearch, name: keyof PeopleSearch): PeopleSearch {
  delete search[name]
  if (name === 'campaignId') delete search.prospectStatus
  return search
}
