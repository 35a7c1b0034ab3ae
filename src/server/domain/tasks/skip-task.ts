import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import type { Json } from '../../kernel/json.ts'
import { audit } from '../accounts/audit-log.ts'
import { forbidAppTriggeredCalls } from '../campaigns/forbid-app-triggered-calls.ts'
import { finishTask } from './finish-task.ts'
import { checkNotInFlight, lockOpenTask } from './lock-task.ts'
import { getTask } from './tasks.ts'

export async function skipTask(
  ctx: Context,
  { taskId, reason }: Input<'skipTask'>,
): Promise<Json<Output<'skipTask'>>> {
  const task = await lockOpenTask(ctx, taskId)
  // The next step may be a call.
  if (task.stepId) await forbidAppTriggeredCalls(ctx, task.campaignId)
  // Skipping a draft that is being sent would hide whether it was sent.
  if (task.linkedinMessageId) await checkNotInFlight(ctx, taskId)
  await finishTask(ctx.sql, task, { status: 'skipped', reason, endedAt: ctx.app.now() })
  await audit(ctx, 'skip', 'task', taskId)
  return getTask(ctx, { taskId })
}
