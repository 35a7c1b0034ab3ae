import type { Output } from '../../../contract/index.ts'
import { formatNumber } from '../../ui/time.tsx'

type Stats = Output<'getCampaignStats'>
export type StepStats = Stats['steps'][number]
type MailNumbers = Omit<StepStats, 'stepId' | 'position' | 'tasks' | 'calls' | 'variants'>
type Answers = Pick<MailNumbers, 'replied' | 'optedOut'>

/** What became of a step, whichever its channel; whoever answered is in it, so that the steps add up. */
export function formatStepMetrics(step: StepStats): string {
  const { calls, tasks } = step
  if (calls)
    return wordsOf([
      [calls.open, 'open'],
      [calls.answered, 'answered'],
      [calls.voicemail + calls.noAnswer + calls.busy, 'not reached'],
      [calls.failed + calls.refused, 'failed or refused'],
      ...answersTo(step),
    ])
  if (tasks)
    return wordsOf([
      [tasks.open, 'open'],
      [tasks.completed, 'done'],
      [tasks.skipped, 'skipped'],
      ...(tasks.cancelled > 0 ? [[tasks.cancelled, 'cancelled'] as const] : []),
      ...answersTo(step),
    ])
  return formatEmailMetrics(step)
}

export const formatEmailMetrics = (numbers: MailNumbers): string =>
  wordsOf([
    [numbers.sent, 'sent'],
    ...answersTo(numbers),
    [numbers.bouncedHard + numbers.bouncedSoft + numbers.blocked, 'bounced'],
    ...(numbers.refused > 0 ? [[numbers.refused, 'refused'] as const] : []),
  ])

export const formatReplyMetrics = (numbers: Answers): string => wordsOf(answersTo(numbers))

/** Answers and opt-outs that are about no step; undefined when there are none. */
export const formatMetricsOutsideSteps = ({ outsideSteps }: Stats): string | undefined =>
  outsideSteps.replied + outsideSteps.optedOut > 0 ? formatReplyMetrics(outsideSteps) : undefined

type Count = readonly [count: number, word: string]

const answersTo = ({ replied, optedOut }: Answers): Count[] => [
  [replied, 'replied'],
  [optedOut, 'opted out'],
]

const wordsOf = (counts: readonly Count[]): string =>
  counts.map(([count, word]) => `${formatNumber(count)} ${word}`).join(' · ')
