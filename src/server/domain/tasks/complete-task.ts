import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { conflict } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { audit } from '../accounts/audit-log.ts'
import { forbidAppTriggeredCalls } from '../campaigns/forbid-app-triggered-calls.ts'
import { recordLinkedinEntry } from '../messages/record-linkedin-message.ts'
import { findOptOut } from '../people/opt-outs/find-opt-outs.ts'
import { recordInvitation } from '../prospects/linkedin-connections.ts'
import { finishDraft, finishTask } from './finish-task.ts'
import { checkNotInFlight, lockOpenTask, type Task } from './lock-task.ts'
import { getTask } from './tasks.ts'

export async function completeTask(
  ctx: Context,
  { taskId, text }: Input<'completeTask'>,
): Promise<Json<Output<'completeTask'>>> {
  const task = await lockOpenTask(ctx, taskId)
  // The next step may be a call.
  if (task.stepId) await forbidAppTriggeredCalls(ctx, task.campaignId)
  await checkContactAllowed(ctx, task)
  await checkNotInFlight(ctx, taskId)
  const now = ctx.app.now()
  const messageText = text ?? task.text
  if (task.linkedinMessageId)
    await finishDraft(ctx.sql, task, { ...task, text: messageText!, happenedAt: now })
  if (task.channel === 'linkedin_connect') await recordInvitation(ctx.sql, task, now)
  if (task.channel === 'linkedin_message' && task.stepId && messageText)
    await recordLinkedinEntry(ctx.sql, { ...task, text: messageText, type: 'campaign', happenedAt: now })
  await finishTask(ctx.sql, task, { status: 'completed', text, endedAt: now })
  await audit(ctx, 'complete', 'task', taskId)
  return getTask(ctx, { taskId })
}

/** Throws for the same reasons that keep a step from becoming a task. */
async function checkContactAllowed(ctx: Context, task: Task): Promise<void> {
  // A task of this channel contacts nobody.
  if (task.channel === 'other') return
  const optOut = await findOptOut(ctx, { ...task, emails: task.email ? [task.email] : [] })
  if (optOut)
    throw conflict(`${optOut.value} is on the Do Not Contact list. Don't contact them; skip the task.`)
  // Drafts and tasks created by users are not part of a sequence, so pauses don't apply to them.
  if (!task.stepId) return
  if (task.campaignStatus !== 'active')
    throw conflict(`The campaign is ${task.campaignStatus}. Resume it first, or skip the task.`)
  if (task.prospectStatus === 'paused')
    throw conflict(
      `The prospect is paused${task.prospectReason ? ` (${task.prospectReason})` : ''}. Resume it first, or skip the task.`,
    )
}
