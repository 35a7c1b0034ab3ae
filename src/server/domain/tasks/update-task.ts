import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { conflict } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { audit } from '../accounts/audit-log.ts'
import { checkOwnRep } from '../prospects/find-subject.ts'
import { lockOpenTask, type Task } from './lock-task.ts'
import { getTask } from './tasks.ts'
import { changeTask, type TaskChanges } from './write-tasks.ts'

export async function updateTask(
  ctx: Context,
  { taskId, ...changes }: Input<'updateTask'>,
): Promise<Json<Output<'updateTask'>>> {
  const task = await lockOpenTask(ctx, taskId)
  await checkChanges(ctx, task, changes)
  await changeTask(ctx.sql, taskId, changes)
  await audit(ctx, 'update', 'task', taskId)
  return getTask(ctx, { taskId })
}

async function checkChanges(ctx: Context, task: Task, { title, text, repId }: TaskChanges): Promise<void> {
  if (task.linkedinMessageId) throw conflict('This task sends a LinkedIn draft. Edit the draft instead.')
  if (task.stepId) {
    if (repId || title !== undefined || text !== undefined)
      throw conflict('This task is a campaign step: only `dueAt` can be changed.')
    await checkSentByHand(ctx, task.id)
  }
  if (repId) await checkOwnRep(ctx, 'Task.EditTask', repId)
}

async function checkSentByHand({ sql, accountId }: Context, taskId: string): Promise<void> {
  const [send] = await sql`
    select from linkedin_sends
     where account_id = ${accountId} and task_id = ${taskId} and state in ('queued', 'claimed')`
  if (send) throw conflict("Unipile sends this step automatically, so it can't be rescheduled.")
}
