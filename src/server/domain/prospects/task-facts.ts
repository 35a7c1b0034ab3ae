import type { StepChannel } from '../campaigns/parse-steps.ts'
import type { Delay } from '../campaigns/step-delay.ts'
import type { TaskFacts } from './hold.ts'

type Step = { channel: StepChannel; delay: Delay; acceptWithinDays: number | null }

/**
 * What the rule of holds has to know of a step beside clock and status: since when it waits, and of one that needs no
 * mailbox who does it and whether an invitation has to be accepted first. Its delay counts from the acceptance.
 */
export function toHoldFacts(
  step: Step,
  {
    waitsSince,
    hasRep,
    invitation,
  }: { waitsSince: Date; hasRep: boolean; invitation: { acceptedAt: Date | null } | undefined },
): { wait: { since: Date; delay: Delay }; task: TaskFacts | undefined } {
  const { channel, delay, acceptWithinDays } = step
  const acceptedAt = invitation?.acceptedAt
  const since = acceptedAt && acceptedAt > waitsSince ? acceptedAt : waitsSince
  const acceptanceUntil =
    invitation && !acceptedAt && acceptWithinDays !== null
      ? new Date(waitsSince.getTime() + acceptWithinDays * 24 * 3_600_000)
      : undefined
  return { wait: { since, delay }, task: channel === 'email' ? undefined : { hasRep, acceptanceUntil } }
}
