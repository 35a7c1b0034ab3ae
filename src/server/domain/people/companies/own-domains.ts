import type { Context } from '../../../kernel/context.ts'
import { toBusinessDomain } from '../../../protocols/identity/domain.ts'

/**
 * Finds the domains of the account's users and mailboxes. An address at one of them belongs to a colleague, not to a
 * potential customer.
 */
export async function findOwnDomains(ctx: Context): Promise<Set<string>> {
  const [users, mailboxes] = await Promise.all([
    ctx.sql<{ domain: string }[]>`
      select distinct split_part(u.email, '@', 2) as domain
        from members m
        join users u on u.id = m.user_id
       where m.account_id = ${ctx.accountId}`,
    ctx.sql<{ domain: string }[]>`
      select distinct split_part(email, '@', 2) as domain
        from mailboxes
       where account_id = ${ctx.accountId} and removed_at is null
      union
      select split_part(email, '@', 2)
        from mailbox_aliases
       where account_id = ${ctx.accountId}`,
  ])
  return new Set([...users, ...mailboxes].flatMap(({ domain }) => toBusinessDomain(domain) ?? []))
}
