import type { Permission } from '../../../contract/permissions.ts'
import type { Context } from '../../kernel/context.ts'
import type { Fragment } from '../../kernel/db/database.ts'
import { selectSenders } from '../prospects/sender.ts'
import { dispatchKey, openStatuses } from '../prospects/write-prospects.ts'

export const MAX_COUNT = 1_000

/**
 * A query for one kind of problem. Selects the object's type, ID and name, the reason, its start and the amount of
 * waiting work, for account `s`.
 */
export type Query = {
  select: (ctx: Context) => Fragment
  /** Defaults to the permission of the operation. */
  permission?: Permission
}

export const count = ({ sql }: Context, rows: Fragment): Fragment =>
  sql`(select count(*)::int from (${rows} limit ${MAX_COUNT}) counted)`

export const queuedEmails = (ctx: Context, condition: Fragment): Fragment =>
  count(
    ctx,
    ctx.sql`select from email_sends q where q.account_id = s.account_id and q.state = 'queued' and ${condition}`,
  )

/** Selects the active campaigns `c` with an email step. */
export const emailCampaigns = ({ sql }: Context): Fragment => sql`
  campaigns c
  where c.account_id = s.account_id and c.status = 'active'
    and exists (select from campaign_steps st
                 where st.account_id = c.account_id and st.campaign_id = c.id
                   and st.removed_at is null and st.channel = 'email')`

/** Selects the working mailboxes of campaign `c`. */
export const workingMailboxes = ({ sql }: Context): Fragment =>
  selectSenders(sql, sql`cr.account_id = c.account_id and cr.campaign_id = c.id`)

/** After this time, the engine retries a prospect whose mailbox doesn't work. */
const RETRY_MS = 60_000

/**
 * Selects the prospects of campaign `c` whose step is due and waits for mailbox `b`, from which they got their earlier
 * emails. If no mailbox of the campaign works, prospects that have received no email yet wait for each of them.
 */
const waitingProspects = (ctx: Context): Fragment => {
  const { sql, app } = ctx
  return sql`
    select 1
      from (select b.id as mailbox_id, null::timestamptz as began_at
            union all
            select null, began_at from (values (null), (now())) without_mailbox(began_at)
             where not exists (${workingMailboxes(ctx)})) k
     cross join lateral (
       -- The limit makes the planner use the index of due prospects for each key.
       select from prospects r
        where r.account_id = c.account_id and r.campaign_id = c.id
          and ${dispatchKey(sql, sql`r`)} = ${dispatchKey(sql, sql`k`)}
          and r.status in ${openStatuses(sql)} and r.next_step_at <= ${new Date(app.now().getTime() + RETRY_MS)}
        limit ${MAX_COUNT}) due`
}

/** Counts the emails of campaign `c` that wait for mailbox `b`, like `heldUpEmails`. */
export const heldUpProspects = (ctx: Context): Fragment =>
  count(
    ctx,
    ctx.sql`
      select 1 from email_sends q
       where q.account_id = b.account_id and q.mailbox_id = b.id and q.state = 'queued' and q.campaign_id = c.id
      union all
      (${waitingProspects(ctx)})`,
  )

/** Counts the emails that wait for mailbox `b`: those in its queue and, while it sends nothing, those that are due. */
export const heldUpEmails = (ctx: Context): Fragment =>
  count(
    ctx,
    ctx.sql`
      select 1 from email_sends q
       where q.account_id = b.account_id and q.mailbox_id = b.id and q.state = 'queued'
      union all
      select 1
        from campaign_reps k
        join (select c.* from ${emailCampaigns(ctx)}) c on c.account_id = k.account_id and c.id = k.campaign_id
       cross join lateral (${waitingProspects(ctx)}) r
       where k.account_id = b.account_id and k.rep_id = b.rep_id
         and (b.status <> 'active' or b.paused_at is not null or b.failure_count > 0)`,
  )
