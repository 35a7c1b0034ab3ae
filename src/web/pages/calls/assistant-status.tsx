import { Badge, type Tone } from '../../ui/badge.tsx'
import type { Assistant } from './assistant-form.tsx'

const badges: Record<Assistant['status'], [label: string, tone: Tone]> = {
  unverified: ['Not verified', 'amber'],
  active: ['Ready', 'green'],
  failing: ['Verification failed', 'red'],
}

export function AssistantStatus({ assistant: { status, provider } }: { assistant: Assistant }) {
  if (provider === 'simulated') return <Badge>Simulated</Badge>
  const [label, tone] = badges[status]
  return <Badge tone={tone}>{label}</Badge>
}
