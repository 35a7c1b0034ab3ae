import type { Input, Output } from '../../../contract/index.ts'
import {
  defaultDigestHour,
  getDefaultChoice,
  type NotificationChoice,
  type NotificationKind,
  notificationKinds,
} from '../../../contract/notifications.ts'
import type { Role } from '../../../contract/permissions.ts'
import { type Context, withAccount } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { invalid } from '../../kernel/errors.ts'
import { isTimezone } from '../../protocols/identity/timezone.ts'
import { audit } from '../accounts/audit-log.ts'
import { asUser } from '../accounts/users.ts'
import { hasSystemMail } from '../auth/system-mail.ts'

const MAX_MEMBERS = 500

type Kinds = { [kind in NotificationKind]?: Partial<NotificationChoice> | undefined }
export type Choices = Record<NotificationKind, NotificationChoice>

/** Returns a member's choices: the stored ones, or else the defaults of the role. */
export const toChoices = (role: Role, kinds: Kinds): Choices =>
  Object.fromEntries(
    notificationKinds.map(kind => [kind, { ...getDefaultChoice(kind, role), ...kinds[kind] }]),
  ) as Choices

export async function getNotificationSettings(ctx: Context): Promise<Output<'getNotificationSettings'>> {
  const { sql, userId, role, app } = ctx
  const [row] = await sql<
    { kinds: Kinds; digestHour: number; timezone: string; isAccountTimezone: boolean }[]
  >`
    select n.*
      from ${withAccount(ctx)}
     cross join lateral (
       select coalesce(n.kinds, '{}') as kinds, coalesce(n.digest_hour, ${defaultDigestHour}) as "digestHour",
              coalesce(n.timezone, a.timezone) as timezone, n.timezone is null as "isAccountTimezone"
         from accounts a
         left join notification_settings n on n.account_id = a.id and n.user_id = ${userId}
        where a.id = s.account_id) n`
  const { kinds, ...digest } = row!
  return {
    objectType: 'notification_settings',
    kinds: toChoices(role, kinds),
    ...digest,
    canEmail: hasSystemMail(app.config),
  }
}

export async function updateNotificationSettings(
  ctx: Context,
  { kinds = {}, digestHour, timezone }: Input<'updateNotificationSettings'>,
): Promise<Output<'updateNotificationSettings'>> {
  const { sql, accountId, userId } = ctx
  if (timezone && !isTimezone(timezone))
    throw invalid('timezone', 'must be an IANA time zone, such as Europe/Lisbon')
  await asUser(ctx)
  await sql`
    insert into notification_settings (account_id, user_id) values (${accountId}, ${userId})
    on conflict do nothing`
  const [before] = await sql<{ kinds: Kinds }[]>`
    select kinds from notification_settings where account_id = ${accountId} and user_id = ${userId} for update`
  const merged = Object.fromEntries(
    notificationKinds.map(kind => [kind, { ...before!.kinds[kind], ...kinds[kind] }]),
  )
  const changes = {
    kinds: sql.json(merged),
    ...(digestHour !== undefined && { digest_hour: digestHour }),
    ...(timezone !== undefined && { timezone }),
    updated_at: sql`now()`,
  }
  await sql`
    update notification_settings set ${sql.assignments(changes)}
     where account_id = ${accountId} and user_id = ${userId}`
  await audit(ctx, 'update', 'notification_settings', userId)
  return getNotificationSettings(ctx)
}

export type Recipient = {
  userId: string
  role: Role
  choices: Choices
  digestHour: number
  timezone: string
}

/** Lists an account's members with their choices. */
export async function listRecipients(tx: Sql, accountId: string): Promise<Recipient[]> {
  const rows = await tx<(Omit<Recipient, 'choices'> & { kinds: Kinds })[]>`
    select m.user_id as "userId", m.role, coalesce(n.kinds, '{}') as kinds,
           coalesce(n.digest_hour, ${defaultDigestHour}) as "digestHour", coalesce(n.timezone, a.timezone) as timezone
      from members m
      join accounts a on a.id = m.account_id
      left join notification_settings n on n.account_id = m.account_id and n.user_id = m.user_id
     where m.account_id = ${accountId}
     order by m.created_at, m.user_id
     limit ${MAX_MEMBERS}`
  return rows.map(({ kinds, ...row }) => ({ ...row, choices: toChoices(row.role, kinds) }))
}
