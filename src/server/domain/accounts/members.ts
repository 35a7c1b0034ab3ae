import type { Input, Output } from '../../../contract/index.ts'
import type { Role } from '../../../contract/permissions.ts'
import { type Context, requireRecentSignIn, requireSession } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { AppError, conflict, notFound } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { afterCursor, listPage, orderAndLimit } from '../../kernel/page.ts'
import { forgetAccessAfterCommit } from './access-cache.ts'
import { audit } from './audit-log.ts'

const memberJson = (sql: Sql): Fragment => sql`
  json_build_object(
    'id', u.id,
    'objectType', 'member',
    'createdAt', api_time(m.created_at),
    'updatedAt', api_time(m.updated_at),
    'email', u.email,
    'name', u.name,
    'role', m.role)`

export const listMembers = (
  ctx: Context,
  input: Input<'listMembers'>,
): Promise<Json<Output<'listMembers'>>> =>
  listPage(
    ctx,
    'listMembers',
    input,
    page => ctx.sql`
      select m.user_id as id, api_time(m.created_at) as at,
             (select ${memberJson(ctx.sql)}::text from users u where u.id = m.user_id) as json
        from members m
       where m.account_id = s.account_id
         ${afterCursor(ctx.sql, page, 'm.created_at', 'm.user_id')}
         ${orderAndLimit(ctx.sql, page, 'm.created_at', 'm.user_id')}`,
  )

/**
 * Throws Forbidden if the caller may not assign the role. Assigning admin or owner requires a recent sign-in: these
 * roles manage members, so a stolen token or an unattended browser could otherwise create lasting access.
 */
export function requireRoleAssignable(ctx: Context, role: Role): void {
  requireRoleManageable(ctx, role)
  if (role !== 'admin' && role !== 'owner') return
  requireSession(ctx, `make a member an ${role}`)
  requireRecentSignIn(ctx, ctx.app.now())
}

/** Throws Forbidden unless the caller may manage members with this role: only owners manage owners. */
function requireRoleManageable(ctx: Context, role: Role): void {
  if (role === 'owner' && ctx.role !== 'owner') {
    throw new AppError(
      'Forbidden',
      'Only an owner can add, change or remove an owner (Account.ManageMembers).',
    )
  }
}

/** Adds a member. Returns false when the user is already a member. */
export async function insertMember(
  sql: Sql,
  { accountId, userId, role }: { accountId: string; userId: string; role: Role },
): Promise<boolean> {
  const { count } = await sql`
    insert into members (account_id, user_id, role) values (${accountId}, ${userId}, ${role})
    on conflict do nothing`
  return count === 1
}

export async function updateMember(
  ctx: Context,
  { memberId, role }: Input<'updateMember'>,
): Promise<Output<'updateMember'>> {
  const { sql, accountId } = ctx
  requireRoleAssignable(ctx, role)
  await lockOwners(ctx, memberId, role === 'owner')
  await sql`
    update members set role = ${role}, updated_at = now() where account_id = ${accountId} and user_id = ${memberId}`
  await audit(ctx, `make ${role}`, 'member', memberId)
  forgetAccessAfterCommit(ctx)
  const [changed] = await sql<{ json: Output<'updateMember'> }[]>`
    select ${memberJson(sql)} as json
      from members m join users u on u.id = m.user_id
     where m.account_id = ${accountId} and m.user_id = ${memberId}`
  return changed!.json
}

export async function removeMember(
  ctx: Context,
  { memberId }: Input<'removeMember'>,
): Promise<Output<'removeMember'>> {
  await lockOwners(ctx, memberId, false)
  await ctx.sql`
    insert into former_members (account_id, user_id, email, name)
    select ${ctx.accountId}, id, email, name from users where id = ${memberId}
    on conflict (account_id, user_id) do update set email = excluded.email, name = excluded.name`
  await ctx.sql`delete from members where account_id = ${ctx.accountId} and user_id = ${memberId}`
  await audit(ctx, 'remove', 'member', memberId)
  forgetAccessAfterCommit(ctx)
  return { ok: true }
}

/** Locks the owners, so that two of them can't step down simultaneously. Throws Conflict if no owner would be left. */
async function lockOwners(ctx: Context, memberId: string, staysOwner: boolean): Promise<void> {
  const members = await ctx.sql<{ id: string; role: Role }[]>`
    select user_id as id, role from members
     where account_id = ${ctx.accountId} and (role = 'owner' or user_id = ${memberId})
     order by user_id for update`
  const member = members.find(({ id }) => id === memberId)
  if (!member) throw notFound('member')
  requireRoleManageable(ctx, member.role)
  const isLast = members.every(({ id, role }) => id === memberId || role !== 'owner')
  if (member.role === 'owner' && !staysOwner && isLast) {
    throw conflict('This is the only owner of the account. Make someone else an owner first.')
  }
}
