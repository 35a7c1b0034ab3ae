import { type Author, audit } from '../accounts/audit-log.ts'
import { recordReport } from '../outbox/pause-on-bounces.ts'
import type { OptOutList } from '../people/opt-outs/erased-identifiers.ts'
import { storeOptOuts } from '../people/opt-outs/store-opt-outs.ts'
import { endBouncedProspects } from '../prospects/stop-opted-out.ts'

/**
 * Adds permanently bounced addresses to the Do Not Contact list and ends their prospects. Idempotent. Requires a
 * transaction within the account. `emailMessageId` is our message that could not be delivered.
 */
export async function recordBouncedAddresses(
  ctx: Author & OptOutList,
  { emails, emailMessageId }: { emails: readonly string[]; emailMessageId: string },
): Promise<void> {
  const entries = emails.map(value => ({ kind: 'email' as const, value }))
  const added = await storeOptOuts(ctx, entries, { source: 'bounce', emailMessageId })
  const ended = await endBouncedProspects(ctx, emails)
  if (added + ended.length > 0) await audit(ctx, 'suppress', 'email_message', emailMessageId)
  // Locks the mailbox after the prospects, as planning does.
  await recordReport(ctx.sql, emailMessageId, 'bounce')
}
