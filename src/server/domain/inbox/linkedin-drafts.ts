import { randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../../contract/index.ts'
import type { Permission } from '../../../contract/permissions.ts'
import type { Context } from '../../kernel/context.ts'
import { conflict, invalid, notFound, outOfScope } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { audit } from '../accounts/audit-log.ts'
import { isInScope } from '../accounts/permission-scope.ts'
import {
  type ConversationPair,
  findOrOpenConversation,
  lockPair,
} from '../messages/record-linkedin-message.ts'
import {
  changeLinkedinDraft,
  insertLinkedinMessage,
  removeLinkedinDraft,
} from '../messages/write-linkedin-messages.ts'
import { getLinkedinMessage } from './linkedin-messages.ts'
import { requireUnchanged } from './send-conditions.ts'

export async function createLinkedinDraft(
  ctx: Context,
  { prospectId, repId, text }: Input<'createLinkedinDraft'>,
): Promise<Json<Output<'createLinkedinDraft'>>> {
  const { campaignId, ...pair } = await findConversationPair(ctx, 'Inbox.CreateDraft', prospectId, repId)
  await lockPair(ctx.sql, pair)
  const id = await insertLinkedinMessage(ctx.sql, {
    id: randomUUIDv7(),
    conversationRecordId: await findOrOpenConversation(ctx.sql, pair),
    prospect: { prospectId, campaignId },
    text,
    type: 'manual',
    status: 'draft',
    happenedAt: ctx.app.now(),
  })
  await audit(ctx, 'create', 'linkedin_message', id)
  return getLinkedinMessage(ctx, id)
}

export async function updateLinkedinDraft(
  ctx: Context,
  { linkedinMessageId, text, expectedText }: Input<'updateLinkedinDraft'>,
): Promise<Json<Output<'updateLinkedinDraft'>>> {
  const draft = await lockLinkedinDraft(ctx, 'Inbox.CreateDraft', linkedinMessageId)
  requireUnchanged(draft.text, expectedText, text)
  await changeLinkedinDraft(ctx.sql, linkedinMessageId, text, ctx.app.now())
  await audit(ctx, 'update', 'linkedin_message', linkedinMessageId)
  return getLinkedinMessage(ctx, linkedinMessageId)
}

export async function deleteLinkedinDraft(
  ctx: Context,
  { linkedinMessageId }: Input<'deleteLinkedinDraft'>,
): Promise<Output<'deleteLinkedinDraft'>> {
  await lockLinkedinDraft(ctx, 'Inbox.CreateDraft', linkedinMessageId)
  await removeLinkedinDraft(ctx.sql, linkedinMessageId)
  await audit(ctx, 'delete', 'linkedin_message', linkedinMessageId)
  return { ok: true }
}

/**
 * Finds the prospect's campaign and person, and the rep who writes to them, by default the prospect's rep. Waits for a
 * concurrent erasure of the person. Throws when the person is erased or the rep is out of scope.
 */
export async function findConversationPair(
  ctx: Context,
  permission: Permission,
  prospectId: string,
  repId: string | undefined,
): Promise<ConversationPair & { campaignId: string }> {
  const { sql, accountId } = ctx
  const [prospect] = await sql<{ personId: string; campaignId: string; repId: string | null }[]>`
    select r.person_id as "personId", r.campaign_id as "campaignId", coalesce(${repId ?? null}, r.rep_id) as "repId"
      from prospects r
      join persons p on p.account_id = r.account_id and p.id = r.person_id and p.erased_at is null
     where r.account_id = ${accountId} and r.id = ${prospectId}
       for key share of p`
  if (!prospect) throw invalid('prospectId', 'must be the ID of a prospect in this account')
  if (!prospect.repId) throw invalid('repId', 'is required: this prospect has no rep yet')
  const [rep] = await sql<{ id: string }[]>`
    select id from reps e
     where account_id = ${accountId} and id = ${prospect.repId} and ${isInScope(ctx, permission, sql`e.id`)}`
  if (!rep) throw invalid('repId', 'must be the ID of one of your reps')
  return { ...prospect, repId: rep.id }
}

/** Locks a draft for a change; throws when the caller may not change it or it is being sent. */
export async function lockLinkedinDraft(
  ctx: Context,
  permission: Permission,
  id: string,
): Promise<LinkedinDraft> {
  const repId = ctx.sql`m.rep_id`
  const [found] = await ctx.sql<
    (LinkedinDraft & { status: string; isReadable: boolean; isEditable: boolean })[]
  >`
    select m.text, m.rep_id as "repId", v.person_id as "personId", m.prospect_id as "prospectId", m.status,
           m.approval_request is not null as "needsApproval",
           ${isInScope(ctx, 'Inbox.ReadInbox', repId)} as "isReadable", ${isInScope(ctx, permission, repId)} as "isEditable"
      from linkedin_messages m
      join linkedin_conversations v on v.account_id = m.account_id and v.id = m.conversation_record_id
     where m.account_id = ${ctx.accountId} and m.id = ${id}
       for update of m`
  if (!found?.isReadable) throw notFound('LinkedIn message')
  if (!found.isEditable) throw outOfScope(permission, 'this LinkedIn message belongs to another rep')
  if (found.status !== 'draft') throw conflict('This message is not a draft.')
  // A separate statement, which sees what was committed while the previous one waited for the lock.
  const [task] = await ctx.sql`
    select from tasks
     where account_id = ${ctx.accountId} and linkedin_message_id = ${id} and status = 'open'`
  if (task) throw conflict(linkedinDraftAlreadySending)
  return found
}

export const linkedinDraftAlreadySending = 'This draft is already being sent. Skip its task to recall it.'

type LinkedinDraft = {
  text: string
  repId: string | null
  personId: string | null
  /** The prospect it was written for. */
  prospectId: string | null
  needsApproval: boolean
}
