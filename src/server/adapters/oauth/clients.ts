import type { App } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { fetchClientDocument, isDocumentId } from './client-document.ts'
import { type ClientMetadata, ClientMetadataError, readClientMetadata } from './client-metadata.ts'
import { findKnownClient, findPreset } from './known-clients.ts'

/** The applications that may ask: those we know, those that registered, and those that describe themselves at their id. */
export type Clients = {
  find: (id: string) => Promise<ClientMetadata | undefined>
  /**
   * Registers a client (RFC 7591); doing it again gives the same one. Throws ClientMetadataError, and what `count` throws,
   * which is called before anything is stored.
   */
  register: (given: unknown, count: () => Promise<void>) => Promise<ClientMetadata>
  /** Reads the description of a client whose id is an address, unless it was read lately. */
  refresh: (id: string) => Promise<void>
}

const FRESH_MS = 24 * 60 * 60_000
/** A document that can't be read is not asked for again so soon. */
const RETRY_AFTER_MS = 60_000
const MAX_FAILURES = 1_000
/** Clients that no user ever connected are deleted after an hour, and the oldest of too many before. */
const UNUSED_MS = 60 * 60_000
const MAX_UNUSED = 10_000
/** Clients that were connected are deleted this long after the last connection ended. */
const DISCONNECTED_MS = 90 * 24 * 60 * 60_000
const SWEEP_INTERVAL_MS = 60 * 60_000

export function openClients({ db, config, now, log }: Pick<App, 'db' | 'config' | 'now' | 'log'>): Clients {
  const failedAt = new Map<string, number>()
  let sweptAt = Number.NEGATIVE_INFINITY

  const store = async (metadata: ClientMetadata) => {
    const at = now()
    await deleteUnused(db.auth, at)
    // It looks at every connected client, so not each registration does it.
    if (at.getTime() - sweptAt >= SWEEP_INTERVAL_MS) {
      sweptAt = at.getTime()
      await deleteDisconnected(db.auth, at)
    }
    await storeClient(db.auth, metadata, at)
  }

  const findStored = async (id: string) => {
    // No client is called so, and the database can't even be asked.
    if (id.includes('\0')) return undefined
    const [stored] = await db.auth<{ metadata: ClientMetadata; updatedAt: Date }[]>`
      select metadata, updated_at as "updatedAt" from oauth_clients where id = ${id}`
    return stored
  }

  return {
    find: async id => findKnownClient(id) ?? allowedStill((await findStored(id))?.metadata),

    register: async (given, count) => {
      const metadata = readClientMetadata(given)
      const preset = findPreset(metadata.redirect_uris)
      if (preset) return preset
      await count()
      await store(metadata)
      return metadata
    },

    refresh: async id => {
      const at = now().getTime()
      if (!isDocumentId(id) || findKnownClient(id) || at - (failedAt.get(id) ?? 0) < RETRY_AFTER_MS) return
      const stored = await findStored(id)
      if (stored && at - stored.updatedAt.getTime() < FRESH_MS) return
      try {
        await store(await fetchClientDocument(id, config.privateHosts))
      } catch (error) {
        log.warn({ err: error, clientId: id }, 'oauth: the description of a client could not be read')
        if (failedAt.size >= MAX_FAILURES) failedAt.clear()
        failedAt.set(id, at)
      }
    },
  }
}

/** Undefined for a client that was stored when the rules allowed more. */
function allowedStill(stored: ClientMetadata | undefined): ClientMetadata | undefined {
  try {
    return stored && readClientMetadata(stored, stored.client_id)
  } catch (error) {
    if (error instanceof ClientMetadataError) return undefined
    throw error
  }
}

/** Deletes the clients that were never connected and are too old or too many. */
async function deleteUnused(auth: Sql, now: Date): Promise<void> {
  const expired = new Date(now.getTime() - UNUSED_MS)
  await auth`
    with surplus as (
      select id from oauth_clients where connected_at is null
       order by updated_at desc, id offset ${MAX_UNUSED - 1})
    delete from oauth_clients where id in (
      select id from oauth_clients c
       where connected_at is null and (updated_at < ${expired} or id in (select id from surplus))
         -- A server of the version before marks none as connected.
         and not exists (select from oauth_grants g where g.client_id = c.id)
         for update skip locked)`
}

/** Deletes the clients whose connections all ended long ago, unless they registered or were read again since. */
async function deleteDisconnected(auth: Sql, now: Date): Promise<void> {
  const long = new Date(now.getTime() - DISCONNECTED_MS)
  await auth`
    delete from oauth_clients where id in (
      select id from oauth_clients c
       where greatest(connected_at, updated_at) < ${long}
         and not exists (
           select from oauth_grants g
            where g.client_id = c.id and least(g.revoked_at, g.expires_at) >= ${long})
         for update skip locked)`
}

async function storeClient(auth: Sql, metadata: ClientMetadata, now: Date): Promise<void> {
  await auth`
    insert into oauth_clients (id, metadata, updated_at)
    values (${metadata.client_id}, ${auth.json(metadata)}, ${now})
    on conflict (id) do update set metadata = excluded.metadata, updated_at = excluded.updated_at`
}

/** Notes when a user last connected the client; until then it counts as unused. */
export const markConnected = (auth: Sql, id: string) => auth`
  update oauth_clients set connected_at = now() where id = ${id}`
