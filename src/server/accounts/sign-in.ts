import type { z } from 'zod'
import type { ownSignIn, session, setUp as setUpInput } from '../../contract/sign-in.ts'
import type { App } from '../context.ts'
import { seal } from '../crypto.ts'
import type { Pool, Sql } from '../db.ts'
import { conflict, invalid, unauthorized } from '../errors.ts'
import { canonicalEmail } from '../identity/email.ts'
import { insertAccount } from './accounts.ts'
import { type Author, auditUser } from './audit-log.ts'
import { countRecoveryCodes } from './authenticator-app.ts'
import { writePassword } from './credentials.ts'
import { hashPassword, verifyPassword } from './passwords.ts'
import { createUser } from './users.ts'

/** One user has one name to count by, however their address is spelled. */
export const nameOf = (email: string): string => canonicalEmail(email) ?? email.toLowerCase()

/** The user with that address and password. One answer for all that can be wrong, after the same work. */
export async function checkPassword(auth: Sql, email: string, password: string): Promise<{ userId: string }> {
  const [user] = await auth<{ id: string; passwordHash: string | null }[]>`
    select id, password_hash as "passwordHash" from users where email = ${canonicalEmail(email) ?? ''}`
  if (!(await verifyPassword(user?.passwordHash, password)) || !user) {
    throw unauthorized('The address or the password is not right.')
  }
  return { userId: user.id }
}

export async function isOwnPassword(auth: Sql, userId: string, password: string): Promise<boolean> {
  const [user] = await auth<{ passwordHash: string | null }[]>`
    select password_hash as "passwordHash" from users where id = ${userId}`
  return verifyPassword(user?.passwordHash, password)
}

/** Before what outlives a session: who found a browser open must not get by it. Nothing is asked of who has none. */
export async function checkOwnPassword(
  auth: Sql,
  userId: string,
  { password = '' }: { password?: string | undefined },
): Promise<void> {
  const { hasPassword } = await readOwnSignIn(auth, userId)
  if (hasPassword && !(await isOwnPassword(auth, userId, password))) {
    throw invalid('password', 'is not your password')
  }
}

/** Throws when the current one is not right. */
export async function changePassword(
  auth: Pool,
  userId: string,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
  author: Author,
): Promise<void> {
  if (!(await isOwnPassword(auth, userId, currentPassword))) {
    throw invalid('currentPassword', 'is not the password you have now')
  }
  const passwordHash = await hashPassword(newPassword)
  await auth.begin(async sql => {
    await writePassword(sql, userId, passwordHash)
    await auditUser(sql, userId, author, 'change_password')
  })
}

/** By what a user can sign in. */
export async function readOwnSignIn(auth: Sql, userId: string): Promise<z.output<typeof ownSignIn>> {
  const [user] = await auth<[Omit<z.output<typeof ownSignIn>, 'recoveryCodesLeft'>]>`
    select password_hash is not null as "hasPassword",
           (select coalesce(json_agg(json_strip_nulls(json_build_object(
                     'id', id,
                     'name', name,
                     'createdAt', api_time(created_at),
                     'lastUsedAt', api_time(last_used_at))) order by created_at, id), '[]')
              from passkeys where user_id = u.id) as passkeys
      from users u where id = ${userId}`
  return { ...user, recoveryCodesLeft: await countRecoveryCodes(auth, userId) }
}

/** Who is signed in, and where they may go. */
export async function readUser(
  auth: Sql,
  userId: string,
): Promise<Omit<z.output<typeof session>, 'csrfToken'>> {
  const [found] = await auth<[{ id: string; email: string; name: string; accounts: [] }]>`
    select u.id, u.email, u.name,
           (select coalesce(json_agg(json_build_object('id', a.id, 'name', a.name, 'role', m.role)
                                     order by m.created_at, m.account_id), '[]')
              from members m join accounts a on a.id = m.account_id
             where m.user_id = u.id) as accounts
      from users u where u.id = ${userId}`
  const { accounts, ...user } = found
  return { user, accounts }
}

/** Stands in the link that the start prints: whoever reads it has the machine in their hands. */
export const setUpCode = ({ keys }: Pick<App, 'keys'>): string => seal(keys, 'set-up', 'the first owner')

export async function isSetUp(auth: Sql): Promise<boolean> {
  const [found] = await auth<[{ isSetUp: boolean }]>`select exists (select from users) as "isSetUp"`
  return found.isSetUp
}

/** The first owner and their account, once. */
export async function setUp(
  app: App,
  { code, name, email, password, accountName, defaultCountry, ...settings }: z.output<typeof setUpInput>,
  author: Author,
): Promise<{ userId: string }> {
  if (code !== setUpCode(app)) {
    throw unauthorized('This link is not the one that the start printed. Look there, or start again.')
  }
  return app.db.auth.begin(async sql => {
    await sql`select pg_advisory_xact_lock(hashtextextended('overture set-up', 0))`
    if (await isSetUp(sql)) throw conflict('Overture is set up already. Sign in.')
    const user = await createUser(sql, { email, name, password, isEmailVerified: true })
    await insertAccount(
      sql,
      { name: accountName, ownerEmail: user.email, country: defaultCountry, ...settings },
      { ...author, userId: user.id },
    )
    return { userId: user.id }
  }) as Promise<{ userId: string }>
}
