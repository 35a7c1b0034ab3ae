import type { campaignStatuses } from '../../../contract/campaigns.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'

type Status = (typeof campaignStatuses)[number]

const tones: Record<Status, Tone> = {
  draft: 'neutral',
  active: 'green',
  paused: 'amber',
  completed: 'blue',
}

export const State = ({ status }: { status: Status }) => <Badge tone={tones[status]}>{status}</Badge>
