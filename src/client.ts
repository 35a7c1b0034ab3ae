import { ApiError } from './contract/api-error.ts'
import { type OperationName, type Output, operations, type RawInput } from './contract/index.ts'
import type { Operation } from './contract/operation.ts'

export { ApiError }

/** A REST request; `path` begins after /v1. The body is a file, or an object that is sent as JSON. */
export type RestRequest = { method: string; path: string; body?: object | undefined }

/** Splits the operation's flat input into path, query and body. */
export function toRequest<N extends OperationName>(name: N, input: RawInput<N>): RestRequest {
  const { method, path }: Pick<Operation, 'method' | 'path'> = operations[name]
  const rest = new Map(Object.entries(input))
  const filledPath = path.replace(/\{(\w+)\}/g, (_whole, field: string) => {
    const value = String(rest.get(field))
    rest.delete(field)
    return encodeURIComponent(value)
  })
  if (method !== 'GET' && method !== 'DELETE') {
    return { method, path: filledPath, body: Object.fromEntries(rest) }
  }
  const query = new URLSearchParams()
  for (const [field, value] of rest) {
    for (const item of [value].flat()) if (item !== undefined) query.append(field, String(item))
  }
  return { method, path: query.size > 0 ? `${filledPath}?${query}` : filledPath }
}

const createUnreachableError = (): ApiError =>
  new ApiError({ error: 'Unreachable', message: 'The server cannot be reached. Try again in a moment.' })

type SendOptions = { headers?: Record<string, string>; signal?: AbortSignal | undefined }

/** Sends one request to the server at `baseUrl` (empty for the page's own origin). Throws ApiError. */
export async function send<T>(
  baseUrl: string,
  { method, path, body }: RestRequest,
  { headers, signal }: SendOptions = {},
): Promise<T> {
  const fail = (error: unknown): never => {
    if (signal?.aborted) throw error
    throw createUnreachableError()
  }
  const isFile = body instanceof Blob
  const type = isFile ? 'application/octet-stream' : 'application/json'
  const response = await fetch(`${baseUrl}/v1${path}`, {
    method,
    headers: { ...headers, ...(body && { 'content-type': type }) },
    body: isFile ? body : body ? JSON.stringify(body) : null,
    signal: signal ?? null,
  }).catch(fail)
  // Only a complete body that is not JSON fails with a SyntaxError.
  const json = await response.json().catch(error => (error instanceof SyntaxError ? undefined : fail(error)))
  if (response.ok && json !== undefined) return json
  const retryAfterSeconds = Number(response.headers.get('retry-after')) || undefined
  if (json?.error) throw new ApiError({ ...json, retryAfterSeconds })
  // A reverse proxy responds with these when the server is down.
  if ([502, 503, 504].includes(response.status)) throw createUnreachableError()
  throw new ApiError({
    error: 'InternalServerError',
    message: `The server responded with status ${response.status} and no details.`,
  })
}

export type Client = <N extends OperationName>(
  name: N,
  input: RawInput<N>,
  options?: { signal?: AbortSignal; idempotencyKey?: string },
) => Promise<Output<N>>

/** Opens a client: `call('listCampaigns', { limit: 50 })` calls any operation by name, typed by the contract. */
export const openClient =
  (baseUrl: string, headers: () => Record<string, string>): Client =>
  (name, input, { signal, idempotencyKey } = {}) =>
    send(baseUrl, toRequest(name, input), {
      headers: { ...headers(), ...(idempotencyKey && { 'idempotency-key': idempotencyKey }) },
      signal,
    })
