import type { Output } from '../../../contract/index.ts'
import type { Permission } from '../../../contract/permissions.ts'
import { type Context, ownRepsOnly, withAccount } from '../../kernel/context.ts'
import type { Fragment } from '../../kernel/db/database.ts'
import { getExpiryCutoff } from '../calls/call-requests.ts'

const MAX_COUNT = 1_000

type Waiting = Omit<Output<'getMe'>['waiting'], 'problems'>

/** Counts the pending work of the caller. Requires a database session for the account. */
export async function countWaiting(ctx: Context): Promise<Waiting> {
  const { sql } = ctx
  const count = (permission: Permission, rows: Fragment): Fragment =>
    sql`(select count(*)::int from (${rows} ${ownRepsOnly(ctx, permission, sql`w.rep_id`)} limit ${MAX_COUNT}) w)`
  const [counts] = await sql<Waiting[]>`
    select counts.*
      from ${withAccount(ctx)}
     cross join lateral (
       select ${count('Task.ReadTask', sql`select from tasks w where w.account_id = s.account_id and w.status = 'open'`)}
                as tasks,
              ${count(
                'Inbox.ReadInbox',
                sql`select from conversations w
                     where w.account_id = s.account_id and w.state = 'needs_reply'
                       and (w.snoozed_until is null or w.snoozed_until <= ${ctx.app.now()})`,
              )} as replies,
              ${count(
                'Inbox.ReadInbox',
                sql`select from email_messages w where w.account_id = s.account_id and w.status = 'draft'`,
              )} as "emailDrafts",
              ${count(
                'Inbox.ReadInbox',
                sql`select from linkedin_messages w where w.account_id = s.account_id and w.status = 'draft'`,
              )} as "linkedinDrafts",
              ${count(
                'Inbox.ReadInbox',
                sql`select from email_messages w
                     where w.account_id = s.account_id and w.delivery_status = 'unconfirmed'`,
              )} as "unconfirmedEmails",
              ${count(
                'Call.ReadCall',
                sql`select from call_requests w
                     where w.account_id = s.account_id and w.status = 'waiting'
                       and w.created_at > ${getExpiryCutoff(ctx.app.now())}`,
              )} as "callRequests") counts`
  return counts!
}
