import type { Output } from '../../../contract/index.ts'
import { type ProspectStatus, statusLabels } from '../../components/prospect-statuses.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'

export type Prospect = Output<'listCampaignProspects'>['data'][number]

const tones: Partial<Record<ProspectStatus, Tone>> = {
  active: 'blue',
  replied: 'green',
  out_of_office: 'amber',
  paused: 'amber',
  opted_out: 'red',
  bounced: 'red',
  failed: 'red',
}

/** Labels of reasons whose code isn't clear enough; a reason may also be an error message. */
const reasonLabels: Record<string, string> = {
  address_changed: 'email address changed',
  call_unconfirmed: 'outcome of a call unknown',
  company_replied: 'colleague replied',
  complaint: 'reported as spam',
  do_not_contact: 'on Do Not Contact',
  hard_bounce: 'address does not exist',
  manual: 'by a user',
  no_working_mailbox: 'no connected mailbox',
  reply: 'asked in a reply',
  role_address: 'role address, such as info@',
  undeliverable_domain: 'the domain doesn’t accept email',
}

/** Shows a prospect's status with its reason, if any. */
export function ProspectStatusBadge({ prospect: { status, statusReason } }: { prospect: Prospect }) {
  if (!status) return null
  return (
    <span className="inline-flex max-w-full flex-wrap items-center gap-x-2">
      <Badge tone={tones[status]}>{statusLabels[status]}</Badge>
      {statusReason && (
        <span className="wrap-anywhere line-clamp-3 text-muted" title={statusReason}>
          {reasonLabels[statusReason] ?? statusReason.replaceAll('_', ' ')}
        </span>
      )}
    </span>
  )
}
