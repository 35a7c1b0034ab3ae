import { type Author, audit } from '../accounts/audit-log.ts'
import type { Context } from '../context.ts'
import { endOptedOutProspects } from '../prospects/pause-opted-out.ts'
import { type OwnAct, storeOptOuts } from './store-opt-outs.ts'

/**
 * A person said themselves that they want no more: their addresses go on the list, and it is over in every campaign
 * of the account. In a transaction that sees the account; the same once more changes nothing. `emailMessageId` is
 * the message of ours that they answer to.
 */
export async function recordOwnOptOut(
  who: Author & Pick<Context, 'sql' | 'accountId'>,
  act: { source: OwnAct; emails: readonly string[]; emailMessageId: string },
): Promise<void> {
  const entries = act.emails.map(value => ({ kind: 'email' as const, value }))
  const added = await storeOptOuts(who, entries, act.source, act.emailMessageId)
  const ended = await endOptedOutProspects(who, entries, act.source)
  if (added + ended > 0) await audit(who, 'opt_out', 'email_message', act.emailMessageId)
}
