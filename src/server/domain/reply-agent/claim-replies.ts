import type { Sql } from '../../kernel/db/database.ts'

/** The channel of a reply. */
export type ReplyChannel = 'email' | 'linkedin'

/** A worker's claim on a reply until its lease ends; work done under an older epoch is void. */
export type ClaimedReply = {
  accountId: string
  messageId: string
  channel: ReplyChannel
  state: 'pending' | 'scheduled'
  epoch: bigint
  /** The number of claims in this state, including this one. */
  attempts: number
}

type ClaimLimits = {
  now: Date
  limit: number
  perAccount: number
  leaseMs: number
  /** Accounts that have enough replies in flight. */
  busy: readonly string[]
}

/** Claims due replies of all accounts, at most `perAccount` of each. Requires the engine's role. */
export const claimReplies = (
  engine: Sql,
  { now, limit, perAccount, leaseMs, busy }: ClaimLimits,
): Promise<ClaimedReply[]> => engine<ClaimedReply[]>`
  with oldest as materialized (
    select account_id, message_id, due_at
      from agent_replies
     where state in ('pending', 'scheduled') and due_at <= ${now} and account_id <> all(${[...busy]}::uuid[])
     order by due_at
     limit ${limit * 10}),
  due as (
    select account_id, message_id
      from (select *, row_number() over (partition by account_id order by due_at) as rank from oldest) ranked
     where rank <= ${perAccount}
     order by due_at
     limit ${limit}),
  locked as (
    select r.account_id, r.message_id
      from due join agent_replies r using (account_id, message_id)
     where r.state in ('pending', 'scheduled') and r.due_at <= ${now}
       for update of r skip locked)
  update agent_replies r
     set due_at = ${new Date(now.getTime() + leaseMs)}, epoch = r.epoch + 1, attempts = r.attempts + 1
    from locked l
   where r.account_id = l.account_id and r.message_id = l.message_id
  returning r.account_id as "accountId", r.message_id as "messageId",
            case when r.linkedin_message_id is null then 'email' else 'linkedin' end as channel, r.state, r.epoch, r.attempts`
