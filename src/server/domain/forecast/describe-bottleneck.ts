import type { forecastLimits } from '../../../contract/campaign-forecast.ts'
import type { Output } from '../../../contract/index.ts'

type Bottleneck = Output<'forecastCampaign'>['bottleneck']
type Limit = (typeof forecastLimits)[number]
type Wait = { reason: string; count: number; waitMs: number }

/** Limits that stop emails permanently, most urgent first. */
const finalLimits = ['no_working_mailbox', 'schedule_over'] as const

const HOUR_MS = 3_600_000

const messages: Record<Limit, string> = {
  no_working_mailbox:
    'No mailbox can send these emails. Verify, resume or add a mailbox of the campaign’s reps.',
  schedule_over: 'The schedule ends before these emails can be sent. Set a later end date, or remove it.',
  daily_cap:
    'The mailboxes’ daily limits delay these emails. To finish earlier, add mailboxes, or raise a limit if its provider allows more.',
  warm_up:
    'The warm-up of the mailboxes delays these emails. It ends automatically; to finish earlier, add mailboxes that are already warmed up.',
  gap: 'The gaps between a mailbox’s emails delay these emails. To finish earlier, add mailboxes, shorten the gaps or widen the windows.',
  new_prospects_cap:
    'The daily limit of new prospects delays these emails. To finish earlier, raise the campaign’s `newProspectsPerDay`.',
  none: 'No limit delays the emails: only the schedule’s windows and the delays between the steps set their times.',
}

/** Returns the limit that stops emails or, if none does, the limit that delays them most in total. */
export function describeBottleneck(
  waits: readonly Wait[],
  remaining: readonly { reason: string | undefined; emails: number }[],
): Bottleneck {
  const countStopped = (limit: Limit) =>
    remaining.reduce((sum, { reason, emails }) => (reason === limit ? sum + emails : sum), 0)
  const final = finalLimits.find(limit => countStopped(limit) > 0)
  if (final)
    return { limit: final, message: messages[final], emails: countStopped(final), averageWaitHours: 0 }
  const [longest] = waits.toSorted((a, b) => b.waitMs - a.waitMs)
  // Short waits are not worth reporting.
  if (!longest || longest.waitMs < HOUR_MS)
    return { limit: 'none', message: messages.none, emails: 0, averageWaitHours: 0 }
  const { reason, count, waitMs } = longest
  const limit = reason as Limit
  const averageWaitHours = Math.round((waitMs / count / HOUR_MS) * 10) / 10
  return { limit, message: messages[limit], emails: count, averageWaitHours }
}
