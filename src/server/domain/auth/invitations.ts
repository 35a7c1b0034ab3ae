import { randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../../contract/index.ts'
import type { Role } from '../../../contract/permissions.ts'
import { getPublicUrl } from '../../kernel/config.ts'
import { type App, type Context, inAccount } from '../../kernel/context.ts'
import { decryptToken, encryptToken, type Keys } from '../../kernel/crypto.ts'
import type { Pool, Sql } from '../../kernel/db/database.ts'
import { AppError, conflict, invalid, notFound, unauthorized, unavailable } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { afterCursor, listPage, orderAndLimit } from '../../kernel/page.ts'
import { requireEmail } from '../../protocols/identity/email.ts'
import { stripInvisible } from '../../protocols/identity/text.ts'
import { hashNewPassword, verifyPassword } from '../../protocols/passwords/hash-password.ts'
import { type Author, audit } from '../accounts/audit-log.ts'
import { insertMember, requireRoleAssignable } from '../accounts/members.ts'
import { selectMember } from '../accounts/select-member.ts'
import { insertUser, markEmailVerified } from '../accounts/users.ts'
import { replaceCredentials } from './credentials.ts'
import { lockSession } from './sessions.ts'
import { hasSystemMail, sendSystemMail } from './system-mail.ts'

const LIFETIME_MS = 7 * 86_400_000
const MAX_MAILED_A_DAY = 100
const MAX_NAME_LENGTH = 60

const invitationJson = (sql: Sql) => sql`
  json_strip_nulls(json_build_object(
    'id', i.id,
    'objectType', 'invitation',
    'createdAt', api_time(i.created_at),
    'updatedAt', api_time(i.updated_at),
    'email', i.email,
    'role', i.role,
    'invitedBy', ${sql.unsafe(selectMember('name', 'i.account_id', 'i.invited_by'))},
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
         ${afterCursor(ctx.sql, page, 'i.created_at', 'i.id')}
         ${orderAndLimit(ctx.sql, page, 'i.created_at', 'i.id')}`,
  )

export async function inviteMember(
  ctx: Context,
  { email: address, role }: Input<'inviteMember'>,
): Promise<Output<'inviteMember'>> {
  const { app } = ctx
  const email = requireEmail(address)
  requireRoleAssignable(ctx, role)
  const isMailed = hasSystemMail(app.config)
  const { accountName, ...invitation } = await inAccount(app.db.app, ctx.accountId, sql =>
    saveInvitation({ ...ctx, sql }, { email, role, isMailed }),
  )
  const link = toInvitationLink(app, { ...invitation, accountId: ctx.accountId, isMailed })
  if (!isMailed) return { ...invitation, link }
  await sendSystemMail(app.config, toInvitationMail({ ...invitation, accountName, link })).catch(
    (cause: unknown): never => {
      app.log.error({ err: cause, invitationId: invitation.id }, 'invitations: an email was not sent')
      throw unavailable(
        `The invitation is saved, but the email could not be sent. Check the address and invite ${email} again.`,
        cause,
      )
    },
  )
  return invitation
}

type SavedInvitation = Output<'listInvitations'>['data'][number]

/** Saves an invitation. Replaces an earlier one for the same address, whose link then stops working. */
async function saveInvitation(
  ctx: Context,
  { email, role, isMailed }: { email: string; role: Role; isMailed: boolean },
): Promise<SavedInvitation & { accountName: string }> {
  const { sql, accountId, userId, app } = ctx
  const [member] = await sql`
    select from members m join users u on u.id = m.user_id
     where m.account_id = ${accountId} and u.email = ${email}`
  if (member) throw conflict(`${email} is already a member of this account.`)
  if (isMailed) await checkMailedToday(ctx)
  const id = randomUUIDv7()
  const [saved] = await sql<{ json: SavedInvitation; accountName: string }[]>`
    with i as (
      insert into invitations (account_id, id, email, role, invited_by, expires_at)
      values (${accountId}, ${id}, ${email}, ${role}, ${userId}, ${new Date(app.now().getTime() + LIFETIME_MS)})
      on conflict (account_id, email) do update
         set id = excluded.id, role = excluded.role, invited_by = excluded.invited_by,
             expires_at = excluded.expires_at, created_user_id = null, updated_at = now()
      returning *)
    select ${invitationJson(sql)} as json, a.name as "accountName"
      from i join accounts a on a.id = i.account_id`
  await audit(ctx, `invite as ${role}`, 'invitation', id)
  return { ...saved!.json, accountName: saved!.accountName }
}

/**
 * Limits how many emails an account sends to arbitrary addresses. Holds a lock until the transaction ends, so that
 * concurrent invitations count each other.
 */
async function checkMailedToday({ sql, accountId }: Context): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`invitations ${accountId}`}, 0))`
  const [{ count }] = await sql<[{ count: number }]>`
    select count(*)::int as count from audit_log
     where account_id = ${accountId} and at > now() - interval '24 hours'
       and object_type = 'invitation' and action like 'invite as %'`
  if (count >= MAX_MAILED_A_DAY) {
    throw new AppError(
      'TooManyRequests',
      `This account has sent ${count} invitations in 24 hours. Try again tomorrow.`,
      { retryAfterSeconds: 3600 },
    )
  }
}

function toInvitationMail(invitation: SavedInvitation & { accountName: string; link: string }) {
  const { email, role, link } = invitation
  const accountName = toPlainName(invitation.accountName)
  const inviter = toPlainName(invitation.invitedBy!)
  return {
    to: email,
    // No names here, or anybody could choose the subject of an email from this server.
    subject: 'Invitation to Overture',
    text: `${inviter} invites you to join ${accountName} on Overture, with the role ${role}.

