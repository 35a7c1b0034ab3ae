import { randomUUIDv7 } from 'node:crypto'
import { auditEngine } from '../../domain/accounts/audit-log.ts'
import { lockPair } from '../../domain/messages/record-linkedin-message.ts'
import { insertLinkedinMessage } from '../../domain/messages/write-linkedin-messages.ts'
import type { ClaimedReply } from '../../domain/reply-agent/claim-replies.ts'
import { hasConversationContinued, type LinkedinFacts } from '../../domain/reply-agent/linkedin-facts.ts'
import type { ModelClassification } from '../../domain/reply-agent/prompt.ts'
import { type Cost, recordModelResult } from '../../domain/reply-agent/replies.ts'
import type { App } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { actOnClassification } from './act-on-classification.ts'

/**
 * Stores the classification and draft of a LinkedIn reply. The draft always waits for a person, since autopilot sends
 * only email.
 */
export async function storeLinkedinDraft(
  app: App,
  tx: Sql,
  claim: ClaimedReply,
  facts: LinkedinFacts,
  { draft, ...classification }: ModelClassification,
  cost: Cost,
): Promise<void> {
  await lockPair(tx, facts)
  const wasSuperseded = await hasConversationContinued(tx, claim)
  const reason = draft ? (wasSuperseded ? 'newer_message' : undefined) : 'intent'
  const draftId = draft && !wasSuperseded ? randomUUIDv7() : undefined
  if (!(await recordModelResult(tx, claim, { ...classification, reason, draftId, sendsAt: undefined }, cost)))
    return
  if (draft && draftId) {
    const { prospectId, campaignId } = facts
    await insertLinkedinMessage(tx, {
      id: draftId,
      conversationRecordId: facts.threadId,
      prospect: prospectId && campaignId ? { prospectId, campaignId } : undefined,
      text: draft,
      type: 'reply_agent',
      status: 'draft',
      happenedAt: app.now(),
    })
    await auditEngine(tx, 'draft_reply', 'linkedin_message', draftId)
  }
  await actOnClassification(tx, { app, claim, classification, prospectId: facts.prospectId, sender: null })
}
