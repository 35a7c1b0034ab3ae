import { type HoldFacts, holdOf } from '../../domain/prospects/hold.ts'

/** What is known of a prospect at the moment its email is planned, and again at the gate. */
export type SendFacts = HoldFacts & {
  /** The entry of the Do Not Contact list that matches the person or the address; undefined when none does. */
  optOut: string | undefined
  email: string | null
}

export type Decision =
  | { kind: 'send' }
  /** Not now; the reason tells what holds it, `until` how long, where that is known. */
  | { kind: 'later'; reason: string; until?: Date }
  /** Never in this campaign. */
  | { kind: 'stop'; status: 'paused' | 'failed'; reason: string }

/**
 * The rule of who gets an email, or becomes a task, now: facts in, decision out. Order matters: what forbids contact at all comes
 * before what only delays it.
 */
export function maySend({ optOut, email, ...facts }: SendFacts, now: Date): Decision {
  if (optOut !== undefined) return { kind: 'stop', status: 'paused', reason: 'do_not_contact' }
  const hold = holdOf(facts, now)
  if (hold) return { kind: 'later', ...hold }
  if (!email && !facts.task) return { kind: 'stop', status: 'failed', reason: 'no_email' }
  return { kind: 'send' }
}
