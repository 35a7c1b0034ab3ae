import type { Output } from '../../../contract/index.ts'
import type { Metric } from '../../ui/metrics.tsx'

/** Returns a campaign's metrics. Omits email metrics if the campaign sends no emails. */
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
    hasEmail && { label: 'Delivered', value: stats.delivered, total: sent },
    hasEmail && {
      label: 'Bounced',
      value: stats.bouncedHard + stats.bouncedSoft + stats.blocked,
      total: sent,
    },
    refused > 0 && { label: 'Refused', value: refused },
    tasks.length > 0 && { label: 'Tasks done', value: sum(tasks.map(({ completed }) => completed)) },
    calls.length > 0 && { label: 'Calls answered', value: sum(calls.map(({ answered }) => answered)) },
    { label: 'Replied', value: stats.replied, total: enrolled },
    { label: 'Opted out', value: stats.optedOut, total: enrolled },
  ]
  return metrics.filter(metric => metric !== false)
}

const sum = (counts: number[]): number => counts.reduce((sum, count) => sum + count, 0)
