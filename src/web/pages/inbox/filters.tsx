import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useOperation, useSession } from '../../api.ts'
import { replyIntents } from '../../components/reply-intents.ts'
import { ADD_FILTER_ID, FilterChips } from '../../ui/filter-chips.tsx'
import { FilterGroup, FilterSelect } from '../../ui/filter-select.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { channelLabels, type InboxSearch } from './search-params.ts'

const route = getRouteApi('/shell/inbox')

/** Shows the search box and the filters for conversations. The URL holds the query and the filters. */
export function Filters() {
  const search = route.useSearch()
  const navigate = useNavigate()
  const apply = (next: InboxSearch) => void navigate({ to: '.', search: next, replace: true })
  return (
    <div className="mb-3 grid grid-cols-1 gap-2 wide:p-0.5">
      <div className="flex gap-2">
        <SearchBox
          label="Search conversations"
          placeholder="Search conversations"
          query={search.query}
          onSearch={query => {
            const { query: _previous, ...others } = search
            apply({ ...others, ...(query && { query }) })
          }}
        />
        <span className="grid w-32 shrink-0">
          <AddFilter onAdd={filter => apply({ ...search, ...filter })} />
        </span>
      </div>
      <Chips search={search} onChange={apply} />
    </div>
  )
}

function AddFilter({ onAdd }: { onAdd: (filter: InboxSearch) => void }) {
  const { user } = useSession()
  const { data: campaigns } = useOperation('listCampaigns', { limit: 100 })
  const { data: reps } = useOperation('listReps', { limit: 100 })
  const { data: members } = useOperation('listMembers', { limit: 100 })
  const { data: tags } = useOperation('listTags', { limit: 100 })
  const others = members?.data.filter(({ id }) => id !== user.id) ?? []
  const intents = Object.entries(replyIntents).map(([intent, [label]]): [string, string] => [intent, label])
  return (
    <FilterSelect
      label="Add filter"
      id={ADD_FILTER_ID}
      value=""
      onChange={value => {
        const [name = '', ...rest] = value.split(':')
        onAdd({ [name]: rest.join(':') })
      }}
    >
      <option value="">Add filter</option>
      <option value="unread:true">Unread</option>
      <option value="unassigned:true">Unassigned</option>
      <option value="order:asc">Oldest first</option>
      <FilterGroup label="Channel" name="channel" options={Object.entries(channelLabels)} />
      <FilterGroup label="Intent" name="intent" options={intents} />
      <FilterGroup
        label="Assigned to"
        name="assigneeId"
        options={[[user.id, 'Me'], ...others.map(({ id, name }): [string, string] => [id, name])]}
      />
      <FilterGroup label="Campaign" name="campaignId" options={toOptions(campaigns?.data)} />
      <FilterGroup label="Rep" name="repId" options={toOptions(reps?.data)} />
      <FilterGroup label="Tag" name="tag" options={(tags?.data ?? []).map(({ name }) => [name, name])} />
    </FilterSelect>
  )
}

const toOptions = (items: { id: string; name: string }[] = []): [string, string][] =>
  items.map(({ id, name }) => [id, name])

type ChipsProps = { search: InboxSearch; onChange: (search: InboxSearch) => void }

function Chips({ search, onChange }: ChipsProps) {
  const {
    channel,
    intent,
    campaignId = '',
    repId = '',
    assigneeId = '',
    tag,
    unassigned,
    unread,
    order,
  } = search
  const { user } = useSession()
  const { data: campaign } = useOperation('getCampaign', { campaignId }, { isEnabled: campaignId !== '' })
  const { data: rep } = useOperation('getRep', { repId }, { isEnabled: repId !== '' })
  const { data: members } = useOperation('listMembers', { limit: 100 }, { isEnabled: assigneeId !== '' })
  const assignee = members?.data.find(({ id }) => id === assigneeId)
  return (
    <FilterChips
      labels={{
        unread: unread && 'Unread',
        unassigned: unassigned && 'Unassigned',
        channel: channel && channelLabels[channel],
        intent: intent && replyIntents[intent][0],
        assigneeId: assigneeId && `Assigned to ${assigneeId === user.id ? 'me' : (assignee?.name ?? '…')}`,
        campaignId: campaignId && `Campaign: ${campaign?.name ?? '…'}`,
        repId: repId && `Rep: ${rep?.name ?? '…'}`,
        tag: tag && `Tag: ${tag}`,
        order: order && 'Oldest first',
      }}
      onRemove={(...names) => {
        const others = { ...search }
        for (const name of names) delete others[name]
        onChange(others)
      }}
    />
  )
}
