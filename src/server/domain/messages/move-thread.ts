import { currentAccount, pipeline, type Sql } from '../../kernel/db/database.ts'
import type { EmailContact } from './write-email-messages.ts'

type Sender = { repId: string; mailboxId: string; sender: EmailContact }

/**
 * Moves a thread and its drafts to another mailbox and its rep, who then receives the replies. Emails that were sent or
 * are queued keep theirs.
 */
export const moveThread = (
  tx: Sql,
  threadId: string,
  { repId, mailboxId, sender }: Sender,
): Promise<unknown> =>
  pipeline(
    tx`
      update email_threads set rep_id = ${repId}, mailbox_id = ${mailboxId}, updated_at = now()
       where account_id = ${currentAccount(tx)} and id = ${threadId}`,
    tx`
      update email_messages m
         set rep_id = ${repId}, mailbox_id = ${mailboxId}, sender = ${tx.json(sender)}, updated_at = now()
       where account_id = ${currentAccount(tx)} and thread_id = ${threadId} and status = 'draft'
         and not exists (select from email_sends e
                          where e.account_id = m.account_id and e.message_id = m.id
                            and e.state in ('queued', 'claimed', 'dot_pending', 'unconfirmed'))`,
    tx`
      update email_message_tags t
         set rep_id = m.rep_id
        from email_messages m
       where m.account_id = ${currentAccount(tx)} and m.thread_id = ${threadId}
         and t.account_id = m.account_id and t.id = m.id and t.rep_id is distinct from m.rep_id`,
  )

/**
 * Moves a thread that contains only drafts, as `moveThread` does; returns false if it contains other messages. Requires
 * a lock on the thread.
 */
export async function moveUnsentThread(tx: Sql, threadId: string, to: Sender): Promise<boolean> {
  const [other] = await tx`
    select from email_messages
     where account_id = ${currentAccount(tx)} and thread_id = ${threadId} and status is distinct from 'draft'
     limit 1`
  if (other) return false
  await moveThread(tx, threadId, to)
  return true
}
