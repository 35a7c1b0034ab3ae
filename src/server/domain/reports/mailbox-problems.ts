import type { Context } from '../../kernel/context.ts'
import type { Fragment } from '../../kernel/db/database.ts'
import { heldUpEmails, type Query } from './problem-query.ts'

const mailboxProblems = (
  ctx: Context,
  condition: Fragment,
  reason = ctx.sql`b.status_reason, b.failing_since`,
): Fragment => ctx.sql`
  select 'mailbox', b.id, b.email, ${reason}, ${heldUpEmails(ctx)}
    from mailboxes b
   where b.account_id = s.account_id and b.removed_at is null and ${condition}`

const syncProblems = (ctx: Context, columns: Fragment, condition: Fragment): Fragment => ctx.sql`
  select 'mailbox', b.id, b.email, ${columns}
    from mailboxes b join mailbox_syncs i on i.account_id = b.account_id and i.mailbox_id = b.id
   where b.account_id = s.account_id and b.removed_at is null and ${condition}`

/** Returns a condition that is true for mailboxes `b` without an access token. Other kinds of problems report them. */
const lacksToken = ({ sql }: Context): Fragment => sql`
  exists (select from mailbox_grants g
           where g.account_id = b.account_id and g.mailbox_id = b.id and g.error_class is not null)`

/** Selects connected mailboxes whose access a user or an administrator has to restore. */
const grantProblems = (ctx: Context, errorClass: 'user' | 'admin'): Fragment => ctx.sql`
  select 'mailbox', b.id, b.email, g.error_reason, g.error_since, ${heldUpEmails(ctx)}
    from mailboxes b
    join mailbox_grants g on g.account_id = b.account_id and g.mailbox_id = b.id
   where b.account_id = s.account_id and b.removed_at is null and g.error_class = ${errorClass}
     and g.connected_at is not null`

/** Selects the problems of single mailboxes. */
export const mailboxProblemQueries = {
  mailbox_failing: {
    select: ctx => mailboxProblems(ctx, ctx.sql`b.status = 'failing' and not ${lacksToken(ctx)}`),
  },
  mailbox_waiting: {
    select: ctx =>
      mailboxProblems(ctx, ctx.sql`b.status = 'active' and b.failure_count > 0 and not ${lacksToken(ctx)}`),
  },
  mail_provider_unavailable: {
    select: ctx => ctx.sql`
      select 'mailbox', b.id, b.email, g.error_reason, g.error_since, ${heldUpEmails(ctx)}
        from mailboxes b
        join mailbox_grants g on g.account_id = b.account_id and g.mailbox_id = b.id and g.error_class = 'transient'
        left join mailbox_syncs i on i.account_id = b.account_id and i.mailbox_id = b.id
       where b.account_id = s.account_id and b.removed_at is null
         and (b.status = 'failing' or b.failure_count > 0 or i.status = 'failing')`,
  },
  mailbox_disconnected: { select: ctx => grantProblems(ctx, 'user') },
  mailbox_consent_missing: { select: ctx => grantProblems(ctx, 'admin') },
  mailbox_paused: {
    select: ctx =>
      mailboxProblems(ctx, ctx.sql`b.paused_at is not null`, ctx.sql`b.pause_reason, b.paused_at`),
  },
  replies_unread: {
    select: ctx =>
      syncProblems(
        ctx,
        ctx.sql`i.status_reason, i.last_synced_at, ${heldUpEmails(ctx)}`,
        ctx.sql`i.status = 'failing' and not ${lacksToken(ctx)}`,
      ),
  },
  sent_copies_failing: {
    select: ctx =>
      syncProblems(
        ctx,
        ctx.sql`i.sent_copy_error, i.sent_copy_error_since, 0`,
        ctx.sql`i.sent_copy_error is not null`,
      ),
  },
} satisfies Record<string, Query>
