import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, inAccount } from '../context.ts'
import type { OptOutIdentifier } from '../identity/opt-out.ts'

const WAIT_MS = 5_000
const POLL_MS = 50

/**
 * How many messages to these contacts could not be recalled. A sender commits `dot_pending` before it reads the
 * list; called after the entries are committed, this sees every send that may have missed them. Each is given
 * time to end: one that was still refused does not count, one whose end is unknown does.
 */
export async function countInFlight(ctx: Context, entries: readonly OptOutIdentifier[]): Promise<number> {
  const messageIds = await inAccount(ctx.app.db.app, ctx.accountId, sql =>
    findReleased({ sql, accountId: ctx.accountId }, entries),
  )
  const deadline = performance.now() + WAIT_MS
  for (;;) {
    if (messageIds.length === 0) return 0
    const { pending, left } = await inAccount(ctx.app.db.app, ctx.accountId, sql =>
      countStates({ sql, accountId: ctx.accountId }, messageIds),
    )
    if (pending === 0 || performance.now() >= deadline) return pending + left
    await sleep(POLL_MS)
  }
}

/** There are never more of them than the engine has connections, so each is held against the entries. */
async function findReleased(
  { sql, accountId }: Pick<Context, 'sql' | 'accountId'>,
  entries: readonly OptOutIdentifier[],
): Promise<string[]> {
  const rows = await sql<{ message_id: string }[]>`
    select e.message_id
      from email_sends e
      left join prospects r on r.account_id = e.account_id and r.id = e.prospect_id
      left join persons p on p.account_id = r.account_id and p.id = r.person_id
     where e.account_id = ${accountId} and e.state = 'dot_pending'
       and exists (
             select from unnest(${entries.map(entry => entry.kind)}::text[], ${entries.map(entry => entry.value)}::text[])
                         o(kind, value)
              where case o.kind
                      when 'email' then o.value = any(e.recipient_emails) or o.value = p.email
                      when 'linkedin' then o.value = p.linkedin_url
                      when 'domain' then exists (
                        select from unnest(array_append(e.recipient_emails, p.email)) address
                         where o.value = any(domain_and_parents(split_part(address, '@', 2))))
                      else o.value = p.phone
                    end)`
  return rows.map(row => row.message_id)
}

async function countStates(
  { sql, accountId }: Pick<Context, 'sql' | 'accountId'>,
  messageIds: string[],
): Promise<{ pending: number; left: number }> {
  const [row] = await sql<{ pending: number; left: number }[]>`
    select count(*) filter (where state = 'dot_pending')::int as pending,
           count(*) filter (where state in ('sent', 'unconfirmed'))::int as left
      from email_sends
     where account_id = ${accountId} and message_id = any(${messageIds}::uuid[])`
  return row!
}
