import type { EmailContact } from '../../domain/messages/write-email-messages.ts'
import type { ClaimedReply } from '../../domain/reply-agent/claim-replies.ts'
import type { Reading } from '../../domain/reply-agent/replies.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { actOnWish } from '../receive/act-on-reply.ts'

export type ReadReply = {
  claim: ClaimedReply
  reading: Reading
  prospectId: string | null
  sender: EmailContact | null
}

/**
 * What the model's word alone may do: a wish to get no more mail ends what a sequence has left, as the account wants
 * it for words. Everything else it says is there to be read.
 */
export async function actOnReading(
  tx: Sql,
  { claim, reading, prospectId, sender }: ReadReply,
): Promise<void> {
  if (reading.intent !== 'opt_out') return
  const { accountId, messageId, channel } = claim
  if (channel === 'linkedin')
    return actOnWish(tx, { accountId, match: { prospectId, aboutId: messageId }, sender: undefined, channel })
  const [taken] = await tx<{ aboutId: string | null }[]>`
    select about_id as "aboutId" from received_mails where account_id = current_account_id() and id = ${messageId}`
  const aboutId = taken?.aboutId ?? messageId
  await actOnWish(tx, { accountId, match: { prospectId, aboutId }, sender: sender?.email, channel })
}
