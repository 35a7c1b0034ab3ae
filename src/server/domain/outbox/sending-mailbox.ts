import type { Context } from '../../kernel/context.ts'
import { senderEmail } from '../mailboxes/stored-aliases.ts'

/** A mailbox to send from; `email` is the address in From. */
export type SendingMailbox = { id: string; email: string; name: string }

/**
 * Finds the mailbox that a thread's messages are sent from: the thread's mailbox if it is active, or else an active
 * mailbox of the thread's rep. It can't be deleted until the transaction ends.
 */
export async function findSendingMailbox(
  { sql, accountId }: Pick<Context, 'sql' | 'accountId'>,
  { mailboxId, repId }: { mailboxId: string | null; repId: string | null },
): Promise<SendingMailbox | undefined> {
  const [mailbox] = await sql<SendingMailbox[]>`
    select b.id, ${senderEmail(sql)} as email, coalesce(b.sender_name, r.name) as name
      from mailboxes b
      join reps r on r.account_id = b.account_id and r.id = b.rep_id
     where b.account_id = ${accountId} and (b.id = ${mailboxId} or b.rep_id = ${repId})
       and b.status = 'active' and b.removed_at is null
     order by b.id is not distinct from ${mailboxId} desc, b.created_at, b.id
     limit 1
       for key share of b`
  return mailbox
}
