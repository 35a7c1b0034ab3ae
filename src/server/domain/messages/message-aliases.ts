import type { Sql } from '../../kernel/db/database.ts'

/** Records a Message-ID that a server gave our message in place of ours; replies and bounces may name either. */
export const addMessageAlias = (tx: Sql, emailMessageId: string, messageId: string) => tx`
  insert into email_message_aliases (account_id, message_id, email_message_id)
  values (current_account_id(), ${messageId}, ${emailMessageId})
  on conflict do nothing`
