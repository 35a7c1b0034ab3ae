import type { Output } from '../../../contract/index.ts'
import type { Metric } from '../../ui/metrics.tsx'

/** What a campaign came to: emails where it writes any, so that what was sent is what was delivered and what bounced. */
export function toCampaignMetrics(
  steps: Output<'getCampaign'>['steps'],
  stats: Output<'getCampaignStats'>,
): Metric[] {
  const { sent, enrolled, refused } = stats
  const hasEmail = sent + refused > 0 || steps.some(({ channel }) => channel === 'email')
  const tasks = stats.steps.flatMap(step => step.tasks ?? [])
  const calls = stats.steps.flatMap(step => step.calls ?? [])
  const metrics: (Metric | false)[] = [
    { label: 'Prospects', value: enrolled },
    hasEmail && { label: 'Sent', value: sent },
    hasEmail && { label: 'Delivered', value: stats.delivered, of: sent },
    hasEmail && { label: 'Bounced', value: stats.bouncedHard + stats.bouncedSoft + stats.blocked, of: sent },
    refused > 0 && { label: 'Refused', value: refused },
    tasks.length > 0 && { label: 'Tasks done', value: sum(tasks.map(({ completed }) => completed)) },
    calls.length > 0 && { label: 'Calls answered', value: sum(calls.map(({ answered }) => answered)) },
    { label: 'Replied', value: stats.replied, of: enrolled },
    { label: 'Opted out', value: stats.optedOut, of: enrolled },
  ]
  return metrics.filter(figure => figure !== false)
}

const sum = (counts: number[]): number => counts.reduce((sum, count) => sum + count, 0)
