import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import type { Json } from '../../kernel/json.ts'
import { audit } from '../accounts/audit-log.ts'
import { findConversationPair } from '../inbox/linkedin-drafts.ts'
import { getLinkedinMessage } from '../inbox/linkedin-messages.ts'
import { applyMessage } from './apply-event.ts'

/** Records a message that a user reports, unless it is already stored. */
export async function recordLinkedinMessage(
  ctx: Context,
  { prospectId, repId, type, text, happenedAt }: Input<'recordLinkedinMessage'>,
): Promise<Json<Output<'recordLinkedinMessage'>>> {
  const now = ctx.app.now()
  const pair = await findConversationPair(ctx, 'Inbox.SendMessage', prospectId, repId)
  const at = happenedAt ? new Date(happenedAt) : now
  const { id } = await applyMessage(ctx.sql, { ...pair, type, text, happenedAt: at }, now)
  await audit(ctx, 'record', 'linkedin_message', id)
  return getLinkedinMessage(ctx, id)
}
