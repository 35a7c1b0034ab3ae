import { AppError } from '../../kernel/errors.ts'
import { fetchOutbound, isConnectFailure } from '../../kernel/net/outbound-fetch.ts'
import type { AllowPrivate } from '../../kernel/net/outbound-host.ts'
import { parseRetryAfter } from '../../kernel/net/retry-after.ts'
import { stripHidden } from '../../kernel/text/strip-hidden.ts'
import { CallPostponed, CallRefused } from './provider.ts'

/** Enough for a page of calls with their transcripts. */
const MAX_BYTES = 8 * 1024 * 1024
const MAX_ERROR_LENGTH = 300
const MIN_WAIT_MS = 5_000
const MAX_WAIT_MS = 3_600_000

/** Access to the API of a provider. */
export type ProviderAccess = {
  /** Without a trailing slash. */
  baseUrl: string
  apiKey: string
  allowPrivate: AllowPrivate
}

export type ProviderResponse = { status: number; json: unknown; errorText: string; retryAfterMs: number }

type ProviderRequest = {
  method?: 'GET' | 'POST'
  body?: object
  headers?: Record<string, string>
  signal: AbortSignal
}

/** Sends one request. Throws when the response is incomplete, or successful but not JSON. */
export async function requestProvider(
  { baseUrl, apiKey, allowPrivate }: ProviderAccess,
  path: string,
  { method = 'GET', body, headers, signal }: ProviderRequest,
): Promise<ProviderResponse> {
  const response = await fetchOutbound(new URL(baseUrl + path), allowPrivate, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
    allowHttp: true,
    maxBytes: MAX_BYTES,
    // `signal` bounds the whole exchange.
    timeoutMs: 60_000,
    signal,
  })
  const { status } = response
  const text = await response.text()
  return {
    status,
    json: status < 300 ? JSON.parse(text) : undefined,
    errorText: getErrorText(text, apiKey),
    retryAfterMs: parseRetryAfter(response.headers.get('retry-after'), MAX_WAIT_MS),
  }
}

/** Returns the provider's error message without the API key: untrusted text, which may repeat the request. */
function getErrorText(text: string, apiKey: string): string {
  const message = findMessage(text)
  return stripHidden(message).replaceAll(apiKey, '…').slice(0, MAX_ERROR_LENGTH).toWellFormed().trim()
}

function findMessage(text: string): string {
  try {
    const { message, error } = JSON.parse(text)
    return [message ?? error].flat().join('; ')
  } catch {
    return ''
  }
}

/** Requests a call and returns the provider's JSON. Throws like `VoiceProvider.placeCall`. */
export async function requestDial(
  access: ProviderAccess,
  path: string,
  request: Omit<ProviderRequest, 'method'>,
): Promise<unknown> {
  const response = await requestProvider(access, path, { ...request, method: 'POST' }).catch(error => {
    // The provider's address is private, and the operator of this server has not allowed it.
    if (error instanceof AppError && error.code === 'ValidationError') throw new CallRefused(error.message)
    throw isConnectFailure(error) ? new CallPostponed('The provider can’t be reached.', MIN_WAIT_MS) : error
  })
  const { status, json, errorText, retryAfterMs } = response
  if (status < 300) return json
  // Vapi returns 400 with "Over Concurrency Limit".
  if (status === 429 || (status === 400 && /\bconcurren/i.test(errorText))) {
    throw new CallPostponed(errorText || 'The provider is busy.', Math.max(retryAfterMs, MIN_WAIT_MS))
  }
  // With these statuses, the provider may have acted on the request.
  if (status >= 500 || [408, 409, 425].includes(status))
    throw new Error(`the provider returned status ${status}`)
  throw new CallRefused(describeFailure(response)!)
}

/** Describes a failed response to members of the account; undefined for a successful one. */
export function describeFailure({ status, errorText }: ProviderResponse): string | undefined {
  if (status < 300) return undefined
  if (status === 401 || status === 403) {
    return 'The provider rejected the API key. Set a valid key and verify the assistant.'
  }
  return `The provider returned status ${status}${errorText ? `: ${errorText}` : ''}`
}

/** Returns the JSON of a successful response; throws for other responses. */
export function requireJson(response: ProviderResponse): unknown {
  const error = describeFailure(response)
  if (error) throw new Error(error)
  return response.json
}
