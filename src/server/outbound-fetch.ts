import * as http from 'node:http'
import * as https from 'node:https'
import { type AllowPrivate, hostOf, requestOptionsAt, resolveOutboundHost } from './outbound-host.ts'

const TIMEOUT_MS = 5_000
const MAX_BYTES = 64 * 1024

export type OutboundRequest = {
  method?: string
  headers?: Record<string, string>
  body?: string
  /** For the whole answer, its body included. */
  timeoutMs?: number
  maxBytes?: number
  /** Also without https, which `readOutboundUrl` lets only hosts be that the operator named. */
  mayBePlain?: boolean
  signal?: AbortSignal
}

/**
 * Asks an address that somebody else named. The name is looked up once and the connection made to that very address,
 * which must be public; nothing is followed elsewhere, and an answer has an end. Throws whatever went wrong.
 */
export async function fetchOutbound(
  url: URL,
  allowPrivate: AllowPrivate,
  {
    method = 'GET',
    headers = {},
    body,
    timeoutMs = TIMEOUT_MS,
    maxBytes = MAX_BYTES,
    mayBePlain = false,
    signal,
  }: OutboundRequest = {},
): Promise<Response> {
  const isPlain = url.protocol === 'http:'
  if (url.protocol !== 'https:' && !(isPlain && mayBePlain))
    throw new Error('the address does not begin with https')
  const over = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])])
  const address = await resolveOutboundHost(hostOf(url), { allowPrivate })
  over.throwIfAborted()
  const { request } = isPlain ? http : https
  return new Promise((resolve, reject) => {
    const sent = request({
      ...requestOptionsAt(url, address, { accept: 'application/json', ...headers }),
      method,
      signal: over,
    })
    sent.on('error', reject)
    sent.on('response', response => {
      const chunks: Buffer[] = []
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > maxBytes) sent.destroy(new Error('the document is too long'))
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
