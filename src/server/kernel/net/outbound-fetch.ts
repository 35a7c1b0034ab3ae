import * as http from 'node:http'
import * as https from 'node:https'
import { AppError } from '../errors.ts'
import { type AllowPrivate, resolveOutboundHost, toHostname, toRequestOptions } from './outbound-host.ts'

const TIMEOUT_MS = 5_000
const MAX_BYTES = 64 * 1024
/** Answers of 100 to 199 before the one that counts. */
const MAX_HINTS = 20

export type OutboundRequest = {
  method?: string
  headers?: Record<string, string>
  body?: string
  /** For the whole answer, its body included. */
  timeoutMs?: number
  maxBytes?: number
  /** Also without https, which `readOutboundUrl` lets only hosts be that the operator named. */
  allowHttp?: boolean
  signal?: AbortSignal
}

/**
 * Asks an address that somebody else named. The name is looked up once and the connection made to that very address,
 * which must be public; nothing is followed elsewhere, and an answer has an end. Throws whatever went wrong.
 */
export async function fetchOutbound(
  url: URL,
  allowPrivate: AllowPrivate,
  { timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES, signal, ...request }: OutboundRequest = {},
): Promise<Response> {
  const over = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])])
  const response = await openOutbound(url, allowPrivate, { ...request, signal: over })
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new Error('the document is too long')
    chunks.push(chunk)
  }
  const { statusCode: status = 500, headers } = response
  const given = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
  return new Response(bytes > 0 ? Buffer.concat(chunks) : null, { status, headers: given })
}

/** The same for an answer that is passed on as it comes: its end, in time and bytes, is the caller's to set. */
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
    throw new Error('the address does not begin with https')
  const address = await resolveOutboundHost(toHostname(url), { allowPrivate })
  signal.throwIfAborted()
  const { request } = isPlain ? http : https
  const sent = request({
    ...toRequestOptions(url, address, { accept: 'application/json', ...headers }),
    method,
    signal,
  })
  sent.end(body)
  return waitForResponse(sent)
}

/** The head of what a request is answered. Ends however the request ends: some ends Node tells by 'close' alone. */
export function waitForResponse(sent: http.ClientRequest): Promise<http.IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>()
  let hints = 0
  sent.on('response', resolve)
  sent.on('error', reject)
  sent.on('close', () => reject(new Error('the connection was closed')))
  sent.on('upgrade', (_answer, socket) => {
    reject(new Error('it wants to speak another protocol'))
    socket.destroy()
  })
  sent.on('information', () => {
    hints += 1
    if (hints > MAX_HINTS) sent.destroy(new Error('it sends hints without end'))
  })
  return promise
}

/** Of a request's fault: the connection never stood, so nobody can have read the request. */
export const isConnectFailure = (fault: unknown): boolean =>
  fault instanceof AppError ||
  ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH'].includes((fault as NodeJS.ErrnoException).code ?? '')
