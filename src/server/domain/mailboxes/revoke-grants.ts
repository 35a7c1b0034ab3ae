import { type App, inAccount } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { revokeGrant } from '../../protocols/mail-oauth/request-token.ts'
import { decryptGrantToken, type GrantKey } from './mailbox-grants.ts'

export const REVOCATION_LEASE_MS = 60_000
const RETRY_MS = 10 * 60_000
/** After this time, the grant is deleted without being revoked: the user can revoke it at the provider. */
const MAX_AGE_MS = 7 * 24 * 60 * 60_000

/** Claims grants of removed mailboxes, of all accounts. Requires the engine's role. */
export const claimRevocations = (
  engine: Sql,
  { now, limit }: { now: Date; limit: number },
): Promise<GrantKey[]> => engine<GrantKey[]>`
  update mailbox_grants g
     set revoke_at = ${new Date(now.getTime() + REVOCATION_LEASE_MS)}
    from (select account_id, mailbox_id
            from mailbox_grants
           where revoke_at <= ${now}
           order by revoke_at
           limit ${limit}
             for update skip locked) due
   where g.account_id = due.account_id and g.mailbox_id = due.mailbox_id
  returning g.account_id as "accountId", g.mailbox_id as "mailboxId"`

/**
 * Revokes a Google grant and deletes it. Google revokes everything that a user granted to a client, so a grant that
 * another mailbox uses, in any account, is only deleted.
 */
export async function performRevocation(app: App, key: GrantKey): Promise<void> {
  const { accountId, mailboxId } = key
  const [grant] = await inAccount(
    app.db.work,
    accountId,
    tx => tx<{ refreshToken: Uint8Array | null; isOld: boolean }[]>`
      select g.refresh_token as "refreshToken",
             b.removed_at < ${new Date(app.now().getTime() - MAX_AGE_MS)} as "isOld"
        from mailbox_grants g
        join mailboxes b on b.account_id = g.account_id and b.id = g.mailbox_id
       where g.account_id = ${accountId} and g.mailbox_id = ${mailboxId} and g.revoke_at is not null`,
  )
  if (!grant) return
  const token = grant.refreshToken && decryptGrantToken(app, key, 'refresh_token', grant.refreshToken)
  if (token && !grant.isOld && !(await isUsedElsewhere(app.db.engine, key))) {
    const error = await revokeGrant(token, app.config)
    if (error) {
      app.log.warn({ ...key, error }, 'mailbox: revoking a grant failed; retrying')
      const retryAt = new Date(app.now().getTime() + RETRY_MS)
      await app.db.engine`
        update mailbox_grants set revoke_at = ${retryAt} where account_id = ${accountId} and mailbox_id = ${mailboxId}`
      return
    }
  }
  await inAccount(
    app.db.work,
    accountId,
    tx => tx`
      delete from mailbox_grants
       where account_id = ${accountId} and mailbox_id = ${mailboxId} and revoke_at is not null`,
  )
}

async function isUsedElsewhere(engine: Sql, { accountId, mailboxId }: GrantKey): Promise<boolean> {
  const [other] = await engine`
    select from mailbox_grants g
      join mailbox_grants other
        on (other.subject, other.client_id) = (g.subject, g.client_id) and other.kind = g.kind
       and (other.account_id, other.mailbox_id) <> (g.account_id, g.mailbox_id) and other.revoke_at is null
     where g.account_id = ${accountId} and g.mailbox_id = ${mailboxId}
     limit 1`
  return other !== undefined
}
