import type { App } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { parseExactEmail } from '../../protocols/identity/email.ts'
import { openAccessCache } from '../accounts/access-cache.ts'
import type { GrantAccess } from './grants.ts'

export type Membership = Pick<GrantAccess, 'account' | 'role'> & {
  /** Unix time in seconds, like the times in JWTs. */
  joinedAt: number
}

export type UserAccess = Pick<GrantAccess, 'user'> & { memberships: [Membership, ...Membership[]] }

/**
 * Opens a cached lookup of a user's access by an email address that the caller has verified. Skips users
 * without accounts.
 */
export async function openUserAccess(app: Pick<App, 'db' | 'now'>) {
  const find = await openAccessCache<UserAccess>(app)
  return async (address: string): Promise<UserAccess | undefined> => {
    const email = parseExactEmail(address)
    return email === undefined ? undefined : find(email, () => readUserAccess(app.db.access, email))
  }
}

async function readUserAccess(sql: Sql, email: string): Promise<UserAccess | undefined> {
  const [row] = await sql<UserAccess[]>`
    select json_build_object('id', u.id, 'email', u.email, 'name', u.name) as user,
           json_agg(json_build_object(
             'role', m.role,
             'joinedAt', floor(extract(epoch from m.created_at)),
             'account', json_build_object('id', a.id, 'name', a.name, 'timezone', a.timezone,
                                          'assistantsMayRequestCalls', a.assistants_may_request_calls,
                                          'assistantSendsNeedApproval', a.assistant_sends_need_approval))) as memberships
      from users u
      join members m on m.user_id = u.id
      join accounts a on a.id = m.account_id
     where u.email = ${email}
     group by u.id`
  return row
}
