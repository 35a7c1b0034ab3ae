import type { Role } from '../../../contract/permissions.ts'
import type { App } from '../../kernel/context.ts'
import type { Pool, Sql } from '../../kernel/db/database.ts'
import { openAccessCache } from '../accounts/access-cache.ts'
import { audit } from '../accounts/audit-log.ts'

/** What a user lets an application do in one account; `payload` is what the authorization server itself remembers of it. */
export type Grant = {
  id: string
  accountId: string
  userId: string
  clientId: string
  clientName: string
  clientHost: string
  scopes: string[]
  payload: object
  expiresAt: Date
}

/** False when the user is no member of the account. A grant ends with the membership, so that can't end meanwhile. */
export async function storeGrant(auth: Sql, grant: Grant): Promise<boolean> {
  const stored = await auth`
    with member as materialized (
      select account_id, user_id from members
       where account_id = ${grant.accountId} and user_id = ${grant.userId} for key share)
    insert into oauth_grants (id, account_id, user_id, client_id, client_name, client_host, scopes, payload, expires_at)
    select ${grant.id}, account_id, user_id, ${grant.clientId}, ${grant.clientName}, ${grant.clientHost},
           ${grant.scopes}, ${auth.json(grant.payload as never)}, ${grant.expiresAt}
      from member`
  return stored.count > 0
}

/** What the authorization server remembers of a grant that still holds. */
export async function findGrant(auth: Sql, id: string): Promise<object | undefined> {
  const [grant] = await auth<{ payload: object }[]>`
    select payload from oauth_grants
     where id = ${id} and account_id is not null and revoked_at is null and expires_at > now()`
  return grant?.payload
}

/**
 * Ends a grant for its application: one that gives it back, or whose code or refresh token was used twice. Only the
 * client's own when one is named. Every process hears of it.
 */
export const revokeGrant = (auth: Pool, id: string, clientId?: string) =>
  auth.begin(async sql => {
    const [ended] = await sql<{ accountId: string | null; userId: string }[]>`
      update oauth_grants set revoked_at = now(), updated_at = now()
       where id = ${id} and revoked_at is null
         ${clientId === undefined ? sql`` : sql`and client_id = ${clientId}`}
   returning account_id as "accountId", user_id as "userId"`
    if (!ended?.accountId) return
    const author = { actor: `oauth:${id}`, userId: ended.userId }
    await audit({ ...author, sql, accountId: ended.accountId }, 'disconnect', 'oauth_grant', id)
  })

/** What a grant opens now: its account, in its user's present role. */
export type GrantAccess = {
  grantId: string
  clientId: string
  scopes: string[]
  user: { id: string; email: string; name: string }
  account: { id: string; name: string; assistantsMayRequestCalls: boolean }
  role: Role
}

const TOUCH_EVERY_MS = 60_000
const MAX_NOTED = 10_000

/** Finds what grants open. A revoked one opens nothing, and it is revoked when its user leaves its account. */
export async function openGrants(app: Pick<App, 'db' | 'now' | 'log'>) {
  const find = await openAccessCache<GrantAccess>(app)
  const noted = new Map<string, number>()
  return async (id: string): Promise<GrantAccess | undefined> => {
    const found = await find(id, () => readGrantAccess(app.db.access, id))
    const at = app.now().getTime()
    if (found && at - (noted.get(id) ?? 0) >= TOUCH_EVERY_MS) {
      if (noted.size >= MAX_NOTED) noted.clear()
      noted.set(id, at)
      await noteUse(app.db.auth, id)
    }
    return found
  }
}

async function readGrantAccess(auth: Sql, id: string): Promise<GrantAccess | undefined> {
  const [row] = await auth<GrantAccess[]>`
    select g.id as "grantId", g.client_id as "clientId", g.scopes, m.role,
           json_build_object('id', u.id, 'email', u.email, 'name', u.name) as user,
           json_build_object('id', a.id, 'name', a.name,
                             'assistantsMayRequestCalls', a.assistants_may_request_calls) as account
      from oauth_grants g
      join users u on u.id = g.user_id
      join members m on m.account_id = g.account_id and m.user_id = g.user_id
      join accounts a on a.id = m.account_id
     where g.id = ${id} and g.revoked_at is null and g.expires_at > now()`
  return row
}

const noteUse = (auth: Sql, id: string) => auth`update oauth_grants set last_used_at = now() where id = ${id}`
