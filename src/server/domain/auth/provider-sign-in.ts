import type { Role } from '../../../contract/permissions.ts'
import type { Pool, Sql } from '../../kernel/db/database.ts'
import { AppError } from '../../kernel/errors.ts'
import { type Author, audit } from '../accounts/audit-log.ts'
import { insertMember } from '../accounts/members.ts'
import { createUser, markEmailVerified } from '../accounts/users.ts'
import { replaceCredentials } from './credentials.ts'
import { findIdentityProvider, type IdentityProvider } from './identity-provider.ts'

/**
 * The user whom an account's provider named; undefined when it may not speak for them. A proven user who is in other
 * accounts only has to be invited: no account takes hold of somebody by saying so. An unproven one may be a stranger's
 * work, made to keep the person out, so the provider of the proven domain takes it over where it may make members: it
 * proves the address, and everything made before, the password too, ends.
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
    const asUser = { ...author, userId }
    if (!user?.isMember && role && (await insertMember(sql, { accountId, userId, role }))) {
      await audit({ ...asUser, sql, accountId }, `join as ${role}`, 'member', userId)
    }
    if (user && !user.isVerified) {
      await replaceCredentials(sql, userId, null, asUser)
      await markEmailVerified(sql, userId)
    }
    return { userId }
  }) as Promise<{ userId: string } | undefined>

/** The provider with which a user can sign in to an account of theirs, and whether in no other way. Owners keep another. */
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

/** Throws where an account of the user's, or only the named one, lets its members in by its identity provider alone. */
export async function requireAllowedSignIn(auth: Sql, userId: string, accountId?: string): Promise<void> {
  const company = await findOwnProvider(auth, userId)
  if (company?.isOnlyMethod && (!accountId || accountId === company.provider.accountId)) {
    throw new AppError(
      'Forbidden',
      `${company.provider.accountName} asks for single sign-on. Sign in with it.`,
    )
  }
}
