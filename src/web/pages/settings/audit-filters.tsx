import { getRouteApi } from '@tanstack/react-router'
import type { AuditedType } from '../../../contract/members.ts'
import { useOperation } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { FilterOptions, FilterSelect } from '../../ui/filter-select.tsx'
import { capitalize } from '../../ui/sentence.ts'
import type { AuditSearch } from './audit-search.ts'
import { pastTenses } from './audit-sentence.ts'

const route = getRouteApi('/shell/settings/audit-log')

const typeLabels: Record<AuditedType, string> = {
  account: 'Account settings',
  api_token: 'API tokens',
  assistant: 'Assistants',
  attachment: 'Attachments',
  consent: 'Call consents',
  call_request: 'Call requests',
  call: 'Calls',
  campaign: 'Campaigns',
  company: 'Companies',
  oauth_grant: 'Connected apps',
  conversation: 'Conversations',
  custom_field: 'Custom fields',
  dkim_key: 'DKIM keys',
  communication_opt_out: 'Do Not Contact entries',
  domain: 'Domains',
  email_thread: 'Email threads',
  email_message: 'Emails',
  export: 'Exports',
  invitation: 'Invitations',
  linkedin_account: 'LinkedIn accounts',
  linkedin_conversation: 'LinkedIn conversations',
  linkedin_message: 'LinkedIn messages',
  mailbox: 'Mailboxes',
  meeting_webhook: 'Meeting webhook',
  meeting: 'Meetings',
  member: 'Members',
  note: 'Notes',
  notification_settings: 'Notification settings',
  mail_client: 'OAuth clients',
  passkey: 'Passkeys',
  person: 'People',
  prospect: 'Prospects',
  reply_agent: 'Reply agent',
  rep: 'Reps',
  saved_view: 'Saved views',
  session: 'Sessions',
  single_sign_on: 'Single sign-on',
  snippet: 'Snippets',
  tag: 'Tags',
  task: 'Tasks',
  user: 'Users',
  webhook: 'Webhooks',
}

const actionLabels: Record<string, string> = Object.fromEntries(
  Object.entries(pastTenses)
    .map(([action, past]) => [action, capitalize(past)])
    .toSorted(([, a = ''], [, b = '']) => a.localeCompare(b)),
)

/** Shows the filters by member, object, action and time. The URL holds them all. */
export function AuditFilters() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { data: members } = useOperation('listMembers', { limit: 100 })
  const memberLabels = Object.fromEntries(
    members?.data.map(({ id, name, email }) => [id, name || email]) ?? [],
  )
  const set = (name: keyof AuditSearch) => (value: string) => {
    const { [name]: _previous, ...others } = search
    void navigate({ search: { ...others, ...(value && { [name]: value }) }, replace: true })
  }
  const select = (name: keyof AuditSearch, label: string, all: string, labels: Record<string, string>) => (
    <FilterSelect label={label} value={search[name] ?? ''} onChange={set(name)}>
      <option value="">{all}</option>
      <FilterOptions labels={withChosen(labels, search[name])} />
    </FilterSelect>
  )
  return (
    <div className="mb-4 flex flex-wrap items-center gap-2">
      {select('userId', 'Member', 'All members', memberLabels)}
      {select('type', 'Object', 'All objects', typeLabels)}
      {select('action', 'Action', 'All actions', actionLabels)}
      <span className="flex basis-full gap-2 narrow:basis-auto">
        <DayField label="From" value={search.from} onChange={set('from')} />
        <DayField label="To" value={search.to} onChange={set('to')} />
      </span>
      {Object.keys(search).length > 0 && (
        <Button look="quiet" onClick={() => void navigate({ search: {}, replace: true })}>
          Clear filters
        </Button>
      )}
    </div>
  )
}

/** Adds a choice that came with the URL, such as a former member. */
const withChosen = (labels: Record<string, string>, chosen: string | undefined): Record<string, string> =>
  chosen && !labels[chosen] ? { ...labels, [chosen]: chosen } : labels

type DayProps = { label: string; value: string | undefined; onChange: (day: string) => void }

const DayField = ({ label, value, onChange }: DayProps) => (
  <label className="flex min-w-0 flex-1 flex-wrap items-center gap-x-1.5 narrow:flex-nowrap">
    {label}
    <input
      type="date"
      value={value ?? ''}
      onChange={({ target }) => onChange(target.value)}
      className="h-9 min-w-0 flex-1 rounded-control border border-edge bg-surface px-1 narrow:px-2"
    />
  </label>
)
