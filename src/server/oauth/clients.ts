import type { App } from '../context.ts'
import type { Sql } from '../db.ts'
import { fetchClientDocument, isDocumentId } from './client-document.ts'
import { type ClientMetadata, ClientMetadataError, readClientMetadata } from './client-metadata.ts'
import { findKnownClient, findPreset } from './known-clients.ts'

export type FindClient = (id: string) => Promise<ClientMetadata | undefined>

const FRESH_MS = 24 * 60 * 60_000
/** A document that can't be read is not asked for again so soon. */
const RETRY_AFTER_MS = 60_000
const MAX_FAILURES = 1_000

/** Finds applications: those we know, those that registered, and those that describe themselves at their id. */
export function openClients({
  db,
  config,
  now,
  log,
}: Pick<App, 'db' | 'config' | 'now' | 'log'>): FindClient {
  const failedAt = new Map<string, number>()
  const readAnew = async (id: string): Promise<ClientMetadata | undefined> => {
    if (now().getTime() - (failedAt.get(id) ?? 0) < RETRY_AFTER_MS) return undefined
    try {
      const metadata = await fetchClientDocument(id, config.privateHosts)
      await storeClient(db.auth, metadata)
      return metadata
    } catch (error) {
      log.warn({ err: error, clientId: id }, 'oauth: the description of a client could not be read')
      if (failedAt.size >= MAX_FAILURES) failedAt.clear()
      failedAt.set(id, now().getTime())
      return undefined
    }
  }
  return async id => {
    const known = findKnownClient(id)
    if (known) return known
    // No client is called so, and the database can't even be asked.
    if (id.includes('\0')) return undefined
    const [stored] = await db.auth<{ metadata: ClientMetadata; updatedAt: Date }[]>`
      select metadata, updated_at as "updatedAt" from oauth_clients where id = ${id}`
    const usable = stored && usableStill(stored.metadata)
    if (!isDocumentId(id)) return usable
    const isFresh = stored && now().getTime() - stored.updatedAt.getTime() < FRESH_MS
    return isFresh ? usable : ((await readAnew(id)) ?? usable)
  }
}

/** Undefined for a client that was stored when the rules allowed more. */
function usableStill(stored: ClientMetadata): ClientMetadata | undefined {
  try {
    return readClientMetadata(stored, stored.client_id)
  } catch (error) {
    if (error instanceof ClientMetadataError) return undefined
    throw error
  }
}

/** Registers an application (RFC 7591); doing it again gives the same client. Those that nobody uses go. */
export async function registerClient(auth: Sql, given: unknown): Promise<ClientMetadata> {
  const metadata = readClientMetadata(given)
  const preset = findPreset(metadata.redirect_uris)
  if (preset) return preset
  await auth`
    delete from oauth_clients c
     where c.updated_at < now() - interval '7 days'
       and not exists (select from oauth_grants g
                        where g.client_id = c.id and g.revoked_at is null and g.expires_at > now())`
  await storeClient(auth, metadata)
  return metadata
}

const storeClient = (auth: Sql, metadata: ClientMetadata) => auth`
  insert into oauth_clients (id, metadata) values (${metadata.client_id}, ${auth.json(metadata)})
  on conflict (id) do update set metadata = excluded.metadata, updated_at = now()`
