import type { App } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'

/**
 * Selects the oldest last sync of the inboxes that may contain a reply from the person of the prospect `r`, in all
 * campaigns, because a reply to one stops the others. Null if none of the mailboxes is synced, or nothing was sent to
 * the person.
 */
export const inboxSyncedAt = (tx: Sql): Fragment => tx`
  (select min(coalesce(i.last_synced_at, to_timestamp(0)))
     from prospects o
    cross join lateral (
           -- The offset isolates these sends; without it, all sends of the account may be read for each prospect.
           select mailbox_id
             from email_sends
            where account_id = o.account_id and prospect_id = o.id
              -- An email that is sent again may have arrived before.
              and (state in ('sent', 'unconfirmed') or is_repeat)
           offset 0) earlier
    cross join lateral (
           -- The limit forces a lookup by key; without it, all mailboxes of the account are read for each prospect.
           select last_synced_at
             from mailbox_syncs
            where account_id = o.account_id and mailbox_id = earlier.mailbox_id
            limit 1) i
    where o.account_id = r.account_id and o.person_id = r.person_id)`

/** Returns whether an unseen reply may be older than the limit, in which case no follow-up may be sent. */
export const isInboxStale = ({ config, now }: App, syncedAt: Date | null): boolean =>
  syncedAt !== null && syncedAt.getTime() < now().getTime() - config.inboxMaxAgeSeconds * 1000
