import { randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { conflict, invalid, notFound } from '../../kernel/errors.ts'
import { canonicalEmail } from '../../protocols/identity/email.ts'
import { hashNewPassword } from '../../protocols/passwords/hash-password.ts'
import { auditOwn } from './audit-log.ts'

export type User = { id: string; email: string; name: string }

type NewUser = {
  email: string
  name: string
  password?: string | undefined
  /**
   * Whether it is proven that the address is this person's: by a link that was mailed to it, by single sign-on, or by
   * whoever runs the server, who can read the database anyway. False when unsure: see `acceptInvitation`.
   */
  isEmailVerified: boolean
}

/** A person who may sign in, once a password is set, and have tokens. Conflict when the address is taken. */
export async function createUser(auth: Sql, { password, ...user }: NewUser): Promise<User> {
  const passwordHash =
    password === undefined ? null : await hashNewPassword(password, [user.email, user.name])
  const email = readEmail(user.email)
  const created = await insertUser(auth, { ...user, email, passwordHash })
  if (!created) throw conflict(`There already is a user with the address ${email}.`)
  return created
}

/** Undefined when the address is taken. */
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

/** Returns the user's name and address, which no password may be built from; empty when the user is gone. */
export async function readNames(auth: Sql, userId: string): Promise<string[]> {
  const [user] = await auth<User[]>`select id, email, name from users where id = ${userId}`
  return user ? [user.email, user.name] : []
}

/** By address, in any spelling; NotFound when there is none. */
export async function findUser(auth: Sql, email: string): Promise<User> {
  const [user] = await auth<User[]>`select id, email, name from users where email = ${readEmail(email)}`
  if (!user) throw notFound(`user as ${email}`)
  return user
}

/**
 * The same, for whoever runs the server to give access to an account. Conflict when it was never proven that the address
 * is the user's: somebody else may hold API tokens and passkeys in that name, which would act in the account too.
 */
export async function findVerifiedUser(auth: Sql, email: string): Promise<User> {
  const user = await findUser(auth, email)
  const [verified] = await auth`select from users where id = ${user.id} and email_verified_at is not null`
  if (!verified) {
    throw conflict(
      `It was never proven that ${user.email} belongs to this user. Let them set a new password first: overture user reset-password --email ${user.email}`,
    )
  }
  return user
}

/** Undefined when there is none. */
export async function findUserById(auth: Sql, id: string): Promise<User | undefined> {
  const [user] = await auth<User[]>`select id, email, name from users where id = ${id}`
  return user
}

function readEmail(text: string): string {
  const email = canonicalEmail(text)
  if (!email) throw invalid('email', 'must be a valid email address')
  return email
}

/** Makes what changes a user's credentials wait its turn, so that each sees what the one before it did. */
export const lockUser = (sql: Sql, userId: string) =>
  sql`select from users where id = ${userId} for no key update`

/** From here on the transaction sees what belongs to its user alone. */
export const asUser = ({ sql, userId }: Context) => sql`select set_config('app.user_id', ${userId}, true)`

/** Stores the hash of a new password; null leaves the user without one. */
export const setPasswordHash = (sql: Sql, userId: string, passwordHash: string | null) =>
  sql`update users set password_hash = ${passwordHash}, updated_at = now() where id = ${userId}`

/** Records that the address is the user's own. What was made before the proof must have ended in the same transaction. */
export const markEmailVerified = (sql: Sql, userId: string) => sql`
  update users set email_verified_at = now(), updated_at = now()
   where id = ${userId} and email_verified_at is null`

export async function updateUser(ctx: Context, { name }: Input<'updateUser'>): Promise<Output<'updateUser'>> {
  await asUser(ctx)
  await ctx.sql`update users set name = ${name}, updated_at = now() where id = ${ctx.userId}`
  await auditOwn(ctx, 'update', 'user', ctx.userId)
  const [user] = await ctx.sql<{ json: Output<'updateUser'> }[]>`
    select json_build_object(
             'id', id,
             'objectType', 'user',
             'createdAt', api_time(created_at),
             'updatedAt', api_time(updated_at),
             'email', email,
             'name', name) as json
      from users where id = ${ctx.userId}`
  return user!.json
}
