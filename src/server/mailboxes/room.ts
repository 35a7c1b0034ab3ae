import type { Fragment, Sql } from '../db.ts'

/** When a mailbox takes another mail of a campaign; both null or past when it does now. */
export type Room = { fullUntil: Date | null; restsUntil: Date | null }

/**
 * The columns of a Room, for a mailbox `b`. As many mails count as were handed to its server in the last 24 hours, and
 * those that are on their way; there is room when the cap's last but so many attempts is no longer among them.
 */
export const roomColumns = (sql: Sql, now: Date): Fragment => sql`
  b.rests_until as "restsUntil",
  case when b.daily_cap is not null then (
    select case when cap.today <= onward.count then ${now}::timestamptz + interval '1 minute'
                else (select least(t.at + interval '24 hours',
                                   case when cap.today < b.daily_cap
                                     then b.ramp_since + (cap.day + 1) * interval '24 hours' end)
                        from mailbox_attempts t
                       where t.account_id = b.account_id and t.mailbox_id = b.id
                         and t.at > ${now}::timestamptz - interval '24 hours'
                       order by t.at desc
                      offset (cap.today - onward.count - 1)::bigint
                       limit 1) end
      from (select day, least(b.daily_cap, b.ramp_start + b.ramp_increase * day) as today
              from (select floor(extract(epoch from ${now}::timestamptz - b.ramp_since) / 86400) as day) since) cap,
           (select count(*)
              from email_sends e
             where e.account_id = b.account_id and e.mailbox_id = b.id
               and e.state in ('queued', 'claimed', 'dot_pending')) onward) end as "fullUntil"`

/** Nobody else takes or reads the room for a mail of this mailbox until the transaction ends. */
export async function lockRoom(tx: Sql, mailboxId: string, now: Date): Promise<Room> {
  await tx`select from mailboxes where account_id = current_account_id() and id = ${mailboxId} for no key update`
  // Only a statement of its own sees what those did who had the lock before.
  const [room] = await tx<Room[]>`
    select ${roomColumns(tx, now)}
      from mailboxes b
     where b.account_id = current_account_id() and b.id = ${mailboxId}`
  return room!
}

/** Gaps differ, so that mails don't come by the clock: by up to half as long again. */
export const startGap = (tx: Sql, mailboxId: string, now: Date) => tx`
  update mailboxes
     set rests_until = ${now}::timestamptz + min_gap_seconds * (1 + random() / 2) * interval '1 second'
   where account_id = current_account_id() and id = ${mailboxId} and min_gap_seconds > 0`

/** Nobody need look for work for it before. */
export const markFull = (tx: Sql, mailboxId: string, until: Date) => tx`
  update mailboxes
     set full_until = ${until}
   where account_id = current_account_id() and id = ${mailboxId} and (full_until is null or full_until < ${until})`

type Attempted = { mailboxId: string; messageId: string; epoch: bigint }

/** The server was handed a mail of it; what is older than any window is forgotten. */
export const countAttempt = (tx: Sql, { mailboxId, messageId, epoch }: Attempted, at: Date) => tx`
  with forgotten as (
    delete from mailbox_attempts
     where ctid = any(array(
           select ctid
             from mailbox_attempts
            where account_id = current_account_id() and mailbox_id = ${mailboxId}
              and at < ${at}::timestamptz - interval '25 hours'
            order by at
            limit 10
              for update skip locked)))
  insert into mailbox_attempts as t (account_id, mailbox_id, message_id, epoch, at)
  values (current_account_id(), ${mailboxId}, ${messageId}, ${epoch}, ${at})
  on conflict (account_id, mailbox_id, message_id, epoch) do update set at = greatest(t.at, excluded.at)`

export const hasRoom = async (tx: Sql, mailboxId: string, now: Date): Promise<boolean> =>
  (await lockRoom(tx, mailboxId, now)).fullUntil === null
