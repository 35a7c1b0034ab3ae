import type { App } from '../context.ts'
import type { Fragment, Sql } from '../db.ts'

/**
 * When the inboxes in which a reply of the prospect `r` may wait were last read, the oldest of them; null when none of
 * them is read over IMAP, or the prospect got nothing yet.
 */
export const repliesReadAt = (tx: Sql): Fragment => tx`
  (select min(coalesce(i.last_read_at, to_timestamp(0)))
     from email_sends earlier
     join mailbox_readings i on i.account_id = earlier.account_id and i.mailbox_id = earlier.mailbox_id
    where earlier.account_id = r.account_id and earlier.prospect_id = r.id
      and earlier.state in ('sent', 'unconfirmed'))`

/** Whether a reply may wait unseen for longer than is allowed, so that no follow-up may go out. */
export const isStale = ({ config, now }: App, readAt: Date | null): boolean =>
  readAt !== null && readAt.getTime() < now().getTime() - config.inboxMaxAgeSeconds * 1000
