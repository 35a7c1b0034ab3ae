import { request } from 'node:https'
import { type AllowPrivate, resolveOutboundHost } from '../outbound-host.ts'

const TIMEOUT_MS = 5_000
const MAX_BYTES = 64 * 1024

/**
 * Reads a JSON document from an https address that somebody else named. The name is looked up once and the connection
 * made to that very address, which must be public; nothing is followed elsewhere. Throws whatever went wrong.
 */
export async function fetchJson(url: URL, allowPrivate: AllowPrivate): Promise<unknown> {
  if (url.protocol !== 'https:') throw new Error('the address does not begin with https')
  const { address, family } = await resolveOutboundHost(url.hostname, { allowPrivate })
  return JSON.parse(await read(url, address, family))
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
