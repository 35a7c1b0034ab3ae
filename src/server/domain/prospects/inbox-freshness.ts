import type { App } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'

/**
 * Selects when the mailbox of `row` was last synced: 1970 before the first sync, null if it has no sync. If the mailbox
 * was deleted and its address connected again, selects the new mailbox, which receives the replies to earlier emails.
 */
export const mailboxSyncedAt = (tx: Sql, row: Fragment): Fragment => tx`
  (select coalesce(y.last_synced_at, to_timestamp(0))
     from mailboxes sender
     join mailboxes b on b.account_id = sender.account_id and b.email = sender.email and b.removed_at is null
     join mailbox_syncs y on y.account_id = b.account_id and y.mailbox_id = b.id
    where sender.account_id = ${row}.account_id and sender.id = ${row}.mailbox_id)`

/**
 * Selects when the least recently synced inbox was last synced, among those that may contain a reply from the person of
 * prospect `r`. Includes other campaigns and emails outside of campaigns, because a reply to any of them
 * stops every sequence. Null if none of the mailboxes is synced, or nothing was sent to the person.
 */
export const inboxSyncedAt = (tx: Sql): Fragment => tx`
  least(
    (select min(${mailboxSyncedAt(tx, tx`earlier`)})
       from prospects o
      cross join lateral (
             -- The offset isolates these sends; without it, all sends of the account may be read for each prospect.
             select account_id, mailbox_id
               from email_sends
              where account_id = o.account_id and prospect_id = o.id
                -- An email that is queued to be sent again may already have arrived the first time.
                and (state in ('sent', 'unconfirmed') or is_repeat)
             offset 0) earlier
      where o.account_id = r.account_id and o.person_id = r.person_id),
    (select min(${mailboxSyncedAt(tx, tx`t`)})
       from email_threads t
      where t.account_id = r.account_id and t.person_id = r.person_id and t.prospect_id is null
        -- The limit forces a lookup by key.
        and (select true
               from email_messages
              where account_id = t.account_id and thread_id = t.id
                and (status = 'sent' or delivery_status = 'unconfirmed')
              limit 1)))`

/** Returns whether an unseen reply may be older than the limit, in which case no follow-up may be sent. */
export const isInboxStale = ({ config, now }: App, syncedAt: Date | null): boolean =>
  syncedAt !== null && syncedAt.getTime() < now().getTime() - config.inboxMaxAgeSeconds * 1000
