import type { HeldAddressReason } from '../../domain/people/addresses/find-held-address.ts'
import { findHold, type HoldFacts } from '../../domain/prospects/hold.ts'

/** Facts about a prospect and its next email, read when the email is planned and again at the gate. */
export type SendFacts = HoldFacts & {
  /** The Do Not Contact entry that matches the person or the address; undefined when none does. */
  optOut: string | undefined
  email: string | null
  /** The reason to send nothing to the address; undefined at the gate, because planning has already checked it. */
  heldAddress?: HeldAddressReason | undefined
}

export type Decision =
  | { kind: 'send' }
  /** Not now; `until` is undefined when the end of the hold is unknown. */
  | { kind: 'later'; reason: string; until?: Date }
  /** Not until the cause is resolved, such as a wrong address. */
  | { kind: 'stop'; status: 'paused' | 'failed'; reason: string }

/**
 * Decides whether a prospect gets its email, task or call now, from facts alone. Reasons that forbid contact come
 * before reasons that only delay it.
 */
export function maySend({ optOut, email, heldAddress, ...facts }: SendFacts, now: Date): Decision {
  if (optOut !== undefined) return { kind: 'stop', status: 'paused', reason: 'do_not_contact' }
  if (heldAddress && !facts.task) return { kind: 'stop', status: 'paused', reason: heldAddress }
  const hold = findHold(facts, now)
  if (hold) return { kind: 'later', ...hold }
  if (!email && !facts.task) return { kind: 'stop', status: 'failed', reason: 'no_email' }
  return { kind: 'send' }
}
