import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Output } from '../../contract/index.ts'
import { formatDateTime } from '../ui/time.tsx'
import { formatCode } from './format-code.ts'
import { getOptOutLabel, sourceLabels } from './opt-out-sources.ts'
import { statusLabels } from './prospect-statuses.ts'

/** An entry of a person's timeline. */
export type Entry = Output<'getPersonTimeline'>['data'][number]

const entryLabels: Record<Entry['type'], string> = {
  email: 'Email',
  linkedin_message: 'LinkedIn message',
  call: 'Call',
  task: 'Task',
  meeting: 'Meeting booked',
  note: 'Note',
  prospect: 'Added to campaign',
  consent: 'Consent recorded',
  opt_out: 'Opted out',
  merge: 'Duplicate merged',
}

export const getEntryLabel = ({ type, status }: Entry): string =>
  type === 'opt_out' ? getOptOutLabel(status) : entryLabels[type]

/** Labels of statuses that differ from their codes, by type of entry. */
const entryStatusLabels: Partial<Record<Entry['type'], Record<string, string>>> = {
  email: { auto_reply: 'Automatic reply', unsubscribe: 'Opt-out request', suppressed: 'Do Not Contact' },
  call: { withdrawn: 'Cancelled' },
  prospect: statusLabels,
  opt_out: sourceLabels,
}

export const formatEntryStatus = ({ type, status }: Entry): string | undefined =>
  status && (entryStatusLabels[type]?.[status] ?? formatCode(status))

export const formatEntryTitle = ({ type, title, direction }: Entry): string => {
  if (type === 'meeting' && title) return `For ${formatDateTime(new Date(title))}`
  if (type === 'note') return title ?? 'Former member'
  if (type === 'linkedin_message') return direction === 'in' ? 'From them' : 'To them'
  if (type === 'task' || type === 'consent') return formatCode(title ?? type)
  return title?.replace(/^(re: ?){2,}/i, 'Re: ') ?? entryLabels[type]
}

/** Links to the page about the entry, if there is one. */
export function EntryLink({ entry, children }: { entry: Entry; children: ReactNode }) {
  const { type, id, emailThreadId, linkedinConversationId, campaignId } = entry
  const className = 'underline-offset-2 hover:underline'
  if (emailThreadId)
    return (
      <Link to="/inbox/$emailThreadId" params={{ emailThreadId }} className={className}>
        {children}
      </Link>
    )
  if (linkedinConversationId)
    return (
      <Link
        to="/inbox/linkedin/$linkedinConversationId"
        params={{ linkedinConversationId }}
        className={className}
      >
        {children}
      </Link>
    )
  if (type === 'call')
    return (
      <Link to="/calls/$callId" params={{ callId: id }} className={className}>
        {children}
      </Link>
    )
  if (type === 'prospect' && campaignId)
    return (
      <Link to="/campaigns/$campaignId" params={{ campaignId }} className={className}>
        {children}
      </Link>
    )
  return children
}
