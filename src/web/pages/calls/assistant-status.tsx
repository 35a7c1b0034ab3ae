import { Badge, type Tone } from '../../ui/badge.tsx'
import type { Assistant } from './assistant-form.tsx'

const marks: Record<Assistant['status'], [words: string, tone: Tone]> = {
  unverified: ['not verified', 'amber'],
  active: ['can call', 'green'],
  failing: ['can’t call', 'red'],
}

export function AssistantStatus({ assistant: { status, provider } }: { assistant: Assistant }) {
  if (provider === 'simulated') return <Badge>simulated</Badge>
  const [words, tone] = marks[status]
  return <Badge tone={tone}>{words}</Badge>
}
