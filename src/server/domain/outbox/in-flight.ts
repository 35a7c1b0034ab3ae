import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, inAccount } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import type { OptOutIdentifier } from '../../protocols/identity/opt-out-identifier.ts'
import { selectPersonIds } from '../people/persons/person-aliases.ts'
import { selectSendPerson } from './select-send-person.ts'

const WAIT_MS = 5_000
const POLL_MS = 50

/**
 * The messages and calls to count: those to identifiers, in a campaign, to prospects or to a person, or all of them.
 */
export type Recipients =
  | { entries: readonly OptOutIdentifier[] }
  | { campaignId: string }
  | { prospectIds: readonly string[] }
  | { personId: string }
  | 'all'

/**
 * Counts the messages and calls that could not be recalled. Call it after the change that forbids them is committed:
 * workers commit `dot_pending`, `dialing` or `requested_at` before they check whether sending is allowed, so this count
 * includes every message and call whose check may have missed the change. Waits up to five seconds for results.
 * Excludes refused messages and calls, and includes unconfirmed ones.
 */
export async function countInFlight(ctx: Context, recipients: Recipients): Promise<number> {
  const ids = await inAccount(ctx.app.db.app, ctx.accountId, sql =>
    findInFlight({ sql, accountId: ctx.accountId }, recipients),
  )
  const deadline = performance.now() + WAIT_MS
  for (;;) {
    if (ids.length === 0) return 0
    const { pending, unstoppable } = await inAccount(ctx.app.db.app, ctx.accountId, sql =>
      countStates({ sql, accountId: ctx.accountId }, ids),
    )
    if (pending === 0 || performance.now() >= deadline) return pending + unstoppable
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
      select e.message_id as id, e.campaign_id, e.prospect_id, p.id as person_id, e.recipient_emails as emails,
             null as phone
        from email_sends e
        left join prospects r on r.account_id = e.account_id and r.id = e.prospect_id
        left join lateral (${selectSendPerson(sql)}) p on true
       where e.account_id = ${accountId} and e.state = 'dot_pending'
       union all
      select c.id, c.campaign_id, c.prospect_id, coalesce(r.person_id, c.person_id), array[c.person_email], c.to_number
        from calls c
        left join prospects r on r.account_id = c.account_id and r.id = c.prospect_id
       where c.account_id = ${accountId} and c.status in ('dialing', 'in_progress')
       union all
      select l.task_id, t.campaign_id, t.prospect_id, t.person_id, null, null
        from linkedin_sends l
        join tasks t on t.account_id = l.account_id and t.id = l.task_id
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
  const kinds = entries.map(({ kind }) => (kind === 'sms' || kind === 'whatsapp' ? 'phone' : kind))
  return sql`
    exists (
      select
        from unnest(${kinds}::text[], ${entries.map(entry => entry.value)}::text[]) o(kind, value)
        join (${selectBlockable(sql)}) i on i.kind = o.kind and i.value = o.value)`
}

/** Selects the kinds and values of all entries that would forbid a released message or call. */
const selectBlockable = (sql: Sql): Fragment => sql`
  with identifiers as (${selectIdentifiers(sql)})
  select kind, value from identifiers
   union all
  select 'domain', unnest(domain_and_parents(split_part(value, '@', 2))) from identifiers where kind = 'email'`

/**
 * Selects the addresses and the number that a released message or call goes to, and all identifiers of its person and
 * recipients, including aliases: an entry for any of them forbids it. Phone numbers aren't unique, so they identify
 * recipients only for a call without a person.
 */
const selectIdentifiers = (sql: Sql): Fragment => sql`
  select 'email' as kind, unnest(released.emails) as value
   union all
  select 'phone', released.phone
   union all
  select own.kind, own.value
    from (select released.person_id as id
           union
          (${selectPersonIds(sql, 'email', sql`released.emails`)})
           union
          select id from (${selectPersonIds(sql, 'phone', sql`array[released.phone]`)}) callee
           where released.person_id is null) found
   cross join lateral (select * from persons where account_id = current_account_id() and id = found.id limit 1) p
   cross join lateral (
          select kind, value
            from unnest(array['email', 'linkedin', 'phone'], array[p.email, p.linkedin_url, p.phone]) own(kind, value)
           union all
          select kind, value from person_aliases where account_id = p.account_id and person_id = p.id) own`

/**
 * Counts the messages and calls that are pending, and those that can no longer be stopped. A call that is being placed
 * is pending until its provider returns an ID.
 */
async function countStates(
  { sql, accountId }: Pick<Context, 'sql' | 'accountId'>,
  ids: string[],
): Promise<{ pending: number; unstoppable: number }> {
  const [row] = await sql<{ pending: number; unstoppable: number }[]>`
    select count(*) filter (where state = 'pending')::int as pending,
           count(*) filter (where state = 'unstoppable')::int as unstoppable
      from (select case when state = 'dot_pending' then 'pending'
                        when state in ('sent', 'unconfirmed') then 'unstoppable' end as state
              from email_sends
             where account_id = ${accountId} and message_id = any(${ids}::uuid[])
             union all
            select case when status = 'dialing' and provider_call_id is null and lease_until is not null then 'pending'
                        when status <> 'queued' and coalesce(outcome, '') not in ('refused', 'withdrawn')
                        then 'unstoppable' end
              from calls
             where account_id = ${accountId} and id = any(${ids}::uuid[])
             union all
            select case when state = 'claimed' then 'pending'
                        when state in ('sent', 'unconfirmed') then 'unstoppable' end
              from linkedin_sends
             where account_id = ${accountId} and task_id = any(${ids}::uuid[])) found`
  return row!
}
