import * as http from 'node:http'
import * as https from 'node:https'
import { AppError } from '../errors.ts'
import { type AllowPrivate, resolveOutboundHost, toHostname, toRequestOptions } from './outbound-host.ts'

const TIMEOUT_MS = 5_000
const MAX_BYTES = 64 * 1024
/** Maximum number of informational responses (1xx) before the final one. */
const MAX_INFORMATIONAL = 20

export type OutboundRequest = {
  method?: string
  headers?: Record<string, string>
  body?: string
  /** Timeout of the whole response, including its body. */
  timeoutMs?: number
  maxBytes?: number
  /** Allows http; `parseOutboundUrl` accepts http only for hosts that the operator allows. */
  allowHttp?: boolean
  signal?: AbortSignal
}

/**
 * Fetches a URL that a user supplied. Resolves the host once and connects to that address, which must be public;
 * follows no redirects and bounds time and size. Throws when no complete response arrives.
 */
export async function fetchOutbound(
  url: URL,
  allowPrivate: AllowPrivate,
  { timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES, signal, ...request }: OutboundRequest = {},
): Promise<Response> {
  const deadline = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])])
  const response = await openOutbound(url, allowPrivate, { ...request, signal: deadline })
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new Error('the response is too large')
    chunks.push(chunk)
  }
  const { statusCode: status = 500, headers } = response
  const headerEntries = Object.entries(headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ])
  return new Response(bytes > 0 ? Buffer.concat(chunks) : null, { status, headers: headerEntries })
}

/** Fetches like `fetchOutbound`, but returns a stream; the caller bounds time and size. */
export async function openOutbound(
  url: URL,
  allowPrivate: AllowPrivate,
  {
    method = 'GET',
    headers = {},
    body,
    allowHttp = false,
    signal,
  }: Omit<OutboundRequest, 'timeoutMs' | 'maxBytes' | 'signal'> & { signal: AbortSignal },
): Promise<http.IncomingMessage> {
  const isPlain = url.protocol === 'http:'
  if (url.protocol !== 'https:' && !(isPlain && allowHttp))
    throw new Error('the URL must start with https://')
  const address = await resolveOutboundHost(toHostname(url), { allowPrivate })
  signal.throwIfAborted()
  const { request } = isPlain ? http : https
  const outgoing = request({
    ...toRequestOptions(url, address, { accept: 'application/json', ...headers }),
    method,
    signal,
  })
  outgoing.end(body)
  return waitForResponse(outgoing)
}

/** Resolves with the head of the response. Always settles: for some failures, Node emits only 'close'. */
export function waitForResponse(outgoing: http.ClientRequest): Promise<http.IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>()
  let informational = 0
  outgoing.on('response', resolve)
  outgoing.on('error', reject)
  outgoing.on('close', () => reject(new Error('the connection was closed')))
  outgoing.on('upgrade', (_response, socket) => {
    reject(new Error('the server switched to another protocol'))
    socket.destroy()
  })
  outgoing.on('information', () => {
    informational += 1
    if (informational > MAX_INFORMATIONAL)
      outgoing.destroy(new Error('the server sent too many informational responses'))
  })
  return promise
}

/** Returns whether no connection was made, so nobody can have read the request. */
export const isConnectFailure = (error: unknown): boolean =>
  error instanceof AppError ||
  ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH'].includes((error as NodeJS.ErrnoException).code ?? '')
