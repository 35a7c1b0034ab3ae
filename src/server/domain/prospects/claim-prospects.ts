import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { isSendingPaused } from '../accounts/sending.ts'
import { dispatchKey, openStatuses } from './write-prospects.ts'

/** Emails whose retry is due later than this don't count as in flight. Must be longer than any lease. */
const SOON_MS = 60_000
/** A mailbox may have up to this many times `perMailbox` emails in its queue, including retries. */
const MAX_QUEUED_FACTOR = 16

/** A claim on a prospect whose step is due; work done under an older epoch is void. */
export type ClaimedProspect = { accountId: string; id: string; epoch: bigint }

/**
 * Claims prospects of all accounts whose step is due, for `leaseMs`. Each pair of campaign and dispatch key gets an
 * equal share, longest due first, while its mailbox is below its quota and has fewer than `perMailbox` emails in
 * flight. So neither a huge campaign nor a full, slow or failing mailbox delays the others, and planning stays close to
 * what the mailboxes can send. Requires the engine's role.
 */
export const claimDueProspects = (
  engine: Sql,
  { now, limit, perMailbox, leaseMs }: { now: Date; limit: number; perMailbox: number; leaseMs: number },
): Promise<ClaimedProspect[]> => {
  const isClaimable = engine`
    status in ${openStatuses(engine)} and next_step_at is not null and (lease_until is null or lease_until <= ${now})`
  const key = dispatchKey(engine, engine`p`)
  const selectFirst = (campaign: Fragment) => engine`
    select account_id, campaign_id, mailbox_id, began_at, ${key} as dispatch_key, next_step_at
      from prospects p
     where ${campaign} and ${isClaimable}
     order by ${key}, next_step_at
     limit 1`
  return engine<ClaimedProspect[]>`
    with recursive firsts as (
      -- For each dispatch key, the prospect that is due first: one index probe per key.
      select p.*
        from campaigns c
       cross join lateral (${selectFirst(engine`account_id = c.account_id and campaign_id = c.id`)}) p
       where c.status = 'active' and not ${isSendingPaused(engine, engine`c`)}
      union all
      select p.*
        from firsts f
       cross join lateral (${selectFirst(engine`
         account_id = f.account_id and campaign_id = f.campaign_id and ${key} > f.dispatch_key`)}) p),
    capacities as materialized (
      -- A mailbox that doesn't work gets one prospect, whose planning finds the reason or another mailbox.
      select b.account_id, b.id as mailbox_id, b.rep_id, health.is_working,
             case when not health.is_working then 1
                  when greatest(b.cap_resets_at, b.gap_ends_at, b.retry_at) > ${now} then 0
                  else greatest(0, least(
                         case when b.min_gap_seconds > 0 then 1 else ${perMailbox}::int end - coalesce(e.soon, 0),
                         ${perMailbox * MAX_QUEUED_FACTOR}::int - coalesce(e.emails, 0))) end as capacity
        from mailboxes b
       cross join lateral (
         select b.status = 'active' and b.paused_at is null and b.removed_at is null as is_working) health
        left join (select account_id, mailbox_id, count(*) as emails,
                          count(*) filter (where due_at <= ${new Date(now.getTime() + SOON_MS)}) as soon
                     from email_sends
                    where state in ('queued', 'claimed', 'dot_pending')
                    group by account_id, mailbox_id) e on e.account_id = b.account_id and e.mailbox_id = b.id),
    totals as (
      -- Prospects without a mailbox may get any mailbox of the campaign.
      select c.account_id, c.id as campaign_id, c.begins_from, array_agg(k.rep_id) as rep_ids,
             coalesce(sum(m.capacity) filter (where m.is_working), 1) as capacity
        from campaigns c
        left join campaign_reps k on k.account_id = c.account_id and k.campaign_id = c.id
        left join capacities m on m.account_id = k.account_id and m.rep_id = k.rep_id
       where c.status = 'active'
       group by c.account_id, c.id),
    keys as (
      select f.account_id, f.campaign_id, f.dispatch_key, l.capacity, count(*) over () as count,
             row_number() over (order by f.next_step_at) as rank
        from firsts f
        join totals t on t.account_id = f.account_id and t.campaign_id = f.campaign_id
        left join capacities m on m.account_id = f.account_id and m.mailbox_id = f.mailbox_id
       cross join lateral (
         -- A prospect whose rep was removed from the campaign gets another mailbox, whose capacity is unknown.
         select case when f.began_at is null and t.begins_from > ${now} then 0
                     else coalesce(case when m.rep_id <> all (t.rep_ids) then 1 else m.capacity end, t.capacity)
                end as capacity) l
       where f.next_step_at <= ${now} and l.capacity > 0),
    due as (
      select p.account_id, p.id
        from keys l
       cross join lateral (
         select account_id, id
           from prospects p
          where account_id = l.account_id and campaign_id = l.campaign_id and ${key} = l.dispatch_key
            and ${isClaimable} and next_step_at <= ${now}
          -- With the constant dispatch key, the planner sees that this is the order of the index.
          order by ${key}, next_step_at
          -- An equal share for each key; the remainder goes to those that have been due longest.
          limit least(l.capacity, ${limit}::int / l.count + (l.rank <= ${limit}::int % l.count)::int)
            for update skip locked) p)
    update prospects p
       set lease_until = ${new Date(now.getTime() + leaseMs)}, lease_epoch = p.lease_epoch + 1
      from due d
     where p.account_id = d.account_id and p.id = d.id
    returning p.account_id as "accountId", p.id, p.lease_epoch as epoch`
}
