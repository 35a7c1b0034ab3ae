import { currentAccount, type Sql } from '../../kernel/db/database.ts'
import { isSendingPaused } from '../accounts/sending.ts'

/** A worker's claim on the send of a message; work done under an older epoch is void. */
export type ClaimedSend = {
  accountId: string
  messageId: string
  mailboxId: string
  epoch: bigint
  /** The number of claims, including this one. */
  attempts: number
}

/**
 * Claims due sends of all accounts for `leaseMs`: queued ones, and those whose worker died before the gate. Limits the
 * sends in flight per mailbox to about `perMailbox`, across all processes, so that a slow server doesn't delay the
 * email of other mailboxes. Requires the engine's role.
 */
export const claimSends = (
  engine: Sql,
  { now, limit, perMailbox, leaseMs }: { now: Date; limit: number; perMailbox: number; leaseMs: number },
): Promise<ClaimedSend[]> => engine<ClaimedSend[]>`
  with oldest as materialized (
    select account_id, message_id, mailbox_id, due_at
      from email_sends e
     where state in ('queued', 'claimed') and due_at <= ${now} and not ${isSendingPaused(engine, engine`e`)}
     order by due_at
     limit ${limit * 10}),
  busy as materialized (
    select account_id, mailbox_id, count(*) as sends
      from email_sends
     where state in ('claimed', 'dot_pending') and due_at > ${now}
     group by account_id, mailbox_id),
  due as (
    select account_id, message_id
      from (select account_id, message_id, mailbox_id, due_at,
                   row_number() over (partition by account_id, mailbox_id order by due_at) as rank
              from oldest) ranked
      left join busy using (account_id, mailbox_id)
     where rank <= ${perMailbox} - coalesce(sends, 0)
     order by due_at
     limit ${limit}),
  locked as (
    select e.*
      from due d
     cross join lateral (
             -- Filters by key only: with the state, the planner may scan the index of due sends for each row.
             select account_id, message_id, state, due_at
               from email_sends
              where account_id = d.account_id and message_id = d.message_id
              limit 1
                for update skip locked) e)
  update email_sends e
     set state = 'claimed', epoch = e.epoch + 1, attempts = e.attempts + 1, updated_at = now(),
         due_at = ${new Date(now.getTime() + leaseMs)}
    from locked l
   where e.account_id = l.account_id and e.message_id = l.message_id and l.state in ('queued', 'claimed') and l.due_at <= ${now}
  returning e.account_id as "accountId", e.message_id as "messageId", e.mailbox_id as "mailboxId", e.epoch, e.attempts`

/**
 * Returns how many sends of each mailbox may be claimed as soon as they are queued, so that at most `perMailbox` are in
 * flight or due.
 */
export async function findFreeSlots(
  tx: Sql,
  mailboxIds: readonly string[],
  { now, perMailbox }: { now: Date; perMailbox: number },
): Promise<Map<string, number>> {
  const rows = await tx<{ mailboxId: string; free: number }[]>`
    select b.id as "mailboxId", ${perMailbox}::int - count(e.state)::int as free
      from unnest(${[...mailboxIds]}::uuid[]) b(id)
      left join email_sends e on e.account_id = ${currentAccount(tx)} and e.mailbox_id = b.id
                              and e.state in ('queued', 'claimed', 'dot_pending')
                              and (e.state <> 'queued' or e.due_at <= ${now})
     group by b.id`
  return new Map(rows.map(({ mailboxId, free }) => [mailboxId, free]))
}

/**
 * Extends the leases of the claims that are still valid. Skips sends that another transaction is changing. Requires the
 * engine's role.
 */
export const renewSends = (
  engine: Sql,
  claims: readonly Pick<ClaimedSend, 'accountId' | 'messageId' | 'epoch'>[],
  until: Date,
) => engine`
  with held as (
    select e.account_id, e.message_id
      from unnest(${claims.map(claim => claim.accountId)}::uuid[], ${claims.map(claim => claim.messageId)}::uuid[],
                  ${claims.map(claim => String(claim.epoch))}::bigint[]) c(account_id, message_id, epoch)
      join email_sends e using (account_id, message_id, epoch)
     where e.state in ('claimed', 'dot_pending')
       for update of e skip locked)
  update email_sends e
     set due_at = ${until}
    from held
   where e.account_id = held.account_id and e.message_id = held.message_id`

/**
 * Claims, for `leaseMs`, sends whose worker was lost after the gate. They may or may not have been delivered. Skips
 * sends that are in flight in this process, because their leases may have expired only while the database was
 * unavailable, and sends that another transaction is changing. Requires the engine's role.
 */
export const claimLostSends = (
  engine: Sql,
  {
    inFlight = [],
    now,
    limit,
    leaseMs,
  }: { inFlight?: readonly Pick<ClaimedSend, 'messageId'>[]; now: Date; limit: number; leaseMs: number },
): Promise<ClaimedSend[]> => engine<ClaimedSend[]>`
  with lost as (
    select account_id, message_id
      from email_sends
     where state = 'dot_pending' and due_at <= ${now}
       and message_id <> all (${inFlight.map(({ messageId }) => messageId)}::uuid[])
     order by due_at
     limit ${limit}
       for update skip locked)
  update email_sends e
     set due_at = ${new Date(now.getTime() + leaseMs)}
    from lost
   where e.account_id = lost.account_id and e.message_id = lost.message_id
  returning e.account_id as "accountId", e.message_id as "messageId", e.mailbox_id as "mailboxId", e.epoch, e.attempts`
