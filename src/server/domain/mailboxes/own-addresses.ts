import type { Sql } from '../../kernel/db/database.ts'
import { canonicalEmail } from '../../protocols/identity/email.ts'

/**
 * Returns whether this is the address, alias or IMAP login of a current or former mailbox of the account, proved by a
 * verification, a sent email or a sync. An unproved address may belong to a prospect, whose replies would be lost. Plus
 * addressing is ignored.
 */
export async function isOwnAddress(tx: Sql, address: string | undefined): Promise<boolean> {
  const email = canonicalEmail(address ?? '')
  if (!email) return false
  const spellings = [email, email.replace(/\+[^@]*@/, '@')]
  const [own] = await tx`
    select from mailboxes b
     where account_id = current_account_id() and email = any(${spellings}) and kind = 'smtp'
       and (verified_at is not null
            or exists (select from email_sends e
                        where e.account_id = b.account_id and e.mailbox_id = b.id and e.state = 'sent'))
    union all
    select from mailbox_aliases
     where account_id = current_account_id() and email = any(${spellings}) and verified_at is not null
    union all
    select from mailbox_syncs s
      join mailboxes b on b.account_id = s.account_id and b.id = s.mailbox_id
     where s.account_id = current_account_id() and lower(s.login) = any(${spellings})
       and (s.last_synced_at is not null or b.verified_at is not null)
    limit 1`
  return own !== undefined
}
