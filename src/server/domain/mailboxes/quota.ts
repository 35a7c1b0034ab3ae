import { currentAccount, type Fragment, type Sql } from '../../kernel/db/database.ts'

/** Approximate limit of sends in flight per mailbox, so that a slow mail server does not delay other mailboxes. */
export const MAX_SENDS_PER_MAILBOX = 24

/** Times before which a mailbox may not send another campaign email. It may send now when both are null or past. */
export type SendQuota = { capResetsAt: Date | null; gapEndsAt: Date | null }

/** Computes the number of days from the start of the warm-up of the mailbox `b` to a time. */
const daysSince = (sql: Sql, time: Fragment): Fragment =>
  sql`floor(extract(epoch from ${time} - b.ramp_since) / 86400)`

/**
 * Selects the cap of the mailbox `b` now, as `today`: its daily cap, or less while it warms up. `day` counts
 * the earlier days on which it sent, less those that the warm-up stepped back after bounces. `elapsed` counts
 * all days.
 */
export const capToday = (sql: Sql, now: Date): Fragment => sql`
  (select elapsed, day, has_sent, least(b.daily_cap, b.ramp_start + b.ramp_increase * day) as today
     from (select elapsed, elapsed <= sent_on as has_sent,
                  greatest(0, least(elapsed - b.ramp_skipped, coalesce(sent_on - b.ramp_skipped, -1) + 1)) as day
             from (select ${daysSince(sql, sql`${now}::timestamptz`)} as elapsed,
                          ${daysSince(sql, sql`b.ramp_sent_at`)} as sent_on) days) ramp)`

/** The caps of a mailbox: today's, and those after each further day on which it sends. */
export type CapsAhead = {
  caps: number[]
  /** The end of today, in milliseconds; null if the mailbox never warmed up. */
  dayEndsAt: number | null
  /** True if the mailbox has sent today, so that the next cap applies tomorrow. */
  hasSentToday: boolean
}

/** Selects the CapsAhead of the mailbox `b` as JSON: several caps while it warms up, none without a daily cap. */
export const capsAhead = (sql: Sql, now: Date, days: number): Fragment => sql`
  (select json_build_object(
            'caps', (select coalesce(json_agg(least(b.daily_cap, b.ramp_start + b.ramp_increase * (day + n)) order by n), '[]')
                       from generate_series(0, case when b.ramp_since is null then 0 else ${days}::int end) n
                      where b.daily_cap is not null
                        and (n = 0 or b.ramp_start + b.ramp_increase * (day + n - 1) < b.daily_cap)),
            'dayEndsAt', floor(extract(epoch from b.ramp_since + (elapsed + 1) * interval '24 hours') * 1000),
            'hasSentToday', coalesce(has_sent, false))
     from ${capToday(sql, now)} today)`

/**
 * Counts the queued emails of the mailbox `b`, except those due in more than 24 hours and retries that wait
 * until their earlier attempt no longer counts.
 */
const queuedEmails = (sql: Sql, now: Date): Fragment => sql`
  (select count(*)
     from email_sends e
    where e.account_id = b.account_id and e.mailbox_id = b.id and e.state in ('queued', 'claimed', 'dot_pending')
      and e.due_at < ${now}::timestamptz + interval '24 hours'
      and not exists (select from mailbox_attempts t
                       where t.account_id = e.account_id and t.mailbox_id = e.mailbox_id and t.message_id = e.message_id
                         and t.at > ${now}::timestamptz - interval '24 hours' and e.due_at >= t.at + interval '24 hours'))`

/**
 * Selects the columns of a SendQuota for the mailbox `b`. Counts emails handed to its server in the last 24 hours and
 * those in the queue. The cap resets when enough attempts are older than 24 hours, or when the warm-up raises it. If
 * the queue alone reaches the cap, `capResetsAt` is a minute from now, to check again.
 */
export const quotaColumns = (sql: Sql, now: Date): Fragment => sql`
  b.gap_ends_at as "gapEndsAt", ${capResetsAt(sql, now, queuedEmails(sql, now))} as "capResetsAt"`

