import type { Pool, Sql } from '../../kernel/db/database.ts'
import { type Author, auditUser } from '../accounts/audit-log.ts'
import { setPasswordHash } from '../accounts/users.ts'
import { deleteSessions } from './sessions.ts'
import { deleteAttempts } from './sign-in-attempts.ts'

/** Revokes a user's API tokens and connected apps. Call `forgetAccess` after the commit. */
export async function revokeTokensAndApps(sql: Sql, userId: string, author: Author): Promise<void> {
  const tokens = await sql<{ id: string }[]>`
    update api_tokens set revoked_at = now(), updated_at = now()
     where user_id = ${userId} and revoked_at is null
 returning id`
  await auditUser(sql, userId, author, 'revoke', ['api_token', ...toIds(tokens)])
  const grants = await sql<{ id: string }[]>`
    update oauth_grants set revoked_at = now(), updated_at = now()
     where user_id = ${userId} and revoked_at is null
 returning id`
  await auditUser(sql, userId, author, 'disconnect', ['oauth_grant', ...toIds(grants)])
}

/**
 * Replaces all credentials of a user with a new password, or with none: revokes API tokens, connected apps, passkeys,
 * the authenticator app with its recovery codes, sessions and sign-ins in progress. Call `forgetAccess` after the
 * commit.
 */
export async function replaceCredentials(
  sql: Sql,
  userId: string,
  passwordHash: string | null,
  author: Author,
): Promise<void> {
  // This comes first because it locks the user: a credential added concurrently is either committed already, and
  // removed here, or waits for the lock.
  await writePassword(sql, userId, passwordHash)
  await revokeTokensAndApps(sql, userId, author)
  const passkeys = await sql<{ id: string }[]>`delete from passkeys where user_id = ${userId} returning id`
  await auditUser(sql, userId, author, 'remove_passkey', ['passkey', ...toIds(passkeys)])
  const apps = await sql`delete from authenticator_apps where user_id = ${userId}`
  if (apps.count > 0) await auditUser(sql, userId, author, 'disable_totp')
}

/** Sets the password and ends the user's sessions and sign-ins in progress. */
export async function writePassword(sql: Sql, userId: string, passwordHash: string | null): Promise<void> {
  await setPasswordHash(sql, userId, passwordHash)
  await deleteSessions(sql, userId)
  await deleteAttempts(sql, userId)
}

/** Ends the user's sessions and sign-ins in progress, and on request revokes their API tokens and connected apps. */
export async function signOutEverywhere(
  auth: Pool,
  userId: string,
  options: { revokeTokensAndApps?: boolean | undefined },
  author: Author,
): Promise<{ sessions: number }> {
  return auth.begin(async sql => {
    // Locks the user: a concurrent sign-in is either committed already, and ended here, or waits for the lock.
    await sql`select from users where id = ${userId} for update`
    const { count } = await deleteSessions(sql, userId)
    await deleteAttempts(sql, userId)
    if (options.revokeTokensAndApps) await revokeTokensAndApps(sql, userId, author)
    await auditUser(sql, userId, author, 'sign_out_everywhere')
    return { sessions: count }
  })
}

const toIds = (rows: { id: string }[]): string[] => rows.map(({ id }) => id)
