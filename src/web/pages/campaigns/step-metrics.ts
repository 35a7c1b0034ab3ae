import type { Output } from '../../../contract/index.ts'
import { formatNumber } from '../../ui/time.tsx'

type Stats = Output<'getCampaignStats'>
export type StepStats = Stats['steps'][number]
type EmailMetrics = Omit<StepStats, 'stepId' | 'position' | 'tasks' | 'calls' | 'variants'>
type ReplyMetrics = Pick<EmailMetrics, 'replied' | 'optedOut'>

/** Formats the results of a step on any channel. Includes replies, so that the steps add up to the total. */
export function formatStepMetrics(step: StepStats): string {
  const { calls, tasks } = step
  if (calls)
    return formatCounts([
      [calls.open, 'open'],
      [calls.answered, 'answered'],
      [calls.voicemail + calls.noAnswer + calls.busy, 'not reached'],
      [calls.failed + calls.refused, 'failed or refused'],
      ...toReplyCounts(step),
    ])
  if (tasks)
    return formatCounts([
      [tasks.open, 'open'],
      [tasks.completed, 'done'],
      [tasks.skipped, 'skipped'],
      ...(tasks.cancelled > 0 ? [[tasks.cancelled, 'cancelled'] as const] : []),
      ...toReplyCounts(step),
    ])
  return formatEmailMetrics(step)
}

export const formatEmailMetrics = (metrics: EmailMetrics): string =>
  formatCounts([
    [metrics.sent, 'sent'],
    ...toReplyCounts(metrics),
    [metrics.bouncedHard + metrics.bouncedSoft + metrics.blocked, 'bounced'],
    ...(metrics.refused > 0 ? [[metrics.refused, 'refused'] as const] : []),
  ])

export const formatReplyMetrics = (metrics: ReplyMetrics): string => formatCounts(toReplyCounts(metrics))

/** Formats replies and opt-outs that don't belong to a step; undefined when there are none. */
export const formatMetricsOutsideSteps = ({ outsideSteps }: Stats): string | undefined =>
  outsideSteps.replied + outsideSteps.optedOut > 0 ? formatReplyMetrics(outsideSteps) : undefined

type Count = readonly [count: number, label: string]

const toReplyCounts = ({ replied, optedOut }: ReplyMetrics): Count[] => [
  [replied, 'replied'],
  [optedOut, 'opted out'],
]

const formatCounts = (counts: readonly Count[]): string =>
  counts.map(([count, label]) => `${formatNumber(count)} ${label}`).join(' · ')