/**
 * Selects when the cap resets; null while fewer emails than today's cap were sent in the last 24 hours or are
 * `queued`.
 */
const capResetsAt = (sql: Sql, now: Date, queued: Fragment): Fragment => sql`
  case when b.daily_cap is not null then (
    select case when cap.today <= queued.count then ${now}::timestamptz + interval '1 minute'
                else (select least(t.at + interval '24 hours',
                                   case when cap.today < b.daily_cap
                                     then b.ramp_since + (cap.elapsed + 1) * interval '24 hours' end)
                        from mailbox_attempts t
                       where t.account_id = b.account_id and t.mailbox_id = b.id
                         and t.at > ${now}::timestamptz - interval '24 hours'
                       order by t.at desc
                      offset (cap.today - queued.count - 1)::bigint
                       limit 1) end
      from ${capToday(sql, now)} cap, ${queued} queued) end`

/** Computes how many emails may be planned before the quota has to be read again; null without limits. */
const remainingColumn = (sql: Sql, now: Date): Fragment => sql`
  case when b.min_gap_seconds > 0 then 1
       when b.daily_cap is not null then (
         select cap.today - queued.count - (select count(*)
                                              from mailbox_attempts t
                                             where t.account_id = b.account_id and t.mailbox_id = b.id
                                               and t.at > ${now}::timestamptz - interval '24 hours')
           from ${capToday(sql, now)} cap, ${queuedEmails(sql, now)} queued) end::int as remaining`

/**
 * Returns when the daily cap allows an email that was queued without checking the quota; null if the cap allows it now.
 * Counts queued steps, for which the cap was reserved, and emails in flight. Locks the mailbox until the transaction
 * ends.
 */
export async function findCapReset(
  tx: Sql,
  { mailboxId, messageId }: { mailboxId: string; messageId: string },
  now: Date,
): Promise<Date | null> {
  await tx`select from mailboxes where account_id = ${currentAccount(tx)} and id = ${mailboxId} for no key update`
  const others = tx`
    (select count(*)
       from email_sends e
      where e.account_id = b.account_id and e.mailbox_id = b.id and e.message_id <> ${messageId}
        and (e.state in ('claimed', 'dot_pending') or e.state = 'queued' and e.prospect_id is not null))`
  const [row] = await tx<{ resetsAt: Date | null }[]>`
    select ${capResetsAt(tx, now, others)} as "resetsAt"
      from mailboxes b
     where b.account_id = ${currentAccount(tx)} and b.id = ${mailboxId}`
  return row!.resetsAt
}

/** Reads a mailbox's quota and locks it until the transaction ends. */
export async function lockQuota(
  tx: Sql,
  mailboxId: string,
  now: Date,
): Promise<SendQuota & { remaining: number | null }> {
  await tx`select from mailboxes where account_id = ${currentAccount(tx)} and id = ${mailboxId} for no key update`
  // Only a separate statement sees what earlier holders of the lock have committed.
  const [quota] = await tx<(SendQuota & { remaining: number | null })[]>`
    select ${quotaColumns(tx, now)}, ${remainingColumn(tx, now)}
      from mailboxes b
     where b.account_id = ${currentAccount(tx)} and b.id = ${mailboxId}`
  return quota!
}

/** Average length of a gap relative to `min_gap_seconds`; `startGap` draws it from 1 to 1.5. */
export const AVERAGE_GAP = 1.25

/**
 * Starts the mailbox's gap after an email to this prospect, or after this message outside of campaigns. If the current
 * gap belongs to another prospect or message, returns when it ends. Gaps vary by up to half their length, so that
 * emails are not sent at regular intervals.
 */
export async function startGap(
  tx: Sql,
  { mailboxId, afterId }: { mailboxId: string; afterId: string },
  now: Date,
): Promise<Date | undefined> {
  const isFree = tx`(coalesce(gap_ends_at, ${now}) <= ${now} or gap_after is not distinct from ${afterId})`
  const [gap] = await tx<{ isOwn: boolean; endsAt: Date }[]>`
    update mailboxes
       set gap_after = case when ${isFree} then ${afterId} else gap_after end,
           gap_ends_at = case when ${isFree}
                                then ${now}::timestamptz + min_gap_seconds * (1 + random() / 2) * interval '1 second'
                              else gap_ends_at end
     where account_id = ${currentAccount(tx)} and id = ${mailboxId} and min_gap_seconds > 0
    returning gap_after is not distinct from ${afterId} as "isOwn", gap_ends_at as "endsAt"`
  return gap && !gap.isOwn ? gap.endsAt : undefined
}

