import type { Role } from '../../../contract/permissions.ts'
import type { Pool, Sql } from '../../kernel/db/database.ts'
import { conflict, notFound } from '../../kernel/errors.ts'
import { type Author, audit } from './audit-log.ts'
import { findUser, findVerifiedUser } from './users.ts'

export type Member = { accountId: string; userId: string; email: string; role: Role }

/** Adds a member. Throws Conflict when the user is already a member or their address is unverified. */
export const addMember = (
  auth: Pool,
  { accountId, email, role }: { accountId: string; email: string; role: Role },
  author: Author,
): Promise<Member> =>
  auth.begin(async sql => {
    const user = await findVerifiedUser(sql, email)
    const [added] = await sql`
      insert into members (account_id, user_id, role)
      values (${accountId}, ${user.id}, ${role})
      on conflict do nothing
   returning role`
    if (!added) throw conflict(`${user.email} is already a member of this account.`)
    await audit({ ...author, sql, accountId }, `add as ${role}`, 'member', user.id)
    return { accountId, userId: user.id, email: user.email, role }
  }) as Promise<Member>

/** Changes a member's role. Throws Conflict when the account would be left without an owner. */
export const setRole = (
  auth: Pool,
  { accountId, email, role }: { accountId: string; email: string; role: Role },
  author: Author,
): Promise<Member> =>
  auth.begin(async sql => {
    const user = await findUser(sql, email)
    // Locks the owners, so that two of them can't step down simultaneously.
    const owners = await sql<{ userId: string }[]>`
      select user_id as "userId" from members where account_id = ${accountId} and role = 'owner'
       order by user_id for update`
    if (role !== 'owner' && owners.length === 1 && owners[0]?.userId === user.id) {
      throw conflict(`${user.email} is the only owner of this account. Make someone else an owner first.`)
    }
    const [changed] = await sql`
      update members set role = ${role}, updated_at = now()
       where account_id = ${accountId} and user_id = ${user.id}
   returning role`
    if (!changed) throw notFound(`member as ${user.email}`)
    await audit({ ...author, sql, accountId }, `make ${role}`, 'member', user.id)
    return { accountId, userId: user.id, email: user.email, role }
  }) as Promise<Member>

/** Returns the ID of the longest-standing owner; undefined when the account has none. */
export async function findFirstOwner(auth: Sql, accountId: string): Promise<string | undefined> {
  const [owner] = await auth<{ userId: string }[]>`
    select user_id as "userId" from members
     where account_id = ${accountId} and role = 'owner'
     order by created_at, user_id limit 1`
  return owner?.userId
}

export async function isMember(auth: Sql, accountId: string, userId: string): Promise<boolean> {
  const [member] = await auth`select from members where account_id = ${accountId} and user_id = ${userId}`
  return member !== undefined
}
