import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { capToday } from './quota.ts'

/** Bounces are counted over this many emails. */
export const BOUNCE_WINDOW = 100

/** Selects the reports about the last emails of the mailbox `b`, counted from when it was last resumed. */
export const selectLastReports = (sql: Sql, emails: number): Fragment => sql`
  select hard_bounced_at, complained_at
    from email_sends
   where account_id = b.account_id and mailbox_id = b.id and state in ('sent', 'failed', 'unconfirmed')
     and ended_at > coalesce(b.resumed_at, '-infinity')
   order by ended_at desc
   limit ${emails}`

/** Selects the recent usage of the mailbox `b` as JSON. */
export const usageJson = (sql: Sql, now: Date): Fragment => sql`
  (select json_build_object(
            'sent', (select count(*)
                       from mailbox_attempts t
                      where t.account_id = b.account_id and t.mailbox_id = b.id
                        and t.at > ${now}::timestamptz - interval '24 hours'),
            'limit', case when b.daily_cap is not null then (select cap.today from ${capToday(sql, now)} cap) end,
            'rampUpDay', (select cap.day + 1 from ${capToday(sql, now)} cap where b.ramp_since is not null and cap.today < b.daily_cap),
            'lastEmails', count(*),
            'bounced', count(last.hard_bounced_at))
     from (${selectLastReports(sql, BOUNCE_WINDOW)}) last)`
