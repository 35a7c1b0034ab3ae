import type { Input, Output } from '../../../contract/index.ts'
import { authorize, type Context, ownRepsOnly } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { findJson, type Json } from '../../kernel/json.ts'
import { afterCursor, listPage, orderAndLimit } from '../../kernel/page.ts'

/** Why a LinkedIn send waits: the rep's invitation cap is reached. */
export const CAP_REACHED = 'enough invitations for now'

/** A task `t` as the API shows it, with what it says of its person. */
const taskJson = (sql: Sql): Fragment => sql`
  json_strip_nulls(json_build_object(
    'id', t.id,
    'objectType', 'task',
    'createdAt', api_time(t.created_at),
    'updatedAt', api_time(t.updated_at),
    'channel', t.channel,
    'text', t.text,
    'status', t.status,
    'statusReason', t.status_reason,
    'heldBy', case when t.status <> 'open' then null
                   when t.step_id is not null and c.status <> 'active' then 'campaign_paused'
                   when t.step_id is not null and r.status = 'paused' then 'prospect_paused'
                   when e.response = ${CAP_REACHED} then 'invitation_cap' end,
    'sentBy', case when e.due_at is not null then 'unipile' end,
    'sendsAt', api_time(e.due_at),
    'dueAt', api_time(t.due_at),
    'endedAt', api_time(t.ended_at),
    'acceptedAt', (select api_time(n.accepted_at) from linkedin_connections n
                    where t.channel = 'linkedin_connect' and n.account_id = t.account_id and n.rep_id = t.rep_id
                      and n.person_id = t.person_id),
    'repId', t.rep_id,
    'repName', o.name,
    'campaignId', t.campaign_id,
    'campaignName', c.name,
    'stepId', t.step_id,
    'step', g.position,
    'linkedinMessageId', t.linkedin_message_id,
    'prospectId', t.prospect_id,
    'personId', t.person_id,
    'personName', nullif(concat_ws(' ', p.first_name, p.last_name), ''),
    'linkedinUrl', p.linkedin_url))::text as json`

const itsOwners = (sql: Sql): Fragment => sql`
  cross join lateral (select status from prospects where account_id = t.account_id and id = t.prospect_id limit 1) r
  cross join lateral (select status, name from campaigns where account_id = t.account_id and id = t.campaign_id limit 1) c
  cross join lateral (select first_name, last_name, linkedin_url from persons
                       where account_id = t.account_id and id = t.person_id limit 1) p
  cross join lateral (select name from reps where account_id = t.account_id and id = t.rep_id limit 1) o
   left join lateral (select position from campaign_steps
                       where account_id = t.account_id and id = t.step_id and removed_at is null limit 1) g on true
   left join lateral (select due_at, response from linkedin_sends
                       where t.status = 'open' and account_id = t.account_id and task_id = t.id
                         and state in ('queued', 'claimed') limit 1) e on true`

export const listTasks = (ctx: Context, input: Input<'listTasks'>): Promise<Json<Output<'listTasks'>>> =>
  listPage(ctx, 'listTasks', input, page => {
    const { sql } = ctx
    const { repId, prospectId, status } = page.filters
    const order = orderAndLimit(sql, page, 't.due_at', 't.id')
    const isByOwnReps = !prospectId && authorize(ctx, 'Task.ReadTask') === 'own'
    // The sub-select hides the rep from the planner, which would go along the time when they have most of the tasks.
    const tasks = sql`
      select t.*
        from tasks t
       where t.account_id = s.account_id
         ${prospectId ? sql`and t.prospect_id = ${prospectId} ${ownRepsOnly(ctx, 'Task.ReadTask', sql`t.rep_id`)}` : sql``}
         ${isByOwnReps ? sql`and t.rep_id = e.id` : repId ? sql`and t.rep_id = (select ${repId}::uuid)` : sql``}
         ${status ? sql`and t.status = ${status}` : sql``}
         ${afterCursor(sql, page, 't.due_at', 't.id')}
         ${order}`
    // A member sees the ranges of the own reps side by side.
    const ofOwnReps = sql`
      select t.*
        from reps e
       cross join lateral (${tasks}) t
       where e.account_id = s.account_id and e.owned_by_id = ${ctx.userId} ${repId ? sql`and e.id = ${repId}` : sql``}
       ${order}`
    return sql`
      select t.id, api_time(t.due_at) as at, ${taskJson(sql)}
        from (${isByOwnReps ? ofOwnReps : tasks}) t
             ${itsOwners(sql)}
       ${order}`
  })

export const getTask = (ctx: Context, { taskId }: Input<'getTask'>): Promise<Json<Output<'getTask'>>> =>
  findJson(
    ctx,
    'task',
    ctx.sql`
      select ${taskJson(ctx.sql)}
        from (select * from tasks where account_id = s.account_id and id = ${taskId} limit 1) t
             ${itsOwners(ctx.sql)}
       where true ${ownRepsOnly(ctx, 'Task.ReadTask', ctx.sql`t.rep_id`)}`,
  )
