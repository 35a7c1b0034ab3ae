import type { Context } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { removeEmailMessage } from '../messages/write-email-messages.ts'
import { revertStep } from '../prospects/advance-prospects.ts'
import {
  type DeletedSend,
  deleteQueuedSendsByCampaign,
  deleteQueuedSendsByMailbox,
  deleteQueuedSendsByProspect,
} from './sends.ts'

/** Deletes the queued emails of a campaign's steps, except those of `keptRepIds`; the steps are planned again. */
export const withdrawQueuedEmails = async (
  { sql, app }: Context,
  campaignId: string,
  keptRepIds?: readonly string[],
): Promise<void> =>
  revertSteps(sql, await deleteQueuedSendsByCampaign(sql, campaignId, keptRepIds), app.now())

/** Deletes the queued emails of these prospects' steps; the steps are planned again. */
export const withdrawQueuedSteps = async (
  tx: Sql,
  prospectIds: readonly string[],
  now: Date,
): Promise<void> => revertSteps(tx, await deleteQueuedSendsByProspect(tx, prospectIds), now)

/** Deletes the queued emails of steps in a mailbox; the steps are planned again. */
export const withdrawMailboxSteps = async ({ sql, app }: Context, mailboxId: string): Promise<void> =>
  revertSteps(sql, await deleteQueuedSendsByMailbox(sql, mailboxId), app.now())

/** Locks threads before prospects, in the same order as recording a send does. */
async function revertSteps(tx: Sql, withdrawn: readonly DeletedSend[], now: Date): Promise<void> {
  for (const { messageId } of withdrawn) await removeEmailMessage(tx, messageId)
  for (const { prospectId } of withdrawn) await revertStep(tx, prospectId, now)
}
