import type { Sql } from '../../kernel/db/database.ts'

/** Records the Message-ID with which a server replaced our own. Replies and bounces may refer to either. */
export const addMessageAlias = (tx: Sql, emailMessageId: string, messageId: string) => tx`
  insert into email_message_aliases (account_id, message_id, email_message_id)
  values (current_account_id(), ${messageId}, ${emailMessageId})
  on conflict do nothing`
