import type { Context } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { removeEmailMessage } from '../messages/write-email-messages.ts'
import { revertStep } from '../prospects/advance-prospects.ts'
import { deleteQueuedSendsByCampaign, deleteQueuedSendsByProspect } from './sends.ts'

/** Deletes the queued emails of a campaign's steps, except those of `keptRepIds`; the steps are planned again. */
export async function withdrawQueuedEmails(
  { sql, app }: Context,
  campaignId: string,
  keptRepIds?: readonly string[],
): Promise<void> {
  for (const { messageId, prospectId } of await deleteQueuedSendsByCampaign(sql, campaignId, keptRepIds)) {
    await removeEmailMessage(sql, messageId)
    await revertStep(sql, prospectId, app.now())
  }
}

/**
 * Deletes the queued emails of these prospects' steps; the steps are planned again. Locks threads before prospects, in
 * the same order as recording a send does.
 */
export async function withdrawQueuedSteps(tx: Sql, prospectIds: readonly string[], now: Date): Promise<void> {
  const withdrawn = await deleteQueuedSendsByProspect(tx, prospectIds)
  for (const { messageId } of withdrawn) await removeEmailMessage(tx, messageId)
  for (const { prospectId } of withdrawn) await revertStep(tx, prospectId, now)
}
