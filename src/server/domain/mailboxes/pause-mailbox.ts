import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { auditEngine } from '../accounts/audit-log.ts'

/**
 * Returns a condition that is true while a mailbox's pause delays the email send `row`. Manual replies are still sent.
 */
export const isMailboxPaused = (sql: Sql, row: Fragment): Fragment => sql`
  (${row}.campaign_id is not null
   and exists (select from mailboxes paused
                where paused.account_id = ${row}.account_id and paused.id = ${row}.mailbox_id
                  and paused.paused_at is not null))`

/** Pauses the campaign emails of a mailbox until a person resumes it. */
export async function pauseMailbox(tx: Sql, id: string, reason: string): Promise<void> {
  const paused = await tx`
    update mailboxes
       set paused_at = now(), pause_reason = ${reason}, updated_at = now()
     where account_id = current_account_id() and id = ${id} and paused_at is null and removed_at is null`
  if (paused.count > 0) await auditEngine(tx, 'pause', 'mailbox', id)
}
