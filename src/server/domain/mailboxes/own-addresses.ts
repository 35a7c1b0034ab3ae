import type { Sql } from '../../kernel/db/database.ts'
import { canonicalEmail } from '../../protocols/identity/email.ts'

/**
 * Whether the account writes, or wrote, from this address, or a mailbox of it is read under that name; with anything
 * behind a plus it is the same.
 */
export async function isOwnAddress(tx: Sql, address: string | undefined): Promise<boolean> {
  const email = canonicalEmail(address ?? '')
  if (!email) return false
  const spellings = [email, email.replace(/\+[^@]*@/, '@')]
  const [own] = await tx`
    select from mailboxes where account_id = current_account_id() and email = any(${spellings})
    union all
    select from mailbox_readings where account_id = current_account_id() and lower(login) = any(${spellings})
    limit 1`
  return own !== undefined
}
