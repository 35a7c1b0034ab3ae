import type { EmailContact } from '../../domain/messages/write-email-messages.ts'
import type { ClaimedReply } from '../../domain/reply-agent/claim-replies.ts'
import type { Classification } from '../../domain/reply-agent/replies.ts'
import type { App } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { actOnOptOutRequest } from '../receive/act-on-reply.ts'

export type ClassifiedReply = {
  app: App
  claim: ClaimedReply
  classification: Classification
  prospectId: string | null
  sender: EmailContact | null
}

/**
 * Acts on the model's classification: an opt-out request flags the prospect or opts the person out, depending on the
 * account's settings. Other intents have no effect here.
 */
export async function actOnClassification(
  tx: Sql,
  { app, claim, classification, prospectId, sender }: ClassifiedReply,
): Promise<void> {
  if (classification.intent !== 'opt_out') return
  const { accountId, messageId, channel } = claim
  if (channel === 'linkedin')
    return actOnOptOutRequest(tx, {
      app,
      accountId,
      match: { prospectId, repliesToId: messageId },
      sender: undefined,
      channel,
    })
  const [ingested] = await tx<{ repliesToId: string | null }[]>`
    select about_id as "repliesToId" from received_mails where account_id = current_account_id() and id = ${messageId}`
  const repliesToId = ingested?.repliesToId ?? messageId
  await actOnOptOutRequest(tx, {
    app,
    accountId,
    match: { prospectId, repliesToId },
    sender: sender?.email,
    channel,
  })
}
