/** What is known of a prospect at the moment its email is planned, and again at the gate. */
export type SendFacts = {
  campaignStatus: string
  prospectStatus: string
  /** The entry of the Do Not Contact list that matches the person or the address; undefined when none does. */
  optOut: string | undefined
  email: string | null
  /** A mailbox of the prospect's rep that works; undefined when there is none. */
  mailboxId: string | undefined
}

export type Decision =
  | { kind: 'send' }
  /** Not now; the reason tells what holds it. */
  | { kind: 'later'; reason: string }
  /** Never in this campaign. */
  | { kind: 'stop'; status: 'paused' | 'failed'; reason: string }

/**
 * The rule of who gets an email now: facts in, decision out. Order matters: what forbids contact at all comes
 * before what only delays it.
 */
export function maySend({ campaignStatus, prospectStatus, optOut, email, mailboxId }: SendFacts): Decision {
  if (optOut !== undefined) return { kind: 'stop', status: 'paused', reason: 'do_not_contact' }
  if (!['pending', 'active'].includes(prospectStatus))
    return { kind: 'later', reason: `prospect_${prospectStatus}` }
  if (campaignStatus !== 'active') return { kind: 'later', reason: `campaign_${campaignStatus}` }
  if (!email) return { kind: 'stop', status: 'failed', reason: 'no_email' }
  if (!mailboxId) return { kind: 'later', reason: 'no_working_mailbox' }
  return { kind: 'send' }
}
