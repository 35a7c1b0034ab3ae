import type { Context } from '../../kernel/context.ts'
import { conflict, invalid, outOfScope } from '../../kernel/errors.ts'
import { isInScope } from '../accounts/permission-scope.ts'
import { findSendingMailbox, type SendingMailbox } from '../outbox/sending-mailbox.ts'
import { findDefaultRep } from './default-rep.ts'

/** A mailbox that a first email is sent from, with its rep. */
export type RepMailbox = SendingMailbox & { repId: string }

/** Finds the mailbox from which to write to a person. Throws when there is none or the caller may not send from it. */
export async function chooseMailbox(
  ctx: Context,
  { mailboxId, personId }: { mailboxId?: string | undefined; personId: string },
): Promise<RepMailbox> {
  if (mailboxId) return findMailbox(ctx, mailboxId)
  const repId = await findDefaultRep(ctx, 'Inbox.SendMessage', personId)
  if (!repId)
    throw invalid('mailboxId', 'is required: this person has no rep, and you do not have exactly one rep')
  const mailbox = await findSendingMailbox(ctx, { mailboxId: null, repId })
  if (!mailbox) throw conflict("The person's rep has no active mailbox. Verify one, or set `mailboxId`.")
  return { ...mailbox, repId }
}

/** Returns a mailbox to send from. Throws when it is not active, or the caller may not send from it. */
export async function findMailbox(ctx: Context, mailboxId: string): Promise<RepMailbox> {
  const [owner] = await ctx.sql<{ repId: string; isAllowed: boolean }[]>`
    select b.rep_id as "repId", ${isInScope(ctx, 'Inbox.SendMessage', ctx.sql`b.rep_id`)} as "isAllowed"
      from mailboxes b
     where b.account_id = ${ctx.accountId} and b.id = ${mailboxId} and b.removed_at is null`
  if (!owner) throw invalid('mailboxId', 'must be the ID of a mailbox in this account')
  if (!owner.isAllowed) throw outOfScope('Inbox.SendMessage', 'this mailbox belongs to another rep')
  const { repId } = owner
  const mailbox = await findSendingMailbox(ctx, { mailboxId, repId })
  if (mailbox?.id !== mailboxId)
    throw conflict('This mailbox is not active. Verify it, or choose another one.')
  return { ...mailbox, repId }
}
