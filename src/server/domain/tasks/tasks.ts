import type { Input, Output } from '../../../contract/index.ts'
import { authorize, type Context, ownRepsOnly } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { jsonObject, timestamp, uuid } from '../../kernel/db/json-object.ts'
import { findJson, type Json } from '../../kernel/json.ts'
import { afterCursor, isUpdatedSince, listPage, orderAndLimit } from '../../kernel/page.ts'

/** The reason stored for a LinkedIn send that is held by the rep's invitation cap. */
export const CAP_REACHED = 'enough invitations for now'

/** Builds the API's JSON of task `t`, with facts about its person. Requires `taskJoins`. */
export const taskJson = (sql: Sql): Fragment => sql`
  ${jsonObject({
    id: uuid('t.id'),
    objectType: 'task',
    createdAt: timestamp('t.created_at'),
    updatedAt: timestamp('t.updated_at'),
    channel: sql`t.channel`,
    title: sql`t.title`,
    text: sql`t.text`,
    status: sql`t.status`,
    statusReason: sql`t.status_reason`,
    heldBy: sql`case when t.status <> 'open' then null
                   when t.step_id is not null and c.status <> 'active' then 'campaign_paused'
                   when t.step_id is not null and r.status = 'paused' then 'prospect_paused'
                   when e.response = ${CAP_REACHED} then 'invitation_cap' end`,
    sentBy: sql`case when e.due_at is not null then 'unipile' end`,
    sendsAt: timestamp('e.due_at'),
    dueAt: timestamp('t.due_at'),
    endedAt: timestamp('t.ended_at'),
    acceptedAt: sql`(select api_time(n.accepted_at) from linkedin_connections n
                    where t.channel = 'linkedin_connect' and n.account_id = t.account_id and n.rep_id = t.rep_id
                      and n.person_id = t.person_id)`,
    repId: uuid('t.rep_id'),
    repName: sql`o.name`,
    campaignId: uuid('t.campaign_id'),
    campaignName: sql`c.name`,
    stepId: uuid('t.step_id'),
    step: sql`g.position`,
    linkedinMessageId: uuid('t.linkedin_message_id'),
    prospectId: uuid('t.prospect_id'),
    personId: uuid('t.person_id'),
    personName: sql`nullif(concat_ws(' ', p.first_name, p.last_name), '')`,
    email: sql`p.email`,
    phone: sql`p.phone`,
    linkedinUrl: sql`p.linkedin_url`,
  })} as json`

export const taskJoins = (sql: Sql): Fragment => sql`
   left join lateral (select status from prospects where account_id = t.account_id and id = t.prospect_id limit 1) r on true
   left join lateral (select status, name from campaigns where account_id = t.account_id and id = t.campaign_id limit 1) c on true
  cross join lateral (select first_name, last_name, email, phone, linkedin_url from persons
                       where account_id = t.account_id and id = t.person_id limit 1) p
  cross join lateral (select name from reps where account_id = t.account_id and id = t.rep_id limit 1) o
   left join lateral (select position from campaign_steps
                       where account_id = t.account_id and id = t.step_id and removed_at is null limit 1) g on true
   left join lateral (select due_at, response from linkedin_sends
                       where t.status = 'open' and account_id = t.account_id and task_id = t.id
                         and state in ('queued', 'claimed') limit 1) e on true`

/**
 * Returns the condition that `taskJson` has neither `heldBy` nor `sentBy` for open task `t`. Uses scalar subqueries,
 * because the planner would turn joins into scans of all prospects and sends.
 */
const isCompletable = (sql: Sql): Fragment => sql`
  t.status = 'open'
   and (t.step_id is null
        or (select status from campaigns where account_id = t.account_id and id = t.campaign_id) = 'active'
           and (select status from prospects where account_id = t.account_id and id = t.prospect_id) <> 'paused')
   and (select state from linkedin_sends where account_id = t.account_id and task_id = t.id) in ('queued', 'claimed') is not true`

export const listTasks = (ctx: Context, input: Input<'listTasks'>): Promise<Json<Output<'listTasks'>>> =>
  listPage(ctx, 'listTasks', input, newestFirst => {
    const { sql } = ctx
    const { repId, prospectId, personId, status, canComplete, dueAfter, dueBefore, updatedSince } =
      newestFirst.filters
    // Tasks that are due next come first.
    const isDueFirst = status === 'open' || canComplete === true
    const page = { ...newestFirst, isAscending: newestFirst.isAscending || isDueFirst }
    const at = updatedSince ? 't.updated_at' : 't.due_at'
    const order = orderAndLimit(sql, page, at, 't.id')
    const isByOwnReps = !prospectId && !personId && authorize(ctx, 'Task.ReadTask') === 'own'
    // The subselect hides the rep from the planner, which would scan by time when one rep has most of the tasks.
    const tasks = sql`
      select t.*
        from tasks t
       where t.account_id = s.account_id
         ${prospectId ? sql`and t.prospect_id = ${prospectId}` : sql``}
         ${personId ? sql`and t.person_id = ${personId}` : sql``}
         ${isByOwnReps ? sql`` : ownRepsOnly(ctx, 'Task.ReadTask', sql`t.rep_id`)}
         ${isByOwnReps ? sql`and t.rep_id = e.id` : repId ? sql`and t.rep_id = (select ${repId}::uuid)` : sql``}
         ${status ? sql`and t.status = ${status}` : sql``}
         ${canComplete ? sql`and ${isCompletable(sql)}` : sql``}
         ${dueAfter ? sql`and t.due_at >= ${dueAfter}::timestamptz` : sql``}
         ${dueBefore ? sql`and t.due_at < ${dueBefore}::timestamptz` : sql``}
         ${isUpdatedSince(sql, page, at)}
         ${afterCursor(sql, page, at, 't.id')}
         ${order}`
    // For members, reads the index range of each of their own reps.
    const tasksOfOwnReps = sql`
      select t.*
        from reps e
       cross join lateral (${tasks}) t
       where e.account_id = s.account_id and e.owned_by_id = ${ctx.userId} ${repId ? sql`and e.id = ${repId}` : sql``}
       ${order}`
    return sql`
      select t.id, api_time(${sql.identifier(at)}) as at, ${taskJson(sql)}
        from (${isByOwnReps ? tasksOfOwnReps : tasks}) t
             ${taskJoins(sql)}
       ${order}`
  })

export const getTask = (ctx: Context, { taskId }: Input<'getTask'>): Promise<Json<Output<'getTask'>>> =>
  findJson(
    ctx,
    'task',
    ctx.sql`
      select ${taskJson(ctx.sql)}
        from (select * from tasks where account_id = s.account_id and id = ${taskId} limit 1) t
             ${taskJoins(ctx.sql)}
       where true ${ownRepsOnly(ctx, 'Task.ReadTask', ctx.sql`t.rep_id`)}`,
  )
