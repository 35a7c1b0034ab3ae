import type { campaignStatuses } from '../../../contract/campaigns.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'

type Status = (typeof campaignStatuses)[number]

const tones: Record<Status, Tone> = {
  draft: 'neutral',
  active: 'green',
  paused: 'amber',
  completed: 'blue',
}

const labels: Record<Status, string> = {
  draft: 'Draft',
  active: 'Active',
  paused: 'Paused',
  completed: 'Completed',
}

export const CampaignStatusBadge = ({ status }: { status: Status }) => (
  <Badge tone={tones[status]}>{labels[status]}</Badge>
)
