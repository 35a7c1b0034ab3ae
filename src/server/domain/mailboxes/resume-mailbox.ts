import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import type { Json } from '../../kernel/json.ts'
import { audit } from '../accounts/audit-log.ts'
import { lockEditableMailbox, readMailbox } from './mailboxes.ts'

export async function resumeMailbox(
  ctx: Context,
  { mailboxId }: Input<'resumeMailbox'>,
): Promise<Json<Output<'resumeMailbox'>>> {
  await lockEditableMailbox(ctx, mailboxId)
  await ctx.sql`
    update mailboxes
       set paused_at = null, pause_reason = null, resumed_at = now(), updated_at = now()
     where account_id = ${ctx.accountId} and id = ${mailboxId} and paused_at is not null`
  await audit(ctx, 'resume', 'mailbox', mailboxId)
  return readMailbox(ctx, mailboxId)
}
