import type { Sql } from '../../kernel/db/database.ts'

/** A server gave our message this Message-ID in place of ours; answers and bounces may name either. */
export const addMessageAlias = (tx: Sql, emailMessageId: string, messageId: string) => tx`
  insert into email_message_aliases (account_id, message_id, email_message_id)
  values (current_account_id(), ${messageId}, ${emailMessageId})
  on conflict do nothing`
