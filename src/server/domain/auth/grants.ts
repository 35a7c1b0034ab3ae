import type { Role } from '../../../contract/permissions.ts'
import type { App } from '../../kernel/context.ts'
import type { Pool, Sql } from '../../kernel/db/database.ts'
import { openAccessCache } from '../accounts/access-cache.ts'
import { audit } from '../accounts/audit-log.ts'

/** A user's permission for an application in one account; `payload` belongs to the authorization server. */
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

/** Returns false if the user is not a member of the account. Locks the membership, because a grant ends with it. */
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

/** Returns the payload of a valid grant. */
export async function findGrant(auth: Sql, id: string): Promise<object | undefined> {
  const [grant] = await auth<{ payload: object }[]>`
    select payload from oauth_grants
     where id = ${id} and account_id is not null and revoked_at is null and expires_at > now()`
  return grant?.payload
}

/**
 * Revokes a grant, at the request of its application or because a code or refresh token was used twice. With a
 * `clientId`, only if it is that client's grant.
 */
export const revokeGrant = (auth: Pool, id: string, clientId?: string) =>
  auth.begin(async sql => {
    const [revoked] = await sql<{ accountId: string | null; userId: string }[]>`
      update oauth_grants set revoked_at = now(), updated_at = now()
       where id = ${id} and revoked_at is null
         ${clientId === undefined ? sql`` : sql`and client_id = ${clientId}`}
   returning account_id as "accountId", user_id as "userId"`
    if (!revoked?.accountId) return
    const author = { actor: `oauth:${id}`, userId: revoked.userId }
    await audit({ ...author, sql, accountId: revoked.accountId }, 'disconnect', 'oauth_grant', id)
  })

/** The account that a grant gives access to, with the current role of the grant's user. */
export type GrantAccess = {
  grantId: string
  clientId: string
  scopes: string[]
  user: { id: string; email: string; name: string }
  account: {
    id: string
    name: string
    timezone: string
    assistantsMayRequestCalls: boolean
    assistantSendsNeedApproval: boolean
  }
  role: Role
}

const TOUCH_EVERY_MS = 60_000
const MAX_RECORDED = 10_000

/**
 * Returns a function that finds what a grant gives access to and, at most once a minute, records its use. A grant is
 * revoked when its user leaves the account.
 */
export async function openGrantAccess(app: Pick<App, 'db' | 'now' | 'log'>) {
  const find = await openAccessCache<GrantAccess>(app)
  const recordedAt = new Map<string, number>()
  return async (id: string): Promise<GrantAccess | undefined> => {
    const found = await find(id, () => readGrantAccess(app.db.access, id))
    const at = app.now().getTime()
    if (found && at - (recordedAt.get(id) ?? 0) >= TOUCH_EVERY_MS) {
      if (recordedAt.size >= MAX_RECORDED) recordedAt.clear()
      recordedAt.set(id, at)
      await recordUse(app.db.auth, id)
    }
    return found
  }
}

async function readGrantAccess(auth: Sql, id: string): Promise<GrantAccess | undefined> {
  const [row] = await auth<GrantAccess[]>`
    select g.id as "grantId", g.client_id as "clientId", g.scopes, m.role,
           json_build_object('id', u.id, 'email', u.email, 'name', u.name) as user,
           json_build_object('id', a.id, 'name', a.name, 'timezone', a.timezone,
                             'assistantsMayRequestCalls', a.assistants_may_request_calls,
                             'assistantSendsNeedApproval', a.assistant_sends_need_approval) as account
      from oauth_grants g
      join users u on u.id = g.user_id
      join members m on m.account_id = g.account_id and m.user_id = g.user_id
      join accounts a on a.id = m.account_id
     where g.id = ${id} and g.revoked_at is null and g.expires_at > now()`
  return row
}

const recordUse = (auth: Sql, id: string) =>
  auth`update oauth_grants set last_used_at = now() where id = ${id}`
