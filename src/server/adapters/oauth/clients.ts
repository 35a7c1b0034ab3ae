import type { App } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { type ClientMetadata, ClientMetadataError, parseClientMetadata } from './client-metadata.ts'
import { fetchClientMetadata, isClientIdUrl } from './client-metadata-document.ts'
import { findKnownClient, findPresetClient } from './known-clients.ts'

/** Known clients, registered ones, and those whose ID is the URL of their metadata document. */
export type Clients = {
  find: (id: string) => Promise<ClientMetadata | undefined>
  /**
   * Registers a client (RFC 7591); the same metadata returns the same client. Calls `count` before it stores anything.
   * Throws ClientMetadataError and the errors of `count`.
   */
  register: (input: unknown, count: () => Promise<void>) => Promise<ClientMetadata>
  /** Fetches the metadata document of a client whose ID is a URL, at most once a day. */
  refresh: (id: string) => Promise<void>
}

const DOCUMENT_MAX_AGE_MS = 24 * 60 * 60_000
/** Time to wait after a failed fetch of a document. */
const RETRY_AFTER_MS = 60_000
const MAX_FAILURES = 1_000
/** Clients that no user ever connected are deleted after an hour, or earlier if there are too many. */
const UNUSED_MS = 60 * 60_000
const MAX_UNUSED = 10_000
/** Other clients are deleted this long after their last grant ended. */
const DISCONNECTED_MS = 90 * 24 * 60 * 60_000
const SWEEP_INTERVAL_MS = 60 * 60_000

export function openClients({ db, config, now, log }: Pick<App, 'db' | 'config' | 'now' | 'log'>): Clients {
  const failedAt = new Map<string, number>()
  let sweptAt = Number.NEGATIVE_INFINITY

  const store = async (metadata: ClientMetadata) => {
    const at = now()
    await deleteUnused(db.auth, at)
    // Scans all connected clients, so it does not run on every registration.
    if (at.getTime() - sweptAt >= SWEEP_INTERVAL_MS) {
      sweptAt = at.getTime()
      await deleteDisconnected(db.auth, at)
    }
    await storeClient(db.auth, metadata, at)
  }

  const findStored = async (id: string) => {
    // PostgreSQL rejects text with NUL.
    if (id.includes('\0')) return undefined
    const [stored] = await db.auth<{ metadata: ClientMetadata; updatedAt: Date }[]>`
      select metadata, updated_at as "updatedAt" from oauth_clients where id = ${id}`
    return stored
  }

  return {
    find: async id => findKnownClient(id) ?? revalidate((await findStored(id))?.metadata),

    register: async (input, count) => {
      const metadata = parseClientMetadata(input)
      const preset = findPresetClient(metadata.redirect_uris)
      if (preset) return preset
      await count()
      await store(metadata)
      return metadata
    },

    refresh: async id => {
      const at = now().getTime()
      if (!isClientIdUrl(id) || findKnownClient(id) || at - (failedAt.get(id) ?? 0) < RETRY_AFTER_MS) return
      const stored = await findStored(id)
      if (stored && at - stored.updatedAt.getTime() < DOCUMENT_MAX_AGE_MS) return
      try {
        await store(await fetchClientMetadata(id, config.privateHosts))
      } catch (error) {
        log.warn({ err: error, clientId: id }, 'oauth: a client metadata document could not be read')
        if (failedAt.size >= MAX_FAILURES) failedAt.clear()
        failedAt.set(id, at)
      }
    },
  }
}

/** Returns undefined for a client stored under older rules that would be rejected today. */
function revalidate(stored: ClientMetadata | undefined): ClientMetadata | undefined {
  try {
    return stored && parseClientMetadata(stored, stored.client_id)
  } catch (error) {
    if (error instanceof ClientMetadataError) return undefined
    throw error
  }
}

/** Deletes the clients that were never connected: expired ones, and the oldest beyond the limit. */
async function deleteUnused(auth: Sql, now: Date): Promise<void> {
  const expired = new Date(now.getTime() - UNUSED_MS)
  await auth`
    with surplus as (
      select id from oauth_clients where connected_at is null
       order by updated_at desc, id offset ${MAX_UNUSED - 1})
    delete from oauth_clients where id in (
      select id from oauth_clients c
       where connected_at is null and (updated_at < ${expired} or id in (select id from surplus))
         -- A server of the previous version doesn't set connected_at.
         and not exists (select from oauth_grants g where g.client_id = c.id)
         for update skip locked)`
}

/** Deletes the clients whose grants all ended long ago, unless their metadata was updated since. */
async function deleteDisconnected(auth: Sql, now: Date): Promise<void> {
  const cutoff = new Date(now.getTime() - DISCONNECTED_MS)
  await auth`
    delete from oauth_clients where id in (
      select id from oauth_clients c
       where greatest(connected_at, updated_at) < ${cutoff}
         and not exists (
           select from oauth_grants g
            where g.client_id = c.id and least(g.revoked_at, g.expires_at) >= ${cutoff})
         for update skip locked)`
}

async function storeClient(auth: Sql, metadata: ClientMetadata, now: Date): Promise<void> {
  await auth`
    insert into oauth_clients (id, metadata, updated_at)
    values (${metadata.client_id}, ${auth.json(metadata)}, ${now})
    on conflict (id) do update set metadata = excluded.metadata, updated_at = excluded.updated_at`
}

/** Records that a user connected the client, so that it is not deleted as unused. */
export const markConnected = (auth: Sql, id: string) => auth`
  update oauth_clients set connected_at = now() where id = ${id}`
