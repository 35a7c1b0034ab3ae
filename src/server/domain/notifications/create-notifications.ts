import { type NotificationKind, notificationKinds } from '../../../contract/notifications.ts'
import { roles as allRoles, getPermissionScope, type Role } from '../../../contract/permissions.ts'
import { type App, inAccount } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { getExpiryCutoff } from '../calls/call-requests.ts'
import { listRecipients, type Recipient } from './notification-settings.ts'
import { queueDigests, queueEmails } from './queue-emails.ts'

/** Used in place of a user's ID to let a transaction see the notifications of all members. */
const EVERYBODY = '00000000-0000-0000-0000-000000000000'
const RETENTION_DAYS = 30
/** Limits the new notifications per event query; the next check creates the rest. */
const MAX_PER_QUERY = 500

/** Runs work on the notifications of all members of an account. */
export const withAllNotifications = <T>(
  app: App,
  accountId: string,
  work: (tx: Sql) => Promise<T>,
): Promise<T> =>
  inAccount(app.db.work, accountId, async tx => {
    await tx`select set_config('app.user_id', ${EVERYBODY}, true)`
    return work(tx)
  })

/**
 * Notifies members of new events, marks notifications as read once their cause is gone, and queues the emails that are
 * due. Uses a single transaction, so that an engine that is killed leaves nothing half done. Only one such
 * transaction runs at a time per account.
 */
export const createNotifications = (app: App, accountId: string): Promise<void> =>
  withAllNotifications(app, accountId, async tx => {
    const now = app.now()
    await tx`select pg_advisory_xact_lock(hashtextextended(${`notifications ${accountId}`}, 0))`
    const recipients = await listRecipients(tx, accountId)
    await insertNotifications(tx, accountId, recipients, now)
    await resolveNotifications(tx, accountId, now)
    await deleteOldNotifications(tx, accountId, now)
    await queueEmails(tx, accountId, now)
    await queueDigests(tx, accountId, recipients, now)
  })

/** Inserts the missing notifications: one for each event and member who wants it. */
async function insertNotifications(
  tx: Sql,
  accountId: string,
  recipients: Recipient[],
  now: Date,
): Promise<void> {
  const wanted = recipients.flatMap(({ userId, role, choices }) =>
    notificationKinds.flatMap(kind => {
      const { isInApp, email } = choices[kind]
      const isMailed = email === 'at_once'
      return isInApp || isMailed ? [{ userId, role, kind, isInApp, isMailed }] : []
    }),
  )
  if (wanted.length === 0) return
  const since = new Date(now.getTime() - 24 * 3_600_000)
  // `offset 0` computes the keys first. Otherwise, row-level security prevents looking them up in the index.
  const missing = Object.values(events)
    .map(
      select => tx`
        (select w."userId", e.kind, e.event_key, e.object_type, e.object_id, e.title, e.text, w."isInApp", w."isMailed"
           from (${select(tx, { accountId, since, now })} offset 0)
                  e (kind, event_key, object_type, object_id, title, text, user_ids, roles)
           join wanted w on w.kind = e.kind and (w."userId" = any(e.user_ids) or w.role = any(e.roles))
          where not exists (select from notifications n
                             where n.account_id = ${accountId} and n.user_id = w."userId" and n.event_key = e.event_key)
          limit ${MAX_PER_QUERY})`,
    )
    .reduce((all, select) => tx`${all} union all ${select}`)
  await tx`
    with wanted as (
      select *
        from jsonb_to_recordset(${tx.json(wanted)})
               w ("userId" uuid, role text, kind text, "isInApp" boolean, "isMailed" boolean))
    insert into notifications (account_id, id, user_id, kind, event_key, object_type, object_id, title, text, is_in_app,
                               is_mailed, created_at)
    select ${accountId}, new_id(), "userId", kind, event_key, object_type, object_id, title, text, "isInApp", "isMailed",
           ${now}
      from (${missing}) m
        on conflict (account_id, user_id, event_key) do nothing`
}

type Period = { accountId: string; since: Date; now: Date }
/**
 * A query for the kind, key, object, stored texts and recipients of events: users by ID, and members with these roles.
 * A key identifies one event of an object, such as the message of a reply.
 */
type SelectEvents = (tx: Sql, period: Period) => Fragment

const noRoles = (tx: Sql) => tx`'{}'::text[]`
const roles = (tx: Sql, ...names: Role[]) => tx`${names}::text[]`
/** Selects the rep's owner as recipient, or members with these roles if the rep has no owner. */
const ownerOr = (tx: Sql, owner: Fragment, ...names: Role[]): Fragment =>
  tx`array_remove(array[${owner}], null), case when ${owner} is null then ${roles(tx, ...names)} else ${noRoles(tx)} end`

const approvals = (tx: Sql, { accountId, since }: Period, channel: 'email' | 'linkedin'): Fragment => tx`
  select 'approval', 'approval ' || m.id || ' ' || md5(m.approval_request::text), ${`${channel}_message`}, m.id,
         null::text, null::text, ${ownerOr(tx, tx`r.owned_by_id`, 'manager', 'admin', 'owner')}
    from conversations c
    join ${tx.identifier(`${channel}_messages`)} m
      on m.account_id = c.account_id
     and ${channel === 'email' ? tx`m.thread_id` : tx`m.conversation_record_id`} = c.id
     and m.status = 'draft' and m.approval_request is not null
    left join reps r on r.account_id = m.account_id and r.id = m.rep_id
   where c.account_id = ${accountId} and c.needs_approval and c.channel = ${channel} and m.updated_at >= ${since}`

