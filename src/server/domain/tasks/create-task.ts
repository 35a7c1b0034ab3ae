import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { conflict } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { audit } from '../accounts/audit-log.ts'
import { findOptOut } from '../people/opt-outs/find-opt-outs.ts'
import { findSubject, type Subject } from '../prospects/find-subject.ts'
import { getTask } from './tasks.ts'
import { insertUserTask } from './write-tasks.ts'

export async function createTask(
  ctx: Context,
  { channel, title, text, dueAt, ...about }: Input<'createTask'>,
): Promise<Json<Output<'createTask'>>> {
  const subject = await findSubject(ctx, 'Task.EditTask', about)
  if (channel !== 'other') await checkOptOut(ctx, subject)
  const taskId = await insertUserTask(ctx.sql, { ...subject, channel, title, text, dueAt })
  await audit(ctx, 'create', 'task', taskId)
  return getTask(ctx, { taskId })
}

type Contact = Pick<Subject, 'personId' | 'email' | 'phone' | 'linkedinUrl'>

export async function checkOptOut(ctx: Context, { email, ...contact }: Contact): Promise<void> {
  const optOut = await findOptOut(ctx, { ...contact, emails: email ? [email] : [] })
  if (optOut) throw conflict(`${optOut.value} is on the Do Not Contact list. Don't contact them.`)
}
