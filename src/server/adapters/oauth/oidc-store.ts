import { hash } from 'node:crypto'
import { type Adapter, type AdapterPayload, errors } from 'oidc-provider'
import { findGrant, revokeGrant } from '../../domain/auth/grants.ts'
import type { App } from '../../kernel/context.ts'
import type { Clients } from './clients.ts'

/**
 * Clients refresh in parallel and lose responses, so a used refresh token returns its successor again for
 * this long. The servers of a hosted assistant were seen using the same token more than a minute apart.
 */
const REFRESH_GRACE_MS = 120_000

/** Creates the provider's storage in PostgreSQL. Record IDs are credentials, so only their SHA-256 is stored. */
export const createOidcStore =
  (app: Pick<App, 'db' | 'now'>, findClient: Clients['find']) =>
  (kind: string): Adapter =>
    kind === 'Client'
      ? createClientStore(findClient)
      : kind === 'Grant'
        ? createGrantStore(app)
        : createRecordStore(app, kind)

const unsupported = async (): Promise<never> => {
  throw new Error('not supported')
}

const createClientStore = (findClient: Clients['find']): Adapter => ({
  find: async id => {
    const client = await findClient(id)
    return client && { ...client, response_modes: ['query'] }
  },
  upsert: unsupported,
  consume: unsupported,
  destroy: unsupported,
  findByUid: unsupported,
  findByUserCode: unsupported,
  revokeByGrantId: unsupported,
})

/**
 * Creates storage that only finds and revokes grants: the consent page creates them, because the provider
 * lacks some of their data.
 */
const createGrantStore = ({ db }: Pick<App, 'db'>): Adapter => ({
  find: async id => (isUuid(id) ? ((await findGrant(db.auth, id)) as AdapterPayload | undefined) : undefined),
  destroy: async id => void (await revokeGrant(db.auth, id)),
  revokeByGrantId: async id => void (await revokeGrant(db.auth, id)),
  upsert: unsupported,
  consume: unsupported,
  findByUid: unsupported,
  findByUserCode: unsupported,
})

const isUuid = (id: string): boolean => /^[0-9a-f-]{36}$/.test(id)
const hashId = (id: string): Buffer => hash('sha256', id, 'buffer')

/**
 * Returns the error for the requests that lose when several resume the same authorization concurrently. Their responses
 * must not redirect.
 */
function createAlreadyResumedError(): Error {
  const error = new errors.SessionNotFound('authorization request was already resumed')
  error.allow_redirect = false
  return error
}

function createRecordStore({ db, now }: Pick<App, 'db' | 'now'>, kind: string): Adapter {
  const { auth } = db
  return {
    upsert: async (id, { jti, ...payload }, expiresIn = 0) => {
      const expiresAt = new Date(now().getTime() + expiresIn * 1000)
      const grantId = payload.grantId && kind !== 'Interaction' ? payload.grantId : null
      await auth`
        with expired as (delete from oauth_records where expires_at < ${now()}::timestamptz - interval '1 hour')
        insert into oauth_records (kind, id_hash, payload, grant_id, expires_at)
        values (${kind}, ${hashId(id)}, ${auth.json(payload as never)}, ${grantId}, ${expiresAt})
        on conflict (kind, id_hash) do update set payload = excluded.payload, expires_at = excluded.expires_at`
    },
    find: async id => {
      const [row] = await auth<{ payload: AdapterPayload; consumedAt: Date | null }[]>`
        select payload, consumed_at as "consumedAt" from oauth_records
         where kind = ${kind} and id_hash = ${hashId(id)}`
      if (!row) return undefined
      const age = row.consumedAt ? now().getTime() - row.consumedAt.getTime() : 0
      const isConsumed = row.consumedAt && (kind !== 'RefreshToken' || age > REFRESH_GRACE_MS)
      return { ...row.payload, jti: id, ...(isConsumed && { consumed: row.consumedAt!.getTime() / 1000 }) }
    },
    consume: async id => {
      const isWithinGrace =
        kind === 'RefreshToken'
          ? auth`or consumed_at >= ${new Date(now().getTime() - REFRESH_GRACE_MS)}`
          : auth``
      const consumed = await auth`
        update oauth_records set consumed_at = coalesce(consumed_at, ${now()})
         where kind = ${kind} and id_hash = ${hashId(id)} and (consumed_at is null ${isWithinGrace}) returning kind`
      // Only one of several concurrent requests with the same code succeeds.
      if (consumed.length === 0) throw new errors.InvalidGrant('already used')
    },
    destroy: async id => {
      const { count } = await auth`delete from oauth_records where kind = ${kind} and id_hash = ${hashId(id)}`
      if (kind === 'Interaction' && count === 0) throw createAlreadyResumedError()
    },
    revokeByGrantId: async grantId => {
      await auth`delete from oauth_records where kind = ${kind} and grant_id = ${grantId}`
      await revokeGrant(auth, grantId)
    },
    findByUid: async () => undefined,
    findByUserCode: unsupported,
  }
}
