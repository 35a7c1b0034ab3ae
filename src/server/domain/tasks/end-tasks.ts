import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { conflict, forbidden, notFound } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { audit } from '../accounts/audit-log.ts'
import { isReached } from '../accounts/permission-scope.ts'
import { lockPair, recordLinkedinEntry } from '../messages/record-linkedin-message.ts'
import { findOptOut } from '../people/opt-outs/opted-out.ts'
import { hastenSteps } from '../prospects/in-touch.ts'
import { recordAcceptance, recordInvitation } from '../prospects/linkedin-connections.ts'
import { finishDraft, finishTask } from './finish-task.ts'
import { getTask } from './tasks.ts'
import type { TaskChannel } from './write-tasks.ts'

type Task = {
  id: string
  channel: TaskChannel
  text: string | null
  status: Output<'getTask'>['status']
  repId: string
  campaignId: string
  stepId: string | null
  linkedinMessageId: string | null
  prospectId: string
  personId: string
  prospectStatus: string
  prospectReason: string | null
  campaignStatus: string
  email: string | null
  linkedinUrl: string | null
  phone: string | null
}

export async function completeTask(
  ctx: Context,
  { taskId, text }: Input<'completeTask'>,
): Promise<Json<Output<'completeTask'>>> {
  const task = await lockOpenTask(ctx, taskId)
  await checkGate(ctx, task)
  await checkNotUnderWay(ctx, taskId)
  const now = ctx.app.now()
  const written = text ?? task.text
  const { linkedinMessageId } = task
  if (linkedinMessageId)
    await finishDraft(ctx.sql, { ...task, linkedinMessageId }, { ...task, text: written!, happenedAt: now })
  if (task.channel === 'linkedin_connect') await recordInvitation(ctx.sql, task, now)
  if (task.channel === 'linkedin_message' && task.stepId && written)
    await recordLinkedinEntry(ctx.sql, { ...task, text: written, type: 'campaign', happenedAt: now })
  await finishTask(ctx.sql, task, { status: 'completed', text, endedAt: now })
  await audit(ctx, 'complete', 'task', taskId)
  return getTask(ctx, { taskId })
}

export async function skipTask(
  ctx: Context,
  { taskId, reason }: Input<'skipTask'>,
): Promise<Json<Output<'skipTask'>>> {
  const task = await lockOpenTask(ctx, taskId)
  // Of a draft that is being sent nobody could tell any more whether it was.
  if (task.linkedinMessageId) await checkNotUnderWay(ctx, taskId)
  await finishTask(ctx.sql, task, { status: 'skipped', reason, endedAt: ctx.app.now() })
  await audit(ctx, 'skip', 'task', taskId)
  return getTask(ctx, { taskId })
}

export async function acceptTask(
  ctx: Context,
  { taskId }: Input<'acceptTask'>,
): Promise<Json<Output<'acceptTask'>>> {
  const task = await lockTask(ctx, taskId)
  if (task.channel !== 'linkedin_connect') throw conflict('Only an invitation can be accepted.')
  if (task.status !== 'completed')
    throw conflict(`This invitation is ${task.status}; one that is completed can be accepted.`)
  if (await recordAcceptance(ctx.sql, task, ctx.app.now())) {
    await hastenSteps(ctx.sql, task, ctx.app.now())
    await audit(ctx, 'accept', 'task', taskId)
  }
  return getTask(ctx, { taskId })
}

async function lockOpenTask(ctx: Context, taskId: string): Promise<Task> {
  const task = await lockTask(ctx, taskId)
  if (task.status !== 'open') throw conflict(`This task is ${task.status} already.`)
  return task
}

/** Its prospect before it, as all do who end tasks, and what it may write into before both. What the caller may not see is as unknown as what does not exist. */
async function lockTask(ctx: Context, taskId: string): Promise<Task> {
  const { sql, accountId } = ctx
  const [of] = await sql<{ prospectId: string; repId: string; personId: string }[]>`
    select prospect_id as "prospectId", rep_id as "repId", person_id as "personId"
      from tasks where account_id = ${accountId} and id = ${taskId}`
  if (!of) throw notFound('task')
  await lockPair(sql, of)
  await sql`select from prospects where account_id = ${accountId} and id = ${of.prospectId} for update`
  const [task] = await sql<(Task & { isReadable: boolean; isEditable: boolean })[]>`
    select t.id, t.channel, t.text, t.status, t.rep_id as "repId", t.campaign_id as "campaignId",
           t.step_id as "stepId", t.linkedin_message_id as "linkedinMessageId", t.prospect_id as "prospectId", t.person_id as "personId", r.status as "prospectStatus",
           r.status_reason as "prospectReason", c.status as "campaignStatus", p.email,
           p.linkedin_url as "linkedinUrl", p.phone,
           ${isReached(ctx, 'Task.ReadTask', sql`t.rep_id`)} as "isReadable",
           ${isReached(ctx, 'Task.EditTask', sql`t.rep_id`)} as "isEditable"
      from tasks t
      join prospects r on r.account_id = t.account_id and r.id = t.prospect_id
      join campaigns c on c.account_id = t.account_id and c.id = t.campaign_id
      join persons p on p.account_id = t.account_id and p.id = t.person_id
     where t.account_id = ${accountId} and t.id = ${taskId}`
  if (!task?.isReadable) throw notFound('task')
  if (!task.isEditable) throw forbidden('Task.EditTask')
  return task
}

/** Else it would be done twice. */
async function checkNotUnderWay({ sql, accountId }: Context, taskId: string): Promise<void> {
  const [send] = await sql`
    select from linkedin_sends where account_id = ${accountId} and task_id = ${taskId} and state = 'claimed'`
  if (send) throw conflict('It is being sent by Unipile at this moment. Look again in a minute.')
}

/** What kept it from becoming a task keeps it from being done. */
async function checkGate(ctx: Context, task: Task): Promise<void> {
  const optOut = await findOptOut(ctx, { ...task, emails: task.email ? [task.email] : [] })
  if (optOut)
    throw conflict(`${optOut.value} is on the Do Not Contact list. Don't contact them; skip the task.`)
  // A draft is no step, and no pause holds it.
  if (!task.stepId) return
  if (task.campaignStatus !== 'active')
    throw conflict(`The campaign is ${task.campaignStatus}. Resume it first, or skip the task.`)
  if (task.prospectStatus === 'paused')
    throw conflict(
      `The prospect is paused${task.prospectReason ? ` (${task.prospectReason})` : ''}. Resume it first, or skip the task.`,
    )
}