/**
 * Records that the mailbox sends today, so that its warm-up advances tomorrow. Days without emails do not advance it.
 * The caller must have locked the mailbox.
 */
export const countRampDay = (tx: Sql, mailboxId: string, now: Date) => tx`
  update mailboxes m
     set ramp_skipped = greatest(m.ramp_skipped, cap.elapsed - cap.day), ramp_sent_at = ${now}
    from (select cap.*
            from mailboxes b
           cross join lateral ${capToday(tx, now)} cap
           where b.account_id = ${currentAccount(tx)} and b.id = ${mailboxId} and b.ramp_since is not null) cap
   where m.account_id = ${currentAccount(tx)} and m.id = ${mailboxId} and cap.has_sent is not true`

const STEP_BACK_DAYS = 2

/** Sets the warm-up of a mailbox back by `STEP_BACK_DAYS`, at most once for each day on which it sent. */
export const stepBackRamp = (tx: Sql, mailboxId: string) => tx`
  update mailboxes b
     set ramp_skipped = b.ramp_skipped + least(${STEP_BACK_DAYS}::int, day), ramp_stepped_back_at = b.ramp_sent_at
    from (select id, ${daysSince(tx, tx`b.ramp_sent_at`)} - b.ramp_skipped as day
            from mailboxes b
           where b.account_id = ${currentAccount(tx)} and b.id = ${mailboxId} and b.ramp_sent_at is not null) sent
   where b.account_id = ${currentAccount(tx)} and b.id = sent.id and day > 0
     and b.ramp_start + b.ramp_increase * day < b.daily_cap
     and b.ramp_stepped_back_at is distinct from b.ramp_sent_at`

/** Keeps the engine from claiming work for the mailbox before the given time. */
export const markCapReached = (tx: Sql, mailboxId: string, until: Date) => tx`
  update mailboxes
     set cap_resets_at = ${until}
   where account_id = ${currentAccount(tx)} and id = ${mailboxId} and (cap_resets_at is null or cap_resets_at < ${until})`

type Attempt = { mailboxId: string; messageId: string; epoch: bigint }

/** Counts emails handed to their servers, and deletes attempts older than the 24-hour window. */
export const countAttempts = (tx: Sql, attempts: readonly Attempt[], at: Date) => {
  const mailboxIds = attempts.map(({ mailboxId }) => mailboxId)
  return tx`
    with expired as (
      delete from mailbox_attempts
       where ctid = any(array(
             select old.ctid
               from (select distinct mailbox_id from unnest(${mailboxIds}::uuid[]) m(mailbox_id)) m
              cross join lateral (
                      select ctid
                        from mailbox_attempts
                       where account_id = ${currentAccount(tx)} and mailbox_id = m.mailbox_id
                         and at < ${at}::timestamptz - interval '25 hours'
                       order by at
                       limit ${10 * attempts.length}
                         for update skip locked) old)))
    insert into mailbox_attempts as t (account_id, mailbox_id, message_id, epoch, at)
    select current_account_id(), mailbox_id, message_id, epoch, ${at}
      from unnest(${mailboxIds}::uuid[], ${attempts.map(({ messageId }) => messageId)}::uuid[],
                  ${attempts.map(({ epoch }) => String(epoch))}::bigint[]) a(mailbox_id, message_id, epoch)
    on conflict (account_id, mailbox_id, message_id, epoch) do update set at = greatest(t.at, excluded.at)`
}

/**
 * Locks the mailbox until the transaction ends. Returns whether its daily cap allows another email now; ignores the
 * gap.
 */
export const lockAndCheckCap = async (tx: Sql, mailboxId: string, now: Date): Promise<boolean> =>
  (await lockQuota(tx, mailboxId, now)).capResetsAt === null
