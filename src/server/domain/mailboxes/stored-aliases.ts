import type { Context } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { invalid } from '../../kernel/errors.ts'
import { requireEmail } from '../../protocols/identity/email.ts'
import type { StoredMailbox } from './transport.ts'

/** Header of the test email with the ID of the alias's last test. */
export const aliasTestHeader = 'X-Overture-Alias-Test'

/** Selects the From address of mailbox `b`: one of its aliases, or its own. */
export const senderEmail = (sql: Sql): Fragment => sql`
  coalesce((select a.email from mailbox_aliases a
             where a.account_id = b.account_id and a.mailbox_id = b.id and a.is_sender), b.email)`

/** Selects the aliases of mailbox `b` as JSON; null if there are none. */
export const aliasesJson = (sql: Sql): Fragment => sql`
  (select json_agg(json_build_object(
            'email', a.email,
            'status', a.status,
            'statusReason', a.status_reason,
            'testedAt', api_time(a.tested_at)) order by a.email)
     from mailbox_aliases a
    where a.account_id = b.account_id and a.mailbox_id = b.id)`

/**
 * Marks an alias as failing. The mailbox sends from its own address until a user selects a verified alias.
 */
export const failAlias = (
  tx: Sql,
  { mailbox, email }: { mailbox: Pick<StoredMailbox, 'id'>; email: string },
  reason: string,
) => tx`
  update mailbox_aliases
     set status = 'failing', status_reason = ${reason}, is_sender = false, updated_at = now()
   where account_id = current_account_id() and mailbox_id = ${mailbox.id} and email = ${email}`

/** Records that the mail server sent an email from the alias with another sender. */
export const failReplacedAlias = (
  tx: Sql,
  mailbox: Pick<StoredMailbox, 'id' | 'email'>,
  { email, sender }: { email: string; sender: string },
) => {
  const reason = `The mail server replaced the sender with ${sender || 'another'}. Let ${mailbox.email} send as ${email} (in Gmail: Settings, Accounts, “Send mail as”), then test the alias again.`
  return failAlias(tx, { mailbox, email }, reason)
}

/**
 * Records the result of the test email of an alias. `sender` is its sender now; `isDelivered` is false for a copy of
 * the sent email. Returns the alias; undefined when the email tests no alias of this mailbox.
 */
export async function recordAliasTest(
  tx: Sql,
  {
    mailbox,
    testId,
    sender,
    isDelivered,
    now,
  }: { mailbox: StoredMailbox; testId: string; sender: string; isDelivered: boolean; now: Date },
): Promise<string | undefined> {
  const [alias] = await tx<{ email: string }[]>`
    select email from mailbox_aliases
     where account_id = current_account_id() and mailbox_id = ${mailbox.id} and test_id::text = ${testId}
       for update`
  if (!alias) return undefined
  const { email } = alias
  if (sender !== email) {
    await failReplacedAlias(tx, mailbox, { email, sender })
  } else if (isDelivered) {
    await tx`
      update mailbox_aliases
         set status = 'verified', status_reason = null, verified_at = ${now}, updated_at = now()
       where account_id = current_account_id() and mailbox_id = ${mailbox.id} and email = ${email}
         and status <> 'failing'`
  }
  return email
}

/** Makes a verified alias, or with null its own address, the sender of the mailbox's emails. */
export async function setSenderAlias(
  { sql, accountId }: Context,
  mailboxId: string,
  fromEmail: string | null,
): Promise<void> {
  await sql`
    update mailbox_aliases set is_sender = false, updated_at = now()
     where account_id = ${accountId} and mailbox_id = ${mailboxId} and is_sender`
  if (fromEmail === null) return
  const chosen = await sql`
    update mailbox_aliases set is_sender = true, updated_at = now()
     where account_id = ${accountId} and mailbox_id = ${mailboxId}
       and email = ${requireEmail(fromEmail, 'fromEmail')} and status = 'verified'`
  if (chosen.count === 0) throw invalid('fromEmail', 'must be a verified alias of this mailbox')
}
