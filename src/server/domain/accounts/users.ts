import { randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../../contract/index.ts'
import type { Role } from '../../../contract/permissions.ts'
import type { Context } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { conflict, notFound } from '../../kernel/errors.ts'
import { requireEmail } from '../../protocols/identity/email.ts'
import { hashNewPassword } from '../../protocols/passwords/hash-password.ts'
import { auditInAllAccounts } from './audit-log.ts'

export type User = { id: string; email: string; name: string }

type NewUser = {
  email: string
  name: string
  password?: string | undefined
  /**
   * True when the address is verified: by a link mailed to it, by single sign-on, or by the server's administrator, who
   * can read the database anyway. False when in doubt; see `acceptInvitation`.
   */
  isEmailVerified: boolean
}

/** Creates a user, who can sign in once a password is set. Throws Conflict when the address is in use. */
export async function createUser(auth: Sql, { password, ...user }: NewUser): Promise<User> {
  const passwordHash =
    password === undefined ? null : await hashNewPassword(password, [user.email, user.name])
  const email = requireEmail(user.email)
  const created = await insertUser(auth, { ...user, email, passwordHash })
  if (!created) throw conflict(`A user with the email address ${email} already exists.`)
  return created
}

/** Inserts a user. Returns undefined when the address is in use. */
export async function insertUser(
  auth: Sql,
  { email, name, passwordHash, isEmailVerified }: Omit<NewUser, 'password'> & { passwordHash: string | null },
): Promise<User | undefined> {
  const [user] = await auth<User[]>`
    insert into users (id, email, name, password_hash, email_verified_at)
    values (${randomUUIDv7()}, ${email}, ${name}, ${passwordHash}, case when ${isEmailVerified} then now() end)
    on conflict (email) do nothing
 returning id, email, name`
  return user
}

/** Returns the user's address and name, which a password must not contain; empty when the user no longer exists. */
export async function readEmailAndName(auth: Sql, userId: string): Promise<string[]> {
  const [user] = await auth<User[]>`select id, email, name from users where id = ${userId}`
  return user ? [user.email, user.name] : []
}

/** A user as shown to the installation's administrator. */
export type UserSummary = User & {
  isEmailVerified: boolean
  createdAt: Date
  accounts: { id: string; name: string; role: Role }[]
}

/** Lists all users, oldest first. */
export const listUsers = (auth: Sql) => auth<UserSummary[]>`
  select u.id, u.email, u.name, u.email_verified_at is not null as "isEmailVerified", u.created_at as "createdAt",
         coalesce(json_agg(json_build_object('id', a.id, 'name', a.name, 'role', m.role) order by a.name, a.id)
                    filter (where a.id is not null), '[]') as accounts
    from users u
    left join members m on m.user_id = u.id
    left join accounts a on a.id = m.account_id
   group by u.id
   order by u.created_at, u.id`

/** Finds a user by email address, in any spelling. Throws NotFound if there is none. */
export async function findUser(auth: Sql, email: string): Promise<User> {
  const [user] = await auth<User[]>`select id, email, name from users where email = ${requireEmail(email)}`
  if (!user) throw notFound(`user as ${email}`)
  return user
}

/**
 * Finds the user to be given access to an account from the command line. Throws Conflict when their address is
 * unverified: someone else may hold API tokens and passkeys of that user, which would gain access too.
 */
export async function findVerifiedUser(auth: Sql, email: string): Promise<User> {
  const user = await findUser(auth, email)
  const [verified] = await auth`select from users where id = ${user.id} and email_verified_at is not null`
  if (!verified) {
    throw conflict(
      `The email address ${user.email} is not verified. Have the user set a new password first: overture user reset-password --email ${user.email}`,
    )
  }
  return user
}

export async function findUserById(auth: Sql, id: string): Promise<User | undefined> {
  const [user] = await auth<User[]>`select id, email, name from users where id = ${id}`
  return user
}

/** Locks the user, so that changes to their credentials run one after the other. */
export const lockUser = (sql: Sql, userId: string) =>
  sql`select from users where id = ${userId} for no key update`

/** Restricts the rest of the transaction to rows of the request's user. */
export const asUser = ({ sql, userId }: Context) => sql`select set_config('app.user_id', ${userId}, true)`

/** Stores the hash of a new password; null leaves the user without a password. */
export const setPasswordHash = (sql: Sql, userId: string, passwordHash: string | null) =>
  sql`update users set password_hash = ${passwordHash}, updated_at = now() where id = ${userId}`

/** Marks the address as verified. Credentials older than the verification must be revoked in the same transaction. */
export const markEmailVerified = (sql: Sql, userId: string) => sql`
  update users set email_verified_at = now(), updated_at = now()
   where id = ${userId} and email_verified_at is null`

export async function updateUser(ctx: Context, { name }: Input<'updateUser'>): Promise<Output<'updateUser'>> {
  const { sql, userId } = ctx
  await asUser(ctx)
  if (name !== undefined) {
    await sql`update users set name = ${name}, updated_at = now() where id = ${userId}`
    await auditInAllAccounts(ctx, 'update', 'user', userId)
  }
  const [user] = await sql<{ json: Output<'updateUser'> }[]>`
    select json_build_object(
             'id', u.id,
             'objectType', 'user',
             'createdAt', api_time(u.created_at),
             'updatedAt', api_time(u.updated_at),
             'email', u.email,
             'name', u.name) as json
      from users u
     where u.id = ${userId}`
  return user!.json
}
