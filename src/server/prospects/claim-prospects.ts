import type { Sql } from '../db.ts'
import { isOpen } from './write-prospects.ts'

/** A claim on a prospect whose step is due; work done under an older epoch is void. */
export type ClaimedProspect = { accountId: string; id: string; epoch: bigint }

/**
 * Prospects whose step is due over all accounts, claimed for `leaseMs`. They are looked for by campaign and mailbox,
 * and those that have begun with none together: each of these gets its longest waiting ones in turn, as long as its
 * mailbox has room and fewer than `perMailbox` mails on their way. So neither a huge campaign nor a mailbox that is
 * full, slow or broken keeps another one waiting, and nothing is planned far ahead of what the mailboxes can take.
 * Needs the engine's role.
 */
export const claimDueProspects = (
  engine: Sql,
  { now, limit, perMailbox, leaseMs }: { now: Date; limit: number; perMailbox: number; leaseMs: number },
): Promise<ClaimedProspect[]> => {
  const isWaiting = engine`status in ${isOpen(engine)} and next_step_at is not null`
  const isDue = engine`
    status in ${isOpen(engine)} and next_step_at <= ${now} and (lease_until is null or lease_until <= ${now})`
  // One that doesn't work is looked at by a single prospect, which learns why not, or of another one.
  const roomOf = engine`
    case when b.status <> 'active' or b.removed_at is not null then 1
         when coalesce(greatest(b.full_until, b.rests_until, b.retry_at) > ${now}, false) then 0
         else greatest(0, case when b.min_gap_seconds > 0 then 1 else ${perMailbox}::int end
                          - (select count(*)
                               from email_sends e
                              where e.account_id = b.account_id and e.mailbox_id = b.id
                                and e.state in ('queued', 'claimed', 'dot_pending'))) end`
  return engine<ClaimedProspect[]>`
    with recursive assigned as (
      -- Which mailboxes the prospects of a campaign have: one probe of the index for each.
      select c.account_id, c.id as campaign_id, p.mailbox_id
        from campaigns c
       cross join lateral (
         select mailbox_id from prospects
          where account_id = c.account_id and campaign_id = c.id and ${isWaiting} and mailbox_id is not null
          order by mailbox_id limit 1) p
       where c.status = 'active'
      union all
      select a.account_id, a.campaign_id, p.mailbox_id
        from assigned a
       cross join lateral (
         select mailbox_id from prospects
          where account_id = a.account_id and campaign_id = a.campaign_id and ${isWaiting}
            and mailbox_id > a.mailbox_id
          order by mailbox_id limit 1) p),
    ways as (
      select a.account_id, a.campaign_id, a.mailbox_id, ${roomOf} as room
        from assigned a
        join mailboxes b on b.account_id = a.account_id and b.id = a.mailbox_id
      union all
      select c.account_id, c.id, null,
             (select coalesce(sum(${roomOf}) filter (where b.status = 'active' and b.removed_at is null), 1)
                from campaign_reps k
                join mailboxes b on b.account_id = k.account_id and b.rep_id = k.rep_id
               where k.account_id = c.account_id and k.campaign_id = c.id)
        from campaigns c
       where c.status = 'active' and (c.begins_from is null or c.begins_from <= ${now})),
    busy as (
      select w.*, least(w.room, ceil(${limit}::numeric / count(*) over ()))::int as share
        from ways w
       where w.room > 0
         and case when w.mailbox_id is null
               then exists (select from prospects where account_id = w.account_id and campaign_id = w.campaign_id
                                                    and mailbox_id is null and ${isDue})
               else exists (select from prospects where account_id = w.account_id and campaign_id = w.campaign_id
                                                    and mailbox_id = w.mailbox_id and ${isDue}) end),
    due as (
      select r.account_id, r.id
        from busy w
       cross join lateral (
         select account_id, id, next_step_at, row_number() over (order by next_step_at) as place
           from ((select account_id, id, next_step_at from prospects
                   where w.mailbox_id is not null and account_id = w.account_id and campaign_id = w.campaign_id
                     and mailbox_id = w.mailbox_id and ${isDue}
                   order by next_step_at limit w.share)
                 union all
                 (select account_id, id, next_step_at from prospects
                   where w.mailbox_id is null and account_id = w.account_id and campaign_id = w.campaign_id
                     and mailbox_id is null and ${isDue}
                   -- Only with the column that is null is this seen to be the index's own order.
                   order by mailbox_id, next_step_at limit w.share)) one) r
       order by r.place, r.next_step_at
       limit ${limit}),
    free as (
      select p.account_id, p.id
        from prospects p
        join due d on d.account_id = p.account_id and d.id = p.id
       where ${isDue}
         for update of p skip locked)
    update prospects p
       set lease_until = ${new Date(now.getTime() + leaseMs)}, lease_epoch = p.lease_epoch + 1
      from free f
     where p.account_id = f.account_id and p.id = f.id
    returning p.account_id as "accountId", p.id, p.lease_epoch as epoch`
}
