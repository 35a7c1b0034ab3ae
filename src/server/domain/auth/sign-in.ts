import type { z } from 'zod'
import type { session, setUp as setUpInput, signInMethods } from '../../../contract/sign-in.ts'
import type { App } from '../../kernel/context.ts'
import { signToken } from '../../kernel/crypto.ts'
import type { Pool, Sql } from '../../kernel/db/database.ts'
import { conflict, unauthorized } from '../../kernel/errors.ts'
import { canonicalEmail } from '../../protocols/identity/email.ts'
import { hashNewPassword, verifyPassword } from '../../protocols/passwords/hash-password.ts'
import { insertAccount } from '../accounts/accounts.ts'
import { type Author, auditUser } from '../accounts/audit-log.ts'
import { createUser, readEmailAndName } from '../accounts/users.ts'
import { countRecoveryCodes } from './authenticator-app.ts'
import { revokeTokensAndApps, writePassword } from './credentials.ts'
import { findOwnProvider } from './provider-sign-in.ts'
import { lockSession } from './sessions.ts'

/** Returns the rate-limit key of an address, the same for every spelling. */
export const toUserKey = (email: string): string => canonicalEmail(email) ?? email.toLowerCase()

/**
 * An authenticated user, with the password hash at that time. Once the password has changed, no session may be created.
 */
export type AuthenticatedUser = { userId: string; passwordHash: string | null }

export async function readAuthenticatedUser(auth: Sql, userId: string): Promise<AuthenticatedUser> {
  const [user] = await auth<[{ passwordHash: string | null }]>`
    select password_hash as "passwordHash" from users where id = ${userId}`
  return { userId, passwordHash: user.passwordHash }
}

/** Returns the user with that address and password. Throws the same error after the same time for every failure. */
export async function checkPassword(auth: Sql, email: string, password: string): Promise<AuthenticatedUser> {
  const [user] = await auth<{ id: string; passwordHash: string | null }[]>`
    select id, password_hash as "passwordHash" from users where email = ${canonicalEmail(email) ?? ''}`
  if (!(await verifyPassword(user?.passwordHash, password)) || !user) {
    throw unauthorized('Incorrect email address or password.')
  }
  return { userId: user.id, passwordHash: user.passwordHash }
}

export async function isOwnPassword(auth: Sql, userId: string, password: string): Promise<boolean> {
  const [user] = await auth<{ passwordHash: string | null }[]>`
    select password_hash as "passwordHash" from users where id = ${userId}`
  return verifyPassword(user?.passwordHash, password)
}

/** Sets the password of an authenticated user and ends their sessions. */
export async function changePassword(
  auth: Pool,
  session: { id: string; userId: string },
  { newPassword, ...options }: { newPassword: string; revokeTokensAndApps?: boolean | undefined },
  author: Author,
): Promise<AuthenticatedUser> {
  const { userId } = session
  const passwordHash = await hashNewPassword(newPassword, await readEmailAndName(auth, userId))
  await auth.begin(async sql => {
    await lockSession(sql, session)
    await writePassword(sql, userId, passwordHash)
    if (options.revokeTokensAndApps) await revokeTokensAndApps(sql, userId, author)
    await auditUser(sql, userId, author, 'change_password')
  })
  return { userId, passwordHash }
}

type OwnSignIn = z.output<typeof signInMethods>

/** Returns the ways in which the user can sign in. */
export async function readOwnSignIn(auth: Sql, userId: string): Promise<OwnSignIn> {
  const [user] = await auth<[Pick<OwnSignIn, 'hasPassword' | 'passkeys'>]>`
    select password_hash is not null as "hasPassword",
           (select coalesce(json_agg(json_strip_nulls(json_build_object(
                     'id', id,
                     'name', name,
                     'createdAt', api_time(created_at),
                     'lastUsedAt', api_time(last_used_at))) order by created_at, id), '[]')
              from passkeys where user_id = u.id) as passkeys
      from users u where id = ${userId}`
  const recoveryCodesLeft = await countRecoveryCodes(auth, userId)
  const own = await findOwnProvider(auth, userId)
  const isAvailable: Record<OwnSignIn['confirmWays'][number], boolean> = {
    password: user.hasPassword,
    passkey: user.passkeys.length > 0,
    code: recoveryCodesLeft !== undefined,
    single_sign_on: own !== undefined,
  }
  const confirmWays = (Object.keys(isAvailable) as (keyof typeof isAvailable)[]).filter(
    way => isAvailable[way] && (way === 'single_sign_on' || !own?.isOnlyMethod),
  )
  return { ...user, recoveryCodesLeft, confirmWays }
}

/** Returns the user and their accounts. */
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

/** Returns the code of the setup link, which the server prints when it starts. */
export const getSetupCode = ({ keys }: Pick<App, 'keys'>): string =>
  signToken(keys, 'set-up', 'the first owner')

export async function isSetUp(auth: Sql): Promise<boolean> {
  const [found] = await auth<[{ isSetUp: boolean }]>`select exists (select from users) as "isSetUp"`
  return found.isSetUp
}

/** Creates the first owner and their account. Throws Conflict if a user already exists. */
export async function setUp(
  app: App,
  { code, name, email, password, accountName, defaultCountry, ...settings }: z.output<typeof setUpInput>,
  author: Author,
): Promise<{ userId: string }> {
  if (code !== getSetupCode(app)) {
    throw unauthorized('This setup link is not valid. Use the one that the server printed when it started.')
  }
  return app.db.auth.begin(async sql => {
    await sql`select pg_advisory_xact_lock(hashtextextended('overture set-up', 0))`
    if (await isSetUp(sql)) throw conflict('Overture is already set up. Sign in.')
    const user = await createUser(sql, { email, name, password, isEmailVerified: true })
    await insertAccount(
      sql,
      { name: accountName, ownerEmail: user.email, country: defaultCountry, ...settings },
      { ...author, userId: user.id },
    )
    return { userId: user.id }
  }) as Promise<{ userId: string }>
}
