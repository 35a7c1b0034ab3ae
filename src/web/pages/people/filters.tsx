import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { ReplyIntent } from '../../../contract/reply-agent.ts'
import { useOperation } from '../../api.ts'
import { isProspectStatus, statusLabels } from '../../components/prospect-statuses.ts'
import { replyIntents } from '../../components/reply-intents.ts'
import { ADD_FILTER_ID, FilterChips } from '../../ui/filter-chips.tsx'
import { FilterGroup, FilterOptions, FilterSelect } from '../../ui/filter-select.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { formatDay, formatNumber } from '../../ui/time.tsx'
import { useCustomFields } from './custom-values.tsx'
import { isByContact, type PeopleSearch, sortLabels, withContact, withExclusive } from './search-params.ts'

const route = getRouteApi('/shell/people')

const contactOptions: [string, string][] = [
  ['notContactedForDays:30', 'Not contacted in 30 days'],
  ['notContactedForDays:90', 'Not contacted in 90 days'],
  ['contactedWithinDays:7', 'Contacted in the last 7 days'],
  ['contactedWithinDays:30', 'Contacted in the last 30 days'],
]

/** Shows the search box, the filters and the sort order. The URL holds them all. */
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
          placeholder="Search people"
          query={search.query}
          onSearch={query => {
            const { query: _previous, ...others } = search
            apply({ ...others, ...(query && { query }) })
          }}
        />
        <AddFilter search={search} onFilter={apply} />
        {search.campaignId && (
          <FilterSelect
            label="Status in the campaign"
            value={search.prospectStatus ?? ''}
            onChange={value => {
              const { prospectStatus, ...others } = search
              apply({ ...others, ...(isProspectStatus(value) && { prospectStatus: value }) })
            }}
          >
            <option value="">Any status</option>
            <FilterOptions labels={statusLabels} />
          </FilterSelect>
        )}
        {!isByContact(search) && (
          <FilterSelect
            label="Sort by"
            value={search.sort ?? 'createdAt'}
            onChange={value => {
              const { sort, order, ...others } = search
              apply({
                ...others,
                ...(value !== 'createdAt' && { sort: value as keyof typeof sortLabels }),
              })
            }}
          >
            <FilterOptions labels={sortLabels} />
          </FilterSelect>
        )}
      </div>
      <Chips search={search} onChange={apply} />
    </div>
  )
}

/** Adds a filter. Campaign, tag and owner replace each other. */
function AddFilter({ search, onFilter }: { search: PeopleSearch; onFilter: (search: PeopleSearch) => void }) {
  const { data: campaigns } = useOperation('listCampaigns', { limit: 100 })
  const { data: tags } = useOperation('listTags', { limit: 100 })
  const { data: reps } = useOperation('listReps', { limit: 100 })
  const { data: fields = [] } = useCustomFields('person')
  const handleChange = (value: string) => {
    const [name, ...rest] = value.split(':')
    const chosen = rest.join(':')
    if (name === 'notContactedForDays' || name === 'contactedWithinDays')
      onFilter(withContact(search, name, Number(chosen)))
    else if (name === 'intent') onFilter({ ...search, intent: [chosen as ReplyIntent] })
    else if (name === 'reachable') onFilter({ ...search, excludeOptedOut: true })
    else if (name === 'custom') onFilter({ ...search, custom: chosen })
    else onFilter(withExclusive(search, name as 'tag', chosen))
  }
  const withChoices = fields.filter(({ choices }) => choices)
  return (
    <FilterSelect label="Add filter" id={ADD_FILTER_ID} value="" onChange={handleChange}>
      <option value="">Add filter</option>
      <FilterGroup label="Campaign" name="campaignId" options={toOptions(campaigns?.data)} />
      <FilterGroup label="Tag" name="tag" options={(tags?.data ?? []).map(({ name }) => [name, name])} />
      <FilterGroup label="Owner" name="ownerRepId" options={toOptions(reps?.data)} />
      <FilterGroup
        label="Intent"
        name="intent"
        options={Object.entries(replyIntents).map(([intent, [label]]) => [intent, label])}
      />
      <optgroup label="Last contact">
        {contactOptions.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </optgroup>
      {withChoices.map(({ id, key, label, choices = [] }) => (
        <FilterGroup
          key={id}
          label={label}
          name="custom"
          options={choices.map(choice => [`${key}:${choice}`, choice])}
        />
      ))}
      <option value="reachable:">Not opted out</option>
    </FilterSelect>
  )
}

const toOptions = (items: { id: string; name: string }[] = []): [string, string][] =>
  items.map(({ id, name }) => [id, name])

function Chips({ search, onChange }: { search: PeopleSearch; onChange: (search: PeopleSearch) => void }) {
  const { companyId = '', campaignId = '', ownerRepId = '' } = search
  const { data: company } = useOperation('getCompany', { companyId }, { isEnabled: companyId !== '' })
  const { data: campaign } = useOperation('getCampaign', { campaignId }, { isEnabled: campaignId !== '' })
  const { data: rep } = useOperation('getRep', { repId: ownerRepId }, { isEnabled: ownerRepId !== '' })
  const { data: fields = [] } = useCustomFields('person')
  const [key = '', ...choice] = search.custom?.split(':') ?? []
  const labels: Partial<Record<keyof PeopleSearch, string | false | 0 | undefined>> = {
    companyId: companyId && `Company: ${company?.name ?? '…'}`,
    campaignId: campaignId && `Campaign: ${campaign?.name ?? '…'}`,
    ownerRepId: ownerRepId && `Owner: ${rep?.name ?? '…'}`,
    tag: search.tag && `Tag: ${search.tag}`,
    email: search.email && `Email: ${search.email}`,
    intent: search.intent && `Intent: ${search.intent.map(intent => replyIntents[intent][0]).join(', ')}`,
    domain: search.domain && `Domain: ${search.domain}`,
    custom: search.custom && `${fields.find(field => field.key === key)?.label ?? key}: ${choice.join(':')}`,
    notContactedForDays:
      search.notContactedForDays && `Not contacted in ${formatNumber(search.notContactedForDays)} days`,
    contactedWithinDays:
      search.contactedWithinDays !== undefined &&
      `Contacted in the last ${formatNumber(search.contactedWithinDays)} days`,
    lastContactedBefore:
      search.lastContactedBefore && `Not contacted since ${formatDay(search.lastContactedBefore)}`,
    lastContactedAfter:
      search.lastContactedAfter && `Contacted since ${formatDay(search.lastContactedAfter)}`,
    createdSince: search.createdSince && `Added since ${formatDay(search.createdSince)}`,
    excludeOptedOut: search.excludeOptedOut && 'Not opted out',
  }
  return (
    <FilterChips
      labels={labels}
      onRemove={(...names) => onChange(names.reduce((left, name) => removeFilter(left, name), search))}
    />
  )
}

function removeFilter({ ...search }: PeopleSearch, name: keyof PeopleSearch): PeopleSearch {
  delete search[name]
  if (name === 'campaignId') delete search.prospectStatus
  return search
}
