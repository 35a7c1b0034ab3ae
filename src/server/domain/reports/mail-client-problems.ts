import type { Context } from '../../kernel/context.ts'
import type { Fragment } from '../../kernel/db/database.ts'
import { EXPIRY_WARNING_DAYS } from '../mailboxes/mail-clients.ts'
import { type Query, queuedEmails } from './problem-query.ts'

/**
 * Selects the account if mailboxes still use one of its own clients `c` that meets the condition. An account has at
 * most one problem of each kind, so the reason covers all these clients: the first day on which a secret expires,
 * `testing`, or both.
 */
const expiryProblem = (ctx: Context, condition: Fragment): Fragment => ctx.sql`
  select 'account', a.id, a.name, due.reason, null::timestamptz, 0
    from accounts a
   cross join lateral (
     select count(*) as clients,
            concat_ws(' ', min(c.secret_expires_on)::text,
                      case when bool_or(c.publishing_status = 'testing') then 'testing' end) as reason
       from mail_clients c
      where c.account_id = a.id and ${condition}
        and exists (select from mailbox_grants g
                     where g.account_id = c.account_id and g.kind = c.kind and g.connected_at is not null
                       and g.error_class is distinct from 'operator' and g.revoke_at is null)) due
   where a.id = s.account_id and due.clients > 0`

const getDay = ({ app }: Context): string => app.now().toISOString().slice(0, 10)

/** Selects the problems of the account's OAuth clients. */
export const mailClientProblemQueries = {
  mail_client_failing: {
    select: ctx => ctx.sql`
      select 'account', a.id, a.name, failing.reason, failing.since,
             ${queuedEmails(ctx, ctx.sql`q.mailbox_id = any(failing.mailboxes)`)}
        from accounts a
       cross join lateral (
         select min(g.error_reason) as reason, min(g.error_since) as since, array_agg(g.mailbox_id) as mailboxes
           from mailbox_grants g
          where g.account_id = a.id and g.error_class = 'operator' and g.revoke_at is null) failing
       where a.id = s.account_id and failing.reason is not null`,
  },
  mail_client_expired: {
    permission: 'Account.ManageSettings',
    select: ctx => expiryProblem(ctx, ctx.sql`c.secret_expires_on < ${getDay(ctx)}::date`),
  },
  mail_client_expiring: {
    permission: 'Account.ManageSettings',
    select: ctx =>
      expiryProblem(
        ctx,
        ctx.sql`
          (c.publishing_status = 'testing'
           or c.secret_expires_on between ${getDay(ctx)}::date and ${getDay(ctx)}::date + ${EXPIRY_WARNING_DAYS}::int)`,
      ),
  },
} satisfies Record<string, Query>
