import type { Sql } from '../../kernel/db/database.ts'
import type { Recipient } from './notification-settings.ts'

const MIN_GAP_MS = 15 * 60_000
const MAX_PER_DAY = 20
const DAY_MS = 24 * 3_600_000

/**
 * Queues one email to each member with unread notifications that are to be emailed immediately. Members who were sent
 * an email within the last 15 minutes, or 20 within a day, get the next one later, with the notifications added by
 * then.
 */
export async function queueEmails(tx: Sql, accountId: string, now: Date): Promise<void> {
  await tx`
    with unmailed as (
      select distinct n.user_id
        from notifications n
       where n.account_id = ${accountId} and n.is_mailed and n.email_id is null and n.read_at is null),
    queued as (
      insert into notification_emails (account_id, id, user_id, due_at, created_at)
      select ${accountId}, new_id(), w.user_id, ${now}, ${now}
        from unmailed w
       where (select count(*) filter (where e.created_at > ${new Date(now.getTime() - MIN_GAP_MS)}) = 0
                     and count(*) < ${MAX_PER_DAY}
                from notification_emails e
               where e.account_id = ${accountId} and e.user_id = w.user_id and e.digest_on is null
                 and e.created_at > ${new Date(now.getTime() - DAY_MS)})
      returning id, user_id)
    update notifications n set email_id = q.id
      from queued q
     where n.account_id = ${accountId} and n.user_id = q.user_id
       and n.is_mailed and n.email_id is null and n.read_at is null`
}

/** Queues today's digest for each member whose chosen hour has come in their time zone. */
export async function queueDigests(
  tx: Sql,
  accountId: string,
  recipients: Recipient[],
  now: Date,
): Promise<void> {
  const due = recipients
    .filter(({ choices }) => Object.values(choices).some(({ email }) => email === 'digest'))
    .map(({ userId, digestHour, timezone }) => {
      const local = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timezone)
      return { userId, digestHour, hour: local.hour, on: local.toPlainDate().toString() }
    })
    .filter(({ digestHour, hour }) => hour >= digestHour)
    .map(({ userId, on }) => ({ userId, on }))
  if (due.length === 0) return
  await tx`
    insert into notification_emails (account_id, id, user_id, digest_on, due_at, created_at)
    select ${accountId}, new_id(), d."userId", d."on", ${now}, ${now}
      from jsonb_to_recordset(${tx.json(due)}) d ("userId" uuid, "on" date)
        on conflict (account_id, user_id, digest_on) do nothing`
}
