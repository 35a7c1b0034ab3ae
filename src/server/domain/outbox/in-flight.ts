import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, inAccount } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import type { OptOutIdentifier } from '../../protocols/identity/opt-out-identifier.ts'
import { selectSendPerson } from './select-send-person.ts'

const WAIT_MS = 5_000
const POLL_MS = 50

/** The messages and calls to count: those to contacts, in a campaign, to prospects, to a person, or all. */
export type Recipients =
  | { entries: readonly OptOutIdentifier[] }
  | { campaignId: string }
  | { prospectIds: readonly string[] }
  | { personId: string }
  | 'all'

/**
 * Counts the messages and calls that could not be recalled. Call it after the change that forbids them is committed:
 * workers commit `dot_pending`, `dialing` or `requested_at` before they read what forbids the send, so this sees
 * everything that may have missed the change. Waits up to five seconds for results. Excludes refused messages and
 * calls, and includes unconfirmed ones.
 */
export async function countInFlight(ctx: Context, recipients: Recipients): Promise<number> {
  const ids = await inAccount(ctx.app.db.app, ctx.accountId, sql =>
    findInFlight({ sql, accountId: ctx.accountId }, recipients),
  )
  const deadline = performance.now() + WAIT_MS
  for (;;) {
    if (ids.length === 0) return 0
    const { pending, left } = await inAccount(ctx.app.db.app, ctx.accountId, sql =>
      countStates({ sql, accountId: ctx.accountId }, ids),
    )
    if (pending === 0 || performance.now() >= deadline) return pending + left
    await sleep(POLL_MS)
  }
}

/** Finds the messages and calls in flight. There are few, so each is compared with all entries. */
async function findInFlight(
  { sql, accountId }: Pick<Context, 'sql' | 'accountId'>,
  recipients: Recipients,
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    with released as (
      select e.message_id as id, e.campaign_id, e.prospect_id, p.id as person_id,
             array_append(e.recipient_emails, p.email) as emails, p.linkedin_url, array[p.phone] as phones
        from email_sends e
        left join prospects r on r.account_id = e.account_id and r.id = e.prospect_id
        left join lateral (${selectSendPerson(sql)}) p on true
       where e.account_id = ${accountId} and e.state = 'dot_pending'
       union all
      select c.id, c.campaign_id, c.prospect_id, p.id, array[c.person_email, p.email], p.linkedin_url,
             array[c.to_number, p.phone]
        from calls c
        left join prospects r on r.account_id = c.account_id and r.id = c.prospect_id
        left join persons p on p.account_id = c.account_id and p.id = coalesce(r.person_id, c.person_id)
       where c.account_id = ${accountId} and c.status in ('dialing', 'in_progress')
       union all
      select l.task_id, t.campaign_id, t.prospect_id, t.person_id, array[p.email], p.linkedin_url, array[p.phone]
        from linkedin_sends l
        join tasks t on t.account_id = l.account_id and t.id = l.task_id
        join persons p on p.account_id = t.account_id and p.id = t.person_id
       where l.account_id = ${accountId} and l.state = 'claimed' and l.requested_at is not null)
    select released.id from released where ${matchesRecipients(sql, recipients)}`
  return rows.map(row => row.id)
}

function matchesRecipients(sql: Sql, recipients: Recipients): Fragment {
  if (recipients === 'all') return sql`true`
  if ('campaignId' in recipients) return sql`campaign_id = ${recipients.campaignId}`
  if ('prospectIds' in recipients) return sql`prospect_id = any(${[...recipients.prospectIds]}::uuid[])`
  if ('personId' in recipients) return sql`person_id = ${recipients.personId}`
  const { entries } = recipients
  return sql`
    exists (
      select from unnest(${entries.map(entry => entry.kind)}::text[], ${entries.map(entry => entry.value)}::text[])
                  o(kind, value)
       where case o.kind
               when 'email' then o.value = any(emails)
               when 'linkedin' then o.value = linkedin_url
               when 'domain' then exists (
                 select from unnest(emails) address
                  where o.value = any(domain_and_parents(split_part(address, '@', 2))))
               else o.value = any(phones)
             end)`
}

/**
 * Counts the messages and calls that are pending and those that have left. A call being placed has no ID at its
 * provider yet.
 */
async function countStates(
  { sql, accountId }: Pick<Context, 'sql' | 'accountId'>,
  ids: string[],
): Promise<{ pending: number; left: number }> {
  const [row] = await sql<{ pending: number; left: number }[]>`
    select count(*) filter (where state = 'pending')::int as pending, count(*) filter (where state = 'left')::int as left
      from (select case when state = 'dot_pending' then 'pending' when state in ('sent', 'unconfirmed') then 'left' end as state
              from email_sends
             where account_id = ${accountId} and message_id = any(${ids}::uuid[])
             union all
            select case when status = 'dialing' and provider_call_id is null and lease_until is not null then 'pending'
                        when status <> 'queued' and coalesce(outcome, '') not in ('refused', 'withdrawn') then 'left' end
              from calls
             where account_id = ${accountId} and id = any(${ids}::uuid[])
             union all
            select case when state = 'claimed' then 'pending' when state in ('sent', 'unconfirmed') then 'left' end
              from linkedin_sends
             where account_id = ${accountId} and task_id = any(${ids}::uuid[])) found`
  return row!
}
