import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { conflict } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { audit } from '../accounts/audit-log.ts'
import { checkOwnRep } from '../prospects/find-subject.ts'
import { checkOptOut } from './create-task.ts'
import { lockTask, requireOpen, type Task } from './lock-task.ts'
import { getTask } from './tasks.ts'
import { changeTask, reopenTask, type TaskChanges } from './write-tasks.ts'

export async function updateTask(
  ctx: Context,
  { taskId, status, ...changes }: Input<'updateTask'>,
): Promise<Json<Output<'updateTask'>>> {
  const task = await lockTask(ctx, taskId)
  if (status === 'open' && task.status !== 'open') await reopen(ctx, task)
  else requireOpen(task)
  await checkChanges(ctx, task, changes)
  await changeTask(ctx.sql, taskId, changes)
  await audit(ctx, 'update', 'task', taskId)
  return getTask(ctx, { taskId })
}

async function reopen(ctx: Context, task: Task): Promise<void> {
  if (task.stepId || task.linkedinMessageId)
    throw conflict(
      'Only tasks that a user created can be reopened: the sequence or conversation has continued.',
    )
  if (task.channel !== 'other') await checkOptOut(ctx, task)
  await reopenTask(ctx.sql, task.id)
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
