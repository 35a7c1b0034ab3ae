import type { StepChannel } from '../campaigns/parse-steps.ts'
import type { Delay } from '../campaigns/step-delay.ts'
import type { TaskFacts } from './hold.ts'

type Step = { channel: StepChannel; delay: Delay; acceptWithinDays: number | null }

/**
 * Returns the facts about a step that `findHold` needs: the start of its delay, and for a task whether there is a rep
 * and until when an invitation may still be accepted. Once the invitation is accepted, the delay starts at the
 * acceptance.
 */
export function toHoldFacts(
  step: Step,
  {
    delayStartsAt,
    hasRep,
    invitation,
  }: { delayStartsAt: Date; hasRep: boolean; invitation: { acceptedAt: Date | null } | undefined },
): { wait: { since: Date; delay: Delay }; task: TaskFacts | undefined } {
  const { channel, delay, acceptWithinDays } = step
  const acceptedAt = invitation?.acceptedAt
  const since = acceptedAt && acceptedAt > delayStartsAt ? acceptedAt : delayStartsAt
  const acceptanceUntil =
    invitation && !acceptedAt && acceptWithinDays !== null
      ? new Date(delayStartsAt.getTime() + acceptWithinDays * 24 * 3_600_000)
      : undefined
  return { wait: { since, delay }, task: channel === 'email' ? undefined : { hasRep, acceptanceUntil } }
}
