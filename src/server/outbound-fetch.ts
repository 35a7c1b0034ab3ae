import { request } from 'node:https'
import { type AllowPrivate, requestOptionsAt, resolveOutboundHost } from './outbound-host.ts'

const TIMEOUT_MS = 5_000
const MAX_BYTES = 64 * 1024

/**
 * Asks an https address that somebody else named. The name is looked up once and the connection made to that very
 * address, which must be public; nothing is followed elsewhere, and an answer has an end. Throws whatever went wrong.
 */
export async function fetchOutbound(
  url: URL,
  allowPrivate: AllowPrivate,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Response> {
  if (url.protocol !== 'https:') throw new Error('the address does not begin with https')
  const address = await resolveOutboundHost(url.hostname, { allowPrivate })
  return new Promise((resolve, reject) => {
    const sent = request({
      ...requestOptionsAt(url, address, { accept: 'application/json', ...headers }),
      method,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    sent.on('error', reject)
    sent.on('response', response => {
      const chunks: Buffer[] = []
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > MAX_BYTES) sent.destroy(new Error('the document is too long'))
        else chunks.push(chunk)
      })
      response.on('error', reject)
      response.on('end', () => {
        const { statusCode: status = 500, headers } = response
        const given = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
        resolve(new Response(bytes > 0 ? Buffer.concat(chunks) : null, { status, headers: given }))
      })
    })
    sent.end(body)
  })
}
