import { request } from 'node:https'
import { isIP } from 'node:net'
import { type AllowPrivate, resolveOutboundHost } from '../outbound-host.ts'
import { type ClientMetadata, readClientMetadata } from './client-metadata.ts'

const TIMEOUT_MS = 5_000
const MAX_BYTES = 64 * 1024
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

/**
 * Reads a client's description from the address that is its id. The name is looked up once and the connection made to
 * that very address, which must be public; nothing is followed elsewhere. Throws whatever went wrong.
 */
export async function fetchClientDocument(id: string, allowPrivate: AllowPrivate): Promise<ClientMetadata> {
  const url = new URL(id)
  const { address, family } = await resolveOutboundHost(url.hostname, { allowPrivate })
  const given = JSON.parse(await read(url, address, family)) as { client_id?: unknown }
  if (given?.client_id !== id) throw new Error('the document names another client_id than its own address')
  return readClientMetadata(given, id)
}

const read = (url: URL, address: string, family: 4 | 6): Promise<string> =>
  new Promise((resolve, reject) => {
    const sent = request({
      host: address,
      family,
      port: url.port || 443,
      path: url.pathname + url.search,
      servername: url.hostname,
      headers: { host: url.host, accept: 'application/json', 'user-agent': 'Overture' },
      agent: false,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    sent.on('error', reject)
    sent.on('response', response => {
      const type = response.headers['content-type'] ?? ''
      const refuse = (why: string) => sent.destroy(new Error(why))
      if (response.statusCode !== 200) return refuse(`the address answers ${response.statusCode}`)
      if (!/^application\/([\w.-]+\+)?json\b/i.test(type)) return refuse('the document is no JSON')
      const chunks: Buffer[] = []
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > MAX_BYTES) refuse('the document is too long')
        else chunks.push(chunk)
      })
      response.on('error', reject)
      response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    })
    sent.end()
  })
