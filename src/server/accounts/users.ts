import { randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../contract/index.ts'
import type { Context } from '../context.ts'
import type { Sql } from '../db.ts'
import { conflict, invalid, notFound } from '../errors.ts'
import { canonicalEmail } from '../identity/email.ts'
import { auditOwn } from './audit-log.ts'
import { hashPassword } from './passwords.ts'

export type User = { id: string; email: string; name: string }

/** A person who may sign in, once a password is set, and have tokens. Conflict when the address is taken. */
export async function createUser(
  auth: Sql,
  { email, name, password }: { email: string; name: string; password?: string | undefined },
): Promise<User> {
  const passwordHash = password === undefined ? null : await hashPassword(password)
  const address = readEmail(email)
  const [user] = await auth<User[]>`
    insert into users (id, email, name, password_hash)
    values (${randomUUIDv7()}, ${address}, ${name}, ${passwordHash})
    on conflict (email) do nothing
 returning id, email, name`
  if (!user) throw conflict(`There already is a user with the address ${address}.`)
  return user
}

/** By address, in any spelling; NotFound when there is none. */
export async function findUser(auth: Sql, email: string): Promise<User> {
  const [user] = await auth<User[]>`select id, email, name from users where email = ${readEmail(email)}`
  if (!user) throw notFound(`user as ${email}`)
  return user
}

/** Undefined when there is none. */
export async function findUserById(auth: Sql, id: string): Promise<User | undefined> {
  const [user] = await auth<User[]>`select id, email, name from users where id = ${id}`
  return user
}

function readEmail(text: string): string {
  const email = canonicalEmail(text)
  if (!email) throw invalid('email', 'is no email address')
  return email
}

/** Makes what changes a user's credentials wait its turn, so that each sees what the one before it did. */
export const lockUser = (sql: Sql, userId: string) =>
  sql`select from users where id = ${userId} for no key update`

/** From here on the transaction sees what belongs to its user alone. */
export const asUser = ({ sql, userId }: Context) => sql`select set_config('app.user_id', ${userId}, true)`

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
