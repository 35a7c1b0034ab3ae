import type { Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { conflict, notFound, outOfScope } from '../../kernel/errors.ts'
import { isInScope } from '../accounts/permission-scope.ts'
import { lockPair } from '../messages/record-linkedin-message.ts'
import type { TaskChannel } from './write-tasks.ts'

export type Task = TaskFacts & TaskOrigin

/** A campaign step, a LinkedIn draft, or a task that a user created. */
type TaskOrigin =
  | { stepId: string; linkedinMessageId: null; prospectId: string; campaignId: string }
  | { stepId: null; linkedinMessageId: string; prospectId: string; campaignId: string }
  | { stepId: null; linkedinMessageId: null; prospectId: string | null; campaignId: string | null }

type TaskFacts = {
  id: string
  channel: TaskChannel
  text: string | null
  status: Output<'getTask'>['status']
  repId: string
  personId: string
  prospectStatus: string | null
  prospectReason: string | null
  campaignStatus: string | null
  email: string | null
  linkedinUrl: string | null
  phone: string | null
}

export async function lockOpenTask(ctx: Context, taskId: string): Promise<Task> {
  const task = await lockTask(ctx, taskId)
  requireOpen(task)
  return task
}

export function requireOpen({ status }: Task): void {
  if (status !== 'open') throw conflict(`This task is already ${status}.`)
}

/**
 * Locks the conversation, the prospect and the task. Everything that ends tasks locks in this order. Throws NotFound
 * when the caller may not read the task.
 */
export async function lockTask(ctx: Context, taskId: string): Promise<Task> {
  const { sql, accountId } = ctx
  const [ids] = await sql<{ prospectId: string | null; repId: string; personId: string }[]>`
    select prospect_id as "prospectId", rep_id as "repId", person_id as "personId"
      from tasks where account_id = ${accountId} and id = ${taskId}`
  if (!ids) throw notFound('task')
  await lockPair(sql, ids)
  await sql`select from prospects where account_id = ${accountId} and id = ${ids.prospectId} for update`
  const [task] = await sql<(Task & { isReadable: boolean; isEditable: boolean })[]>`
    select t.id, t.channel, t.text, t.status, t.rep_id as "repId", t.campaign_id as "campaignId",
           t.step_id as "stepId", t.linkedin_message_id as "linkedinMessageId", t.prospect_id as "prospectId", t.person_id as "personId", r.status as "prospectStatus",
           r.status_reason as "prospectReason", c.status as "campaignStatus", p.email,
           p.linkedin_url as "linkedinUrl", p.phone,
           ${isInScope(ctx, 'Task.ReadTask', sql`t.rep_id`)} as "isReadable",
           ${isInScope(ctx, 'Task.EditTask', sql`t.rep_id`)} as "isEditable"
      from tasks t
      left join prospects r on r.account_id = t.account_id and r.id = t.prospect_id
      left join campaigns c on c.account_id = t.account_id and c.id = t.campaign_id
      join persons p on p.account_id = t.account_id and p.id = t.person_id
     where t.account_id = ${accountId} and t.id = ${taskId}
       for update of t`
  if (!task?.isReadable) throw notFound('task')
  if (!task.isEditable) throw outOfScope('Task.EditTask', 'this task belongs to another rep')
  return task
}

/** Throws while Unipile is performing the task, which could otherwise be done twice. */
export async function checkNotInFlight({ sql, accountId }: Context, taskId: string): Promise<void> {
  const [send] = await sql`
    select from linkedin_sends where account_id = ${accountId} and task_id = ${taskId} and state = 'claimed'`
  if (send) throw conflict('Unipile is performing this task right now. Try again in a minute.')
}
