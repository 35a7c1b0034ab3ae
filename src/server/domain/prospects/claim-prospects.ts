import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { dispatchKey, isOpen } from './write-prospects.ts'

/** Mails that are tried again later than this leave room for others; beyond any lease. */
const SOON_MS = 60_000
/** So many times as many as may be on their way soon may wait to be tried again. */
const WAITING = 16

/** A claim on a prospect whose step is due; work done under an older epoch is void. */
export type ClaimedProspect = { accountId: string; id: string; epoch: bigint }

/**
 * Prospects whose step is due over all accounts, claimed for `leaseMs`. They are looked for by campaign and mailbox,
 * and those that have begun with none together: each of these gets its longest waiting ones in turn, as long as its
 * mailbox has room and fewer than `perMailbox` mails that leave soon. So neither a huge campaign nor a mailbox that is
 * full, slow or broken keeps another one waiting, and nothing is planned far ahead of what the mailboxes can take.
 * Needs the engine's role.
 */
export const claimDueProspects = (
  engine: Sql,
  { now, limit, perMailbox, leaseMs }: { now: Date; limit: number; perMailbox: number; leaseMs: number },
): Promise<ClaimedProspect[]> => {
  const isWaiting = engine`
    status in ${isOpen(engine)} and next_step_at is not null and (lease_until is null or lease_until <= ${now})`
  const itsKey = dispatchKey(engine, engine`p`)
  const selectFirst = (campaign: Fragment) => engine`
    select account_id, campaign_id, mailbox_id, ${itsKey} as dispatch_key, next_step_at
      from prospects p
     where ${campaign} and ${isWaiting}
     order by ${itsKey}, next_step_at
     limit 1`
  return engine<ClaimedProspect[]>`
    with recursive firsts as (
      -- The next prospect of each dispatch key: one probe of the index for each.
      select p.*
        from campaigns c
       cross join lateral (${selectFirst(engine`account_id = c.account_id and campaign_id = c.id`)}) p
       where c.status = 'active'
      union all
      select p.*
        from firsts f
       cross join lateral (${selectFirst(engine`
         account_id = f.account_id and campaign_id = f.campaign_id and ${itsKey} > f.dispatch_key`)}) p),
    rooms as materialized (
      -- One that doesn't work is looked at by a single prospect, which learns why not, or of another one.
      select b.account_id, b.id as mailbox_id, b.rep_id, b.status = 'active' and b.removed_at is null as works,
             case when b.status <> 'active' or b.removed_at is not null then 1
                  when greatest(b.full_until, b.rests_until, b.retry_at) > ${now} then 0
                  else greatest(0, least(
                         case when b.min_gap_seconds > 0 then 1 else ${perMailbox}::int end - coalesce(e.soon, 0),
                         ${perMailbox * WAITING}::int - coalesce(e.mails, 0))) end as room
        from mailboxes b
        left join (select account_id, mailbox_id, count(*) as mails,
                          count(*) filter (where due_at <= ${new Date(now.getTime() + SOON_MS)}) as soon
                     from email_sends
                    where state in ('queued', 'claimed', 'dot_pending')
                    group by account_id, mailbox_id) e on e.account_id = b.account_id and e.mailbox_id = b.id),
    beginnings as (
      -- Whoever has none yet may get any of the campaign's.
      select c.account_id, c.id as campaign_id, array_agg(k.rep_id) as rep_ids,
             case when c.begins_from > ${now} then 0 else coalesce(sum(r.room) filter (where r.works), 1) end as room
        from campaigns c
        left join campaign_reps k on k.account_id = c.account_id and k.campaign_id = c.id
        left join rooms r on r.account_id = k.account_id and r.rep_id = k.rep_id
       where c.status = 'active'
       group by c.account_id, c.id),
    keys as (
      select f.account_id, f.campaign_id, f.dispatch_key, l.room, count(*) over () as count,
             row_number() over (order by f.next_step_at) as place
        from firsts f
        join beginnings b on b.account_id = f.account_id and b.campaign_id = f.campaign_id
        left join rooms r on r.account_id = f.account_id and r.mailbox_id = f.mailbox_id
       cross join lateral (
         -- Those whose rep was taken off the campaign get other mailboxes: theirs says nothing of the room in these.
         select coalesce(case when r.rep_id <> all (b.rep_ids) then 1 else r.room end, b.room) as room) l
       where f.next_step_at <= ${now} and l.room > 0),
    due as (
      select p.account_id, p.id
        from keys l
       cross join lateral (
         select account_id, id
           from prospects p
          where account_id = l.account_id and campaign_id = l.campaign_id and ${itsKey} = l.dispatch_key
            and ${isWaiting} and next_step_at <= ${now}
          -- With the constant dispatch key the planner sees that this is the index's own order.
          order by ${itsKey}, next_step_at
          -- The same for each, and one more for those that have waited longest.
          limit least(l.room, ${limit}::int / l.count + (l.place <= ${limit}::int % l.count)::int)
            for update skip locked) p)
    update prospects p
       set lease_until = ${new Date(now.getTime() + leaseMs)}, lease_epoch = p.lease_epoch + 1
      from due d
     where p.account_id = d.account_id and p.id = d.id
    returning p.account_id as "accountId", p.id, p.lease_epoch as epoch`
}
