import { randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../contract/index.ts'
import type { Role } from '../../contract/permissions.ts'
import { publicUrlOf } from '../config.ts'
import type { Context } from '../context.ts'
import { decryptToken, encryptToken, type Keys } from '../crypto.ts'
import type { Pool, Sql } from '../db.ts'
import { AppError, conflict, invalid, notFound } from '../errors.ts'
import { canonicalEmail } from '../identity/email.ts'
import type { Json } from '../json.ts'
import { fromCursor, inOrder, listPage } from '../page.ts'
import { type Author, audit } from './audit-log.ts'
import { mayManage } from './manage-members.ts'
import { createUser, type User } from './users.ts'

const LIFETIME_MS = 7 * 86_400_000

const invitationJson = (sql: Sql) => sql`
  json_strip_nulls(json_build_object(
    'id', i.id,
    'objectType', 'invitation',
    'createdAt', api_time(i.created_at),
    'updatedAt', api_time(i.updated_at),
    'email', i.email,
    'role', i.role,
    'invitedBy', (select u.name from users u where u.id = i.invited_by),
    'expiresAt', api_time(i.expires_at)))`

export const listInvitations = (
  ctx: Context,
  input: Input<'listInvitations'>,
): Promise<Json<Output<'listInvitations'>>> =>
  listPage(
    ctx,
    'listInvitations',
    input,
    page => ctx.sql`
      select i.id, api_time(i.created_at) as at, ${invitationJson(ctx.sql)}::text as json
        from invitations i
       where i.account_id = s.account_id and i.expires_at > ${ctx.app.now()}
         ${fromCursor(ctx.sql, page, 'i.created_at', 'i.id')}
         ${inOrder(ctx.sql, page, 'i.created_at', 'i.id')}`,
  )

export async function inviteMember(
  ctx: Context,
  { email: given, role }: Input<'inviteMember'>,
): Promise<Output<'inviteMember'>> {
  const { sql, accountId, userId, app } = ctx
  const email = canonicalEmail(given)
  if (!email) throw invalid('email', 'is no email address')
  mayManage(ctx, role)
  const [member] = await sql`
    select from members m join users u on u.id = m.user_id
     where m.account_id = ${accountId} and u.email = ${email}`
  if (member) throw conflict(`${email} is in this account already.`)
  const id = randomUUIDv7()
  const [made] = await sql<{ json: Omit<Output<'inviteMember'>, 'link'> }[]>`
    with i as (
      insert into invitations (account_id, id, email, role, invited_by, expires_at)
      values (${accountId}, ${id}, ${email}, ${role}, ${userId}, ${new Date(app.now().getTime() + LIFETIME_MS)})
      on conflict (account_id, email) do update
         set id = excluded.id, role = excluded.role, invited_by = excluded.invited_by,
             expires_at = excluded.expires_at, updated_at = now()
      returning *)
    select ${invitationJson(sql)} as json from i`
  await audit(ctx, `invite as ${role}`, 'invitation', id)
  const token = encryptToken(app.keys, PURPOSE, `${accountId} ${id}`)
  return { ...made!.json, link: `${publicUrlOf(app.config)}/invitation?token=${token}` }
}

const PURPOSE = 'invitation'

export async function revokeInvitation(
  ctx: Context,
  { invitationId }: Input<'revokeInvitation'>,
): Promise<Output<'revokeInvitation'>> {
  const revoked = await ctx.sql`
    delete from invitations where account_id = ${ctx.accountId} and id = ${invitationId}`
  if (revoked.count === 0) throw notFound('invitation')
  await audit(ctx, 'revoke', 'invitation', invitationId)
  return { ok: true }
}

export type Invitation = {
  accountId: string
  id: string
  accountName: string
  email: string
  role: Role
  /** Who has that address already. */
  userId: string | null
}

/** What a link invites to; NotFound when it is none of ours, is over, or was taken back or up. */
export async function findInvitation(
  auth: Sql,
  keys: Keys,
  { token, now }: { token: string; now: Date },
): Promise<Invitation> {
  const [accountId, id] = decryptToken(keys, PURPOSE, token)?.split(' ') ?? []
  const [found] =
    accountId && id
      ? await auth<Invitation[]>`
          select i.account_id as "accountId", i.id, a.name as "accountName", i.email, i.role, u.id as "userId"
            from invitations i
            join accounts a on a.id = i.account_id
            left join users u on u.email = i.email
           where i.account_id = ${accountId} and i.id = ${id} and i.expires_at > ${now}`
      : []
  if (!found) throw notFound('invitation any more: ask for a new one')
  return found
}

/**
 * Makes the invited one a member, once. `user` is who is signed in; without one a new user is made, which only an
 * address that nobody has yet can become. Gives the user back.
 */
export const acceptInvitation = (
  auth: Pool,
  { accountId, id, email, role, userId }: Invitation,
  { user, made }: { user?: { id: string }; made?: { name: string; password: string } },
  author: Author,
): Promise<{ userId: string }> =>
  auth.begin(async sql => {
    if (userId !== null && user?.id !== userId) {
      throw new AppError(
        'Unauthorized',
        `There is a user with the address ${email}. Sign in as that one first.`,
      )
    }
    if (userId === null && !made) throw invalid('password', 'is required, and so is a name')
    const member: Pick<User, 'id'> = userId === null ? await createUser(sql, { email, ...made! }) : user!
    const taken = await sql`delete from invitations where account_id = ${accountId} and id = ${id}`
    if (taken.count === 0) throw notFound('invitation any more: ask for a new one')
    await sql`
      insert into members (account_id, user_id, role) values (${accountId}, ${member.id}, ${role})
      on conflict do nothing`
    await audit({ ...author, sql, accountId, userId: member.id }, `join as ${role}`, 'member', member.id)
    return { userId: member.id }
  }) as Promise<{ userId: string }>
