import type { Input, Output } from '../../../contract/index.ts'
import { type Context, requireSession } from '../../kernel/context.ts'
import { conflict } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { findActingApp } from '../accounts/acting-app.ts'
import { audit } from '../accounts/audit-log.ts'
import { findLinkedinObjections, findUnaccepted, toObjectionConflict } from '../inbox/draft-objections.ts'
import { linkedinDraftAlreadySending, lockLinkedinDraft } from '../inbox/linkedin-drafts.ts'
import { getLinkedinMessage } from '../inbox/linkedin-messages.ts'
import { requireUnchanged } from '../inbox/send-conditions.ts'
import { findConversationProspect, lockPair } from '../messages/record-linkedin-message.ts'
import { markConversationSeen, setLinkedinApprovalRequest } from '../messages/write-linkedin-messages.ts'
import { stopSequences } from '../outbox/stop-on-reply.ts'
import { findPersonOptOut } from '../people/opt-outs/find-opt-outs.ts'
import { insertDraftTask } from '../tasks/write-tasks.ts'
import { queueLinkedinSends } from './sends.ts'

/** Locks a draft and returns it with its prospect. Throws when it can't be sent. */
async function lockSendableDraft(
  ctx: Context,
  { linkedinMessageId, expectedText, ...accepted }: Input<'sendLinkedinDraft'>,
) {
  await lockDraftPair(ctx, linkedinMessageId)
  const draft = await lockLinkedinDraft(ctx, 'Inbox.SendMessage', linkedinMessageId)
  requireUnchanged(draft.text, expectedText)
  const { repId, personId, prospectId } = draft
  if (!repId) throw conflict('This conversation has no rep who could send the message.')
  const prospect =
    personId && (await findConversationProspect(ctx.sql, { repId, personId, preferredId: prospectId }))
  if (!prospect)
    throw conflict('The person in this conversation is not a prospect. Add them to a campaign first.')
  await checkNotOptedOut(ctx, personId)
  const objections = findUnaccepted(await findLinkedinObjections(ctx, linkedinMessageId), accepted)
  if (objections.length > 0) throw toObjectionConflict(objections)
  return { ...draft, ...prospect, repId, personId }
}

/** Requests a person's approval of a draft, after the same checks as sending it. */
export async function requestLinkedinApproval(
  ctx: Context,
  input: Input<'sendLinkedinDraft'>,
): Promise<Json<Output<'sendLinkedinDraft'>>> {
  const { linkedinMessageId } = input
  await lockSendableDraft(ctx, input)
  await setLinkedinApprovalRequest(ctx.sql, linkedinMessageId, {
    at: ctx.app.now().toISOString(),
    by: await findActingApp(ctx),
  })
  await audit(ctx, 'request_approval', 'linkedin_message', linkedinMessageId)
  return getLinkedinMessage(ctx, linkedinMessageId)
}

/**
 * Creates a task for the draft, which the connected account or the rep completes. The message remains a draft until
 * then.
 */
export async function sendLinkedinDraft(
  ctx: Context,
  input: Input<'sendLinkedinDraft'>,
): Promise<Json<Output<'sendLinkedinDraft'>>> {
  const { sql } = ctx
  const { linkedinMessageId } = input
  const now = ctx.app.now()
  const { needsApproval, ...draft } = await lockSendableDraft(ctx, input)
  if (needsApproval) {
    requireSession(ctx, 'send a draft that waits for approval')
    await setLinkedinApprovalRequest(sql, linkedinMessageId, null)
  }
  const taskId = await insertDraftTask(sql, { ...draft, linkedinMessageId }, now)
  if (!taskId) throw conflict(linkedinDraftAlreadySending)
  await markConversationSeen(sql, linkedinMessageId, now)
  await queueLinkedinSends(sql, [taskId], now)
  await stopSequences(sql, { prospectId: draft.prospectId, emails: [] }, 'manual_linkedin', now)
  await audit(ctx, 'send', 'linkedin_message', linkedinMessageId)
  return getLinkedinMessage(ctx, linkedinMessageId)
}

/** Locks the pair before the draft, in the same order as recording a sent message. */
async function lockDraftPair({ sql, accountId }: Context, id: string): Promise<void> {
  const [pair] = await sql<{ repId: string; personId: string }[]>`
    select v.rep_id as "repId", v.person_id as "personId"
      from linkedin_messages m
      join linkedin_conversations v on v.account_id = m.account_id and v.id = m.conversation_record_id
     where m.account_id = ${accountId} and m.id = ${id} and v.rep_id is not null and v.person_id is not null`
  if (pair) await lockPair(sql, pair)
}

async function checkNotOptedOut(ctx: Context, personId: string): Promise<void> {
  const optOut = await findPersonOptOut(ctx, personId)
  if (optOut) throw conflict(`${optOut.value} is on the Do Not Contact list.`)
}
