import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Output } from '../../contract/index.ts'
import { formatDateTime } from '../ui/time.tsx'

/** Something that happened with a person. */
export type Entry = Output<'getPersonTimeline'>['data'][number]

export const entryLabels: Record<Entry['type'], string> = {
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

export const toEntryTitle = ({ type, title, direction }: Entry): string => {
  if (type === 'meeting' && title) return `For ${formatDateTime(new Date(title))}`
  if (type === 'note') return title ?? 'Former member'
  if (type === 'linkedin_message') return direction === 'in' ? 'From them' : 'To them'
  if (type === 'task') return title?.replaceAll('_', ' ') ?? 'Task'
  return title ?? entryLabels[type]
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
