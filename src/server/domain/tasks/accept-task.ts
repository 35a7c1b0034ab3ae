import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { conflict } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { audit } from '../accounts/audit-log.ts'
import { expediteSteps } from '../prospects/in-touch.ts'
import { recordAcceptance } from '../prospects/linkedin-connections.ts'
import { lockTask } from './lock-task.ts'
import { getTask } from './tasks.ts'

export async function acceptTask(
  ctx: Context,
  { taskId }: Input<'acceptTask'>,
): Promise<Json<Output<'acceptTask'>>> {
  const task = await lockTask(ctx, taskId)
  if (task.channel !== 'linkedin_connect') throw conflict('Only an invitation can be accepted.')
  if (task.status !== 'completed')
    throw conflict(`This invitation is ${task.status}; only completed ones can be accepted.`)
  if (await recordAcceptance(ctx.sql, task, ctx.app.now())) {
    await expediteSteps(ctx.sql, task, ctx.app.now())
    await audit(ctx, 'accept', 'task', taskId)
  }
  return getTask(ctx, { taskId })
}
