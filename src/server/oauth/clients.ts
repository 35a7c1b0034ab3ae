import type { App } from '../context.ts'
import type { Sql } from '../db.ts'
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

export function openClients({ db, config, now, log }: Pick<App, 'db' | 'config' | 'now' | 'log'>): Clients {
  const failedAt = new Map<string, number>()

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
      await storeClient(db.auth, metadata, now())
      return metadata
    },

    refresh: async id => {
      const at = now().getTime()
      if (!isDocumentId(id) || findKnownClient(id) || at - (failedAt.get(id) ?? 0) < RETRY_AFTER_MS) return
      const stored = await findStored(id)
      if (stored && at - stored.updatedAt.getTime() < FRESH_MS) return
      try {
        await storeClient(db.auth, await fetchClientDocument(id, config.privateHosts), now())
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

/** Deletes the unused clients that are too old or too many, then stores this one. */
async function storeClient(auth: Sql, metadata: ClientMetadata, now: Date): Promise<void> {
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
  await auth`
    insert into oauth_clients (id, metadata, updated_at)
    values (${metadata.client_id}, ${auth.json(metadata)}, ${now})
    on conflict (id) do update set metadata = excluded.metadata, updated_at = excluded.updated_at`
}

/** A client that a user connected once is kept. */
export const markConnected = (auth: Sql, id: string) => auth`
  update oauth_clients set connected_at = now() where id = ${id} and connected_at is null`
