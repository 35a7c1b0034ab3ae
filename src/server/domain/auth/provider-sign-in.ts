import type { Role } from '../../../contract/permissions.ts'
import type { Pool, Sql } from '../../kernel/db/database.ts'
import { AppError } from '../../kernel/errors.ts'
import { type Author, audit } from '../accounts/audit-log.ts'
import { insertMember } from '../accounts/members.ts'
import { createUser, markEmailVerified } from '../accounts/users.ts'
import { replaceCredentials } from './credentials.ts'
import { findIdentityProvider, type IdentityProvider } from './identity-provider.ts'

/**
 * Returns the user with the address from the provider; undefined if the provider may not sign them in. A verified user
 * of other accounts has to be invited first. An unverified user may have been created by a stranger: signing in
 * verifies the address and replaces all credentials.
 */
export const findOrCreateMember = (
  auth: Pool,
  { accountId, newMemberRole: role }: IdentityProvider,
  { email, name }: { email: string; name: string },
  author: Author,
): Promise<{ userId: string } | undefined> =>
  auth.begin(async sql => {
    const [user] = await sql<{ userId: string; isVerified: boolean; isMember: boolean }[]>`
      select u.id as "userId", u.email_verified_at is not null as "isVerified",
             exists (select from members m where m.account_id = ${accountId} and m.user_id = u.id) as "isMember"
        from users u where u.email = ${email} for update`
    if (!user?.isMember && (!role || user?.isVerified)) return undefined
    const userId = user?.userId ?? (await createUser(sql, { email, name, isEmailVerified: true })).id
    const userAuthor = { ...author, userId }
    if (!user?.isMember && role && (await insertMember(sql, { accountId, userId, role }))) {
      await audit({ ...userAuthor, sql, accountId }, `join as ${role}`, 'member', userId)
    }
    if (user && !user.isVerified) {
      await replaceCredentials(sql, userId, null, userAuthor)
      await markEmailVerified(sql, userId)
    }
    return { userId }
  }) as Promise<{ userId: string } | undefined>

/** Returns the identity provider of a user's account, and whether single sign-on is required; owners are exempt. */
export async function findOwnProvider(
  auth: Sql,
  userId: string,
): Promise<{ provider: IdentityProvider; email: string; isOnlyMethod: boolean } | undefined> {
  const [user] = await auth<[{ email: string }]>`select email from users where id = ${userId}`
  const provider = await findIdentityProvider(auth, user.email)
  if (!provider) return undefined
  const [member] = await auth<{ role: Role }[]>`
    select role from members where account_id = ${provider.accountId} and user_id = ${userId}`
  if (!member) return undefined
  return { provider, email: user.email, isOnlyMethod: provider.isRequired && member.role !== 'owner' }
}

/** Throws Forbidden if the user's account requires single sign-on; with `accountId`, checks only that account. */
export async function requireAllowedSignIn(auth: Sql, userId: string, accountId?: string): Promise<void> {
  const own = await findOwnProvider(auth, userId)
  if (own?.isOnlyMethod && (!accountId || accountId === own.provider.accountId)) {
    throw new AppError('Forbidden', `${own.provider.accountName} requires single sign-on. Sign in with it.`)
  }
}
