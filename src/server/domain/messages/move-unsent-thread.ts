import { currentAccount, pipeline, type Sql } from '../../kernel/db/database.ts'
import type { EmailContact } from './write-email-messages.ts'

type Sender = { repId: string; mailboxId: string; sender: EmailContact }

/**
 * Moves a thread that contains only drafts to another mailbox and its rep; returns false if it contains other messages.
 * Requires a lock on the thread.
 */
export async function moveUnsentThread(
  tx: Sql,
  threadId: string,
  { repId, mailboxId, sender }: Sender,
): Promise<boolean> {
  const { count } = await tx`
    update email_threads t
       set rep_id = ${repId}, mailbox_id = ${mailboxId}, updated_at = now()
     where t.account_id = ${currentAccount(tx)} and t.id = ${threadId}
       and not exists (select from email_messages m
                        where m.account_id = t.account_id and m.thread_id = t.id and m.status is distinct from 'draft')`
  if (count === 0) return false
  await pipeline(
    tx`
      update email_messages
         set rep_id = ${repId}, mailbox_id = ${mailboxId}, sender = ${tx.json(sender)}, updated_at = now()
       where account_id = ${currentAccount(tx)} and thread_id = ${threadId}`,
    tx`
      update email_message_tags set rep_id = ${repId}
       where account_id = ${currentAccount(tx)} and id in (select id from email_messages
                                                            where account_id = ${currentAccount(tx)} and thread_id = ${threadId})`,
  )
  return true
}