Accept the invitation within 7 days:

${link}

The link is for ${email} and works once. If you don't know ${inviter}, ignore this email.
`,
  }
}

/** Shortens an untrusted name to one line, and removes punctuation that would make mail clients show a link. */
function toPlainName(name: string): string {
  const plain = stripInvisible(name)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    // The last label of a host name has at least two characters, so "S.A." stays as it is.
    .replace(/[.．。｡]+(?=[\p{L}\p{M}\p{N}]{2})|[:/\\@]+(?=\S)/gu, ' ')
    .trim()
  const characters = [...plain]
  return characters.length > MAX_NAME_LENGTH ? `${characters.slice(0, MAX_NAME_LENGTH).join('')}…` : plain
}

const PURPOSE = 'invitation'
const MAILED = 'mailed'

/** Returns the link. Its token includes the delivery method, because only a mailed link verifies the address. */
const toInvitationLink = (
  { keys, config }: App,
  { accountId, id, isMailed }: Pick<Invitation, 'accountId' | 'id' | 'isMailed'>,
): string => {
  const token = encryptToken(keys, PURPOSE, `${accountId} ${id}${isMailed ? ` ${MAILED}` : ''}`)
  return `${getPublicUrl(config)}/invitation?token=${token}`
}

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
  /** True when the link was mailed to the address alone; false when it was shown to the inviter. */
  isMailed: boolean
}

/** Returns the invitation behind a link. Throws NotFound if it is unknown, expired, revoked or already accepted. */
export async function findInvitation(
  auth: Sql,
  keys: Keys,
  { token, now }: { token: string; now: Date },
): Promise<Invitation> {
  const [accountId, id, delivery] = decryptToken(keys, PURPOSE, token)?.split(' ') ?? []
  const [found] =
    accountId && id
      ? await auth<Omit<Invitation, 'isMailed'>[]>`
          select i.account_id as "accountId", i.id, a.name as "accountName", i.email, i.role
            from invitations i
            join accounts a on a.id = i.account_id
           where i.account_id = ${accountId} and i.id = ${id} and i.expires_at > ${now}`
      : []
  if (!found) throw invitationEnded()
  return { ...found, isMailed: delivery === MAILED }
}

const invitationEnded = () =>
  new AppError('NotFound', 'This invitation was already used or revoked, or has expired. Ask for a new one.')

/**
 * Creates a user for the invited address, who then signs in and accepts. An existing user is not changed; the response,
 * its timing and the audit entry are the same, so that they do not reveal that the user exists.
 */
export async function createInvitedUser(
  auth: Pool,
  { accountId, id, email, isMailed }: Invitation,
  { name, password }: { name: string; password: string },
  author: Author,
): Promise<void> {
  const passwordHash = await hashNewPassword(password, [email, name])
  await auth.begin(async sql => {
    const created = await insertUser(sql, { email, name, passwordHash, isEmailVerified: isMailed })
    await sql`
      update invitations set created_user_id = coalesce(${created?.id ?? null}, created_user_id)
       where account_id = ${accountId} and id = ${id}`
    await audit({ ...author, sql, accountId }, 'register', 'invitation', id)
  })
}

/**
 * Makes the signed-in user a member, once. An inviter could have used a link shown to them to register somebody else's
 * address. So a user whose address is unverified, and who was not created by this link, must set a new password, and
 * all their credentials are replaced. A mailed link verifies the address; a link shown to the inviter does not. Returns
 * the hash of the new password, if any.
 */
export async function acceptInvitation(
  auth: Pool,
  invitation: Invitation,
  { session, password }: JoinRequest,
  author: Author,
): Promise<string | undefined> {
  const { accountId, id, role, isMailed } = invitation
  const { userId } = session
  const passwordHash =
    password === undefined ? undefined : await hashNewPassword(password, [invitation.email])
  await auth.begin(async sql => {
    await requireJoinable(sql, invitation, { session, password })
    const accepted = await sql`delete from invitations where account_id = ${accountId} and id = ${id}`
    if (accepted.count === 0) throw invitationEnded()
    await insertMember(sql, { accountId, userId, role })
    await audit({ ...author, sql, accountId }, `join as ${role}`, 'member', userId)
    if (passwordHash) await replaceCredentials(sql, userId, passwordHash, author)
    if (isMailed) await markEmailVerified(sql, userId)
  })
  return passwordHash
}

/** `password` is a new password: required for an unverified user, rejected otherwise. */
type JoinRequest = { session: { id: string; userId: string }; password?: string | undefined }

/** Locks the user and throws if they may not join. */
async function requireJoinable(
  sql: Sql,
  { accountId, id, email }: Invitation,
  { session, password }: JoinRequest,
): Promise<void> {
  await lockSession(sql, session)
  const [user] = await sql<[{ email: string; isTrusted: boolean; passwordHash: string | null }]>`
    select email, password_hash as "passwordHash",
           email_verified_at is not null
             or exists (select from invitations i
                         where i.account_id = ${accountId} and i.id = ${id} and i.created_user_id = users.id)
             as "isTrusted"
      from users where id = ${session.userId}`
  if (user.email !== email) throw unauthorized(`Sign in as ${email} to join.`)
  if (user.isTrusted && password) throw invalid('password', 'must be omitted: you keep your current password')
  if (user.isTrusted) return
  if (!password) {
    throw invalid(
      'password',
      'is required: your email address has not been verified, so choose a new password',
    )
  }
  if (await verifyPassword(user.passwordHash, password)) {
    throw invalid('password', 'must differ from your current password, which someone else may know')
  }
}
