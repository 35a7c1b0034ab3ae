import { isIP } from 'node:net'
import type { AllowPrivate } from '../../kernel/net/outbound-host.ts'
import { type ClientMetadata, readClientMetadata } from './client-metadata.ts'
import { fetchJson } from './fetch-json.ts'

const MAX_ID_LENGTH = 500

/** An id that is the address of the client's own description: https, a path, and nothing that reads in two ways. */
export function isDocumentId(id: string): boolean {
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

/** Reads a client's description from the address that is its id. Throws whatever went wrong. */
export async function fetchClientDocument(id: string, allowPrivate: AllowPrivate): Promise<ClientMetadata> {
  const given = (await fetchJson(new URL(id), allowPrivate)) as { client_id?: unknown }
  if (given?.client_id !== id) throw new Error('the document names another client_id than its own address')
  return readClientMetadata(given, id)
}
