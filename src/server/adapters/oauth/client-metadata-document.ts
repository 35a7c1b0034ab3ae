import { isIP } from 'node:net'
import type { AllowPrivate } from '../../kernel/net/outbound-host.ts'
import { type ClientMetadata, parseClientMetadata } from './client-metadata.ts'
import { fetchJson } from './fetch-json.ts'

const MAX_ID_LENGTH = 500

/**
 * Returns whether a client ID is the URL of a client metadata document: https, with a path, in its normalized
 * form.
 */
export function isClientIdUrl(id: string): boolean {
  const url = URL.parse(id)
  return (
    url !== null &&
    id.length <= MAX_ID_LENGTH &&
    url.protocol === 'https:' &&
    url.href === id &&
    url.pathname !== '/' &&
    url.username === '' &&
    url.password === '' &&
    !id.includes('#') &&
    isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0
  )
}

/**
 * Fetches the metadata document of a client from the URL that is its ID. Throws if the document is unavailable or
 * invalid.
 */
export async function fetchClientMetadata(id: string, allowPrivate: AllowPrivate): Promise<ClientMetadata> {
  const document = (await fetchJson(new URL(id), allowPrivate)) as { client_id?: unknown }
  if (document?.client_id !== id) throw new Error('client_id must be the URL of the document')
  return parseClientMetadata(document, id)
}