/** Roles that can read every conversation; members with other roles read those of their own reps. */
const inboxRoles = allRoles.filter(role => getPermissionScope(role, 'Inbox.ReadInbox') === 'all')

/** Selects the assignee of conversation `c`; null if their role can read only the conversations of their own reps. */
const assignee = (tx: Sql): Fragment => tx`
  (select m.user_id from members m
    where m.account_id = c.account_id and m.user_id = c.assignee_id and m.role = any(${inboxRoles}::text[]))`

const events: Record<string, SelectEvents> = {
  reply: (tx, { accountId, since, now }) => tx`
    select 'reply', 'reply ' || c.id || ' ' || c.last_received_id, 'conversation', c.id, null::text, null::text,
           ${ownerOr(tx, tx`coalesce(${assignee(tx)}, r.owned_by_id)`, 'owner')}
      from conversations c
      left join reps r on r.account_id = c.account_id and r.id = c.rep_id
     where c.account_id = ${accountId} and c.state = 'needs_reply' and c.sorted_at >= ${since}
       and (c.snoozed_until is null or c.snoozed_until <= ${now}) and c.last_received_id is not null`,
  emailApproval: (tx, period) => approvals(tx, period, 'email'),
  linkedinApproval: (tx, period) => approvals(tx, period, 'linkedin'),
  callApproval: (tx, { accountId, since }) => tx`
    select 'approval', 'approval ' || q.id, 'call_request', q.id, null::text, null::text,
           ${ownerOr(tx, tx`r.owned_by_id`, 'manager', 'admin', 'owner')}
      from call_requests q
      left join reps r on r.account_id = q.account_id and r.id = q.rep_id
     where q.account_id = ${accountId} and q.status = 'waiting' and q.created_at >= ${since}`,
  task: (tx, { accountId, since, now }) => tx`
    select 'task', 'task ' || t.id || ' ' || extract(epoch from t.due_at), 'task', t.id, null::text, null::text,
           array_remove(array[r.owned_by_id], null), ${noRoles(tx)}
      from tasks t
      join reps r on r.account_id = t.account_id and r.id = t.rep_id
     where t.account_id = ${accountId} and t.status = 'open' and t.title is not null
       and t.due_at between ${since} and ${now}`,
  problem: (tx, { accountId }) => tx`
    select 'problem', 'problem ' || p.id, 'problem', p.id, p.details ->> 'message', p.details ->> 'nextStep',
           array(select r.owned_by_id
                   from reps r
                  where r.account_id = p.account_id and r.owned_by_id is not null
                    and (exists (select from mailboxes b
                                  where b.account_id = r.account_id and b.rep_id = r.id and b.id = p.about_id)
                         or exists (select from linkedin_accounts l
                                     where l.account_id = r.account_id and l.rep_id = r.id and l.id = p.about_id))),
           case when p.kind like 'webhook%' or p.kind like 'mail_client_expir%' then ${roles(tx, 'admin', 'owner')}
                else ${roles(tx, 'manager', 'admin', 'owner')} end
      from problems p
     where p.account_id = ${accountId} and p.details ->> 'severity' <> 'low'`,
  campaign: (tx, { accountId }) => tx`
    select 'campaign', 'campaign ' || c.id || ' ' || extract(epoch from c.completed_at), 'campaign', c.id, null::text,
           null::text,
           array(select r.owned_by_id
                   from campaign_reps k join reps r on r.account_id = k.account_id and r.id = k.rep_id
                  where k.account_id = c.account_id and k.campaign_id = c.id and r.owned_by_id is not null),
           ${roles(tx, 'manager', 'admin', 'owner')}
      from campaigns c
     where c.account_id = ${accountId} and c.status = 'completed' and c.completed_at >= now() - interval '1 day'`,
}

/**
 * Conditions under which the cause of an unread notification `n` still exists. Notifications of other kinds stay unread
 * until the user reads them.
 */
const causes: { [kind in NotificationKind]?: (tx: Sql, now: Date) => Fragment } = {
  reply: tx => tx`
    exists (select from conversations c
             where c.account_id = n.account_id and c.id = n.object_id and c.state = 'needs_reply')`,
  approval: (tx, now) => tx`
    case n.object_type
      when 'email_message' then
        exists (select from email_messages m
                 where m.account_id = n.account_id and m.id = n.object_id and m.approval_request is not null)
      when 'linkedin_message' then
        exists (select from linkedin_messages m
                 where m.account_id = n.account_id and m.id = n.object_id and m.approval_request is not null)
      else
        exists (select from call_requests q
                 where q.account_id = n.account_id and q.id = n.object_id and q.status = 'waiting'
                   and q.created_at > ${getExpiryCutoff(now)}) end`,
  task: tx => tx`
    exists (select from tasks t where t.account_id = n.account_id and t.id = n.object_id and t.status = 'open')`,
  problem: tx => tx`exists (select from problems p where p.account_id = n.account_id and p.id = n.object_id)`,
}

/** Marks notifications whose cause is gone as read. */
async function resolveNotifications(tx: Sql, accountId: string, now: Date): Promise<void> {
  for (const [kind, causeExists] of Object.entries(causes)) {
    await tx`
      update notifications n set read_at = ${now}, updated_at = now()
       where n.account_id = ${accountId} and n.kind = ${kind} and n.read_at is null and not (${causeExists(tx, now)})`
  }
}

async function deleteOldNotifications(tx: Sql, accountId: string, now: Date): Promise<void> {
  const before = new Date(now.getTime() - RETENTION_DAYS * 24 * 3_600_000)
  await tx`delete from notifications where account_id = ${accountId} and created_at < ${before}`
  await tx`delete from notification_emails where account_id = ${accountId} and created_at < ${before}`
}
