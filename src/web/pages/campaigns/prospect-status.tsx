import type { Output } from '../../../contract/index.ts'
import { formatStatusReason, type ProspectStatus, statusLabels } from '../../components/prospect-statuses.ts'
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

/** Shows a prospect's status with its reason, if any. */
export function ProspectStatusBadge({ prospect: { status, statusReason } }: { prospect: Prospect }) {
  if (!status) return null
  const reason = statusReason && formatStatusReason(statusReason)
  return (
    <span className="inline-flex max-w-full flex-wrap items-center gap-x-2">
      <Badge tone={tones[status]}>{statusLabels[status]}</Badge>
      {reason && (
        <span className="wrap-anywhere line-clamp-3 text-muted" title={reason}>
          {reason}
        </span>
      )}
    </span>
  )
}
