import type { Sql } from '../../kernel/db/database.ts'
import { canonicalEmail } from '../../protocols/identity/email.ts'

/**
 * Returns whether a current or former mailbox of the account has this address, alias or IMAP login. Plus addressing is
 * ignored.
 */
export async function isOwnAddress(tx: Sql, address: string | undefined): Promise<boolean> {
  const email = canonicalEmail(address ?? '')
  if (!email) return false
  const spellings = [email, email.replace(/\+[^@]*@/, '@')]
  const [own] = await tx`
    select from mailboxes where account_id = current_account_id() and email = any(${spellings})
    union all
    select from mailbox_aliases where account_id = current_account_id() and email = any(${spellings})
    union all
    select from mailbox_syncs where account_id = current_account_id() and lower(login) = any(${spellings})
    limit 1`
  return own !== undefined
}
