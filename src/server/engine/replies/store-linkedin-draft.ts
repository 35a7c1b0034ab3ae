import { randomUUIDv7 } from 'node:crypto'
import { auditEngine } from '../../domain/accounts/audit-log.ts'
import { lockPair } from '../../domain/messages/record-linkedin-message.ts'
import { insertLinkedinMessage } from '../../domain/messages/write-linkedin-messages.ts'
import type { ClaimedReply } from '../../domain/reply-agent/claim-replies.ts'
import { conversationWentOn, type LinkedinFacts } from '../../domain/reply-agent/linkedin-facts.ts'
import type { ModelReading } from '../../domain/reply-agent/prompt.ts'
import { type Cost, recordResult } from '../../domain/reply-agent/replies.ts'
import type { App } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { actOnReading } from './act-on-classification.ts'

/** As `keep` does of a mail. The draft waits for a person, whatever autopilot may send: on LinkedIn it sends nothing. */
export async function keepOnLinkedin(
  app: App,
  tx: Sql,
  claim: ClaimedReply,
  facts: LinkedinFacts,
  { draft, ...reading }: ModelReading,
  cost: Cost,
): Promise<void> {
  await lockPair(tx, facts)
  const isLate = await conversationWentOn(tx, claim)
  const reason = draft ? (isLate ? 'newer_message' : undefined) : 'intent'
  const draftId = draft && !isLate ? randomUUIDv7() : undefined
  if (!(await recordResult(tx, claim, { ...reading, reason, draftId, sendsAt: undefined }, cost))) return
  if (draft && draftId) {
    await insertLinkedinMessage(tx, {
      id: draftId,
      conversationRecordId: facts.threadId,
      text: draft,
      type: 'reply_agent',
      status: 'draft',
      happenedAt: app.now(),
    })
    await auditEngine(tx, 'draft_reply', 'linkedin_message', draftId)
  }
  await actOnReading(tx, { claim, reading, prospectId: facts.prospectId, sender: null })
}
