import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { senderEmail } from '../mailboxes/stored-aliases.ts'

/** Returns the condition that the rep of the prospect `r` was removed from the campaign `c`. */
export const isRepRemoved = (sql: Sql): Fragment => sql`
  (r.rep_id is not null
   and not exists (select from campaign_reps own
                    where own.account_id = r.account_id and own.campaign_id = c.id and own.rep_id = r.rep_id))`

/**
 * Selects the rep for steps that need no mailbox, for a prospect `r` of a campaign `c` without a `sender`. Always
 * selects the same rep for a prospect.
 */
export const selectTaskRep = (sql: Sql): Fragment => sql`
  select e.id as rep_id, e.name, e.signature
    from campaign_reps cr
    join reps e on e.account_id = cr.account_id and e.id = cr.rep_id
   where sender.rep_id is null and cr.account_id = r.account_id and cr.campaign_id = c.id
     and (r.rep_id is null or cr.rep_id = r.rep_id or ${isRepRemoved(sql)})
   order by hashtextextended(e.id::text || r.id::text, 0)
   limit 1`

/** Selects the possible senders: one row per campaign rep `cr` and working mailbox. */
export const selectSenders = (sql: Sql, campaignReps: Fragment): Fragment => sql`
  select cr.campaign_id, e.id as rep_id, e.name, b.id as mailbox_id, ${senderEmail(sql)} as email, b.sender_name, e.signature, b.retry_at,
         greatest(b.cap_resets_at, b.gap_ends_at) as quota_resets_at, b.daily_cap is not null or b.min_gap_seconds > 0 as is_paced
    from campaign_reps cr
    join reps e on e.account_id = cr.account_id and e.id = cr.rep_id
    join mailboxes b on b.account_id = e.account_id and b.rep_id = e.id and b.status = 'active'
                     and b.paused_at is null and b.removed_at is null
   where ${campaignReps}`

/**
 * Selects the sender for a prospect `r` of a campaign `c`, for a lateral join. A prospect keeps its rep and mailbox
 * unless the mailbox was removed or the rep removed from the campaign. New prospects are spread evenly over the
 * campaign's working mailboxes, preferring those with an available server and quota left.
 */
export const selectSender = (
  sql: Sql,
  now: Date,
  senders = selectSenders(sql, sql`cr.account_id = r.account_id and cr.campaign_id = c.id`),
): Fragment => sql`
  select s.rep_id, s.name, s.mailbox_id, s.email, coalesce(s.sender_name, s.name) as sender_name, s.signature,
         s.retry_at as mailbox_waits_until, s.is_paced
    from (${senders}) s
   where (r.rep_id is null or s.rep_id = r.rep_id or ${isRepRemoved(sql)})
     and (r.mailbox_id is null or s.mailbox_id = r.mailbox_id or ${isRepRemoved(sql)}
          or not exists (select from mailboxes first
                          where first.account_id = r.account_id and first.id = r.mailbox_id and first.removed_at is null))
   order by s.retry_at is not null, coalesce(s.quota_resets_at > ${now}, false),
            -- A hash, so that a prospect gets the same mailbox again and prospects spread evenly over all mailboxes.
            uuid_hash_extended(s.mailbox_id, uuid_hash_extended(r.id, 0))
   limit 1`
