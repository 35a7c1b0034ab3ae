import { recordBouncedAddresses } from '../../domain/dnc/bounced-addresses.ts'
import { queueSentCopy } from '../../domain/mailboxes/sent-copies.ts'
import { addMessageAlias } from '../../domain/messages/message-aliases.ts'
import { markEmailMessagesSent, setDelivery } from '../../domain/messages/write-email-messages.ts'
import { confirmSend, type Receipt, recordSent } from '../../domain/outbox/sends.ts'
import { clearStatusReason, finishSteps } from '../../domain/prospects/advance-prospects.ts'
import { completeCampaign } from '../../domain/prospects/complete-campaign.ts'
import { Batcher } from '../../kernel/db/batch.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { failpoint } from '../../kernel/failpoints.ts'
import { canonicalEmail } from '../../protocols/identity/email.ts'
import type { FailedResult, SentResult } from '../../protocols/smtp/result.ts'
import { type Attempt, inSharedTransaction } from '../attempt/attempt.ts'

type Delivered = Attempt & { result: SentResult }

/** Records that the server accepted the email. */
export async function recordDelivery(attempt: Attempt, result: SentResult): Promise<void> {
  await deliveryBatcher.run({ ...attempt, result })
  await failpoint('record.committed', attempt.claim.mailboxId)
}

/** Recording a delivery may wait this long for other deliveries, because the wait delays no email. */
const LINGER_MS = 15

const deliveryBatcher = new Batcher<Delivered, void>(
  async delivered => {
    await inSharedTransaction(delivered, tx => recordDeliveries(tx, delivered))
    return delivered.map(() => undefined)
  },
  { lingerMs: LINGER_MS },
)

async function recordDeliveries(tx: Sql, delivered: readonly [Delivered, ...Delivered[]]): Promise<void> {
  const now = delivered[0].app.now()
  for (const { outgoing, result } of delivered)
    if (result.serverMessageId) await addMessageAlias(tx, outgoing.id, result.serverMessageId)
  const areRecorded = await recordSent(
    tx,
    delivered.map(({ claim, result }) => ({ ...claim, ...toReceipt(result) })),
  )
  const recorded = delivered.filter((_, index) => areRecorded[index])
  const ids = recorded.map(({ outgoing }) => outgoing.id)
  if (ids.length > 0) await markEmailMessagesSent(tx, ids, now)
  await finishProspectSteps(tx, recorded, now, null)
  // The others were given up as lost in the meantime, and their steps are finished already.
  for (const { outgoing, result } of delivered.filter((_, index) => !areRecorded[index]))
    await confirmSend(tx, { messageId: outgoing.id, ...toReceipt(result) })
  for (const { claim, sentCopy: raw } of delivered) if (raw) await queueSentCopy(tx, { ...claim, raw, now })
  for (const each of delivered) await recordRejectedRecipients(tx, each)
}

/** Records recipients that the server rejected while it accepted others. Records unknown addresses as bounced. */
async function recordRejectedRecipients(
  tx: Sql,
  { app, claim, outgoing, result: { refused } }: Delivered,
): Promise<void> {
  if (refused.length === 0) return
  const replies = refused.map(({ address, reply }) =>
    [`${address}:`, reply?.code, reply?.enhancedCode, reply?.text].filter(Boolean).join(' '),
  )
  await setDelivery(tx, outgoing.id, 'bounced', `Refused by the server for ${replies.join('; ')}`)
  const emails = refused
    .filter(isUnknownAddress)
    .map(({ address }) => canonicalEmail(address))
    .filter(email => email !== undefined)
  const context = { app, sql: tx, accountId: claim.accountId, actor: 'engine' }
  if (emails.length > 0) await recordBouncedAddresses(context, { emails, emailMessageId: outgoing.id })
}

const toReceipt = ({ reply, queueId }: SentResult): Receipt => ({
  response: `${reply.code} ${reply.text}`,
  queueId,
})

/** Returns whether the reply has a code of RFC 3463 for an address that does not exist: 5.1.1 to 5.1.3 or 5.1.6. */
export const isUnknownAddress = ({ reply }: Pick<FailedResult, 'reply'>): boolean =>
  /^5\.1\.[1236]$/.test(reply?.enhancedCode ?? '')

/**
 * Finishes the steps of these attempts' prospects and completes campaigns that have nothing left to do. For a message
 * that was sent again, only clears `unconfirmed`.
 */
export async function finishProspectSteps(
  tx: Sql,
  attempts: readonly Attempt[],
  now: Date,
  reason: string | null,
): Promise<void> {
  const outgoings = attempts.map(({ outgoing }) => outgoing).filter(({ prospectId }) => prospectId)
  const [repeats, steps] = [
    outgoings.filter(({ isRepeat }) => isRepeat),
    outgoings.filter(({ isRepeat }) => !isRepeat),
  ]
  if (!reason) for (const { prospectId } of repeats) await clearStatusReason(tx, prospectId!, 'unconfirmed')
  if (steps.length === 0) return
  const prospectIds = steps.map(({ prospectId }) => prospectId!)
  if (!(await finishSteps(tx, prospectIds, now, reason))) return
  const campaignIds = new Set(steps.map(({ campaignId }) => campaignId!))
  for (const campaignId of [...campaignIds].sort()) await completeCampaign(tx, campaignId)
}
