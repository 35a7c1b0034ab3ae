import { AppError } from '../../kernel/errors.ts'
import { fetchOutbound, isConnectFailure } from '../../kernel/net/outbound-fetch.ts'
import type { AllowPrivate } from '../../kernel/net/outbound-host.ts'
import { parseRetryAfter } from '../../kernel/net/retry-after.ts'
import { stripHidden } from '../../kernel/text/strip-hidden.ts'
import { CallPostponed, CallRefused } from './provider.ts'

/** Room for a page of calls with their transcripts. */
const MAX_BYTES = 8 * 1024 * 1024
const MAX_WORDS = 300
const LEAST_WAIT_MS = 5_000
const LONGEST_WAIT_MS = 3_600_000

/** How a provider is reached. */
export type ProviderAccess = {
  /** Without a slash at its end. */
  baseUrl: string
  apiKey: string
  allowPrivate: AllowPrivate
}

export type ProviderResponse = { status: number; json: unknown; words: string; retryAfterMs: number }

type Question = {
  method?: 'GET' | 'POST'
  body?: object
  headers?: Record<string, string>
  signal: AbortSignal
}

/** One request. Throws when no whole answer came, or one that is not JSON where it should be. */
export async function requestProvider(
  { baseUrl, apiKey, allowPrivate }: ProviderAccess,
  path: string,
  { method = 'GET', body, headers, signal }: Question,
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
    // The signal of the whole question is the bound.
    timeoutMs: 60_000,
    signal,
  })
  const { status } = response
  const text = await response.text()
  return {
    status,
    json: status < 300 ? JSON.parse(text) : undefined,
    words: wordsOf(text, apiKey),
    retryAfterMs: parseRetryAfter(response.headers.get('retry-after'), LONGEST_WAIT_MS),
  }
}

/** What a provider says is wrong: hostile text, which may repeat what it was told. */
function wordsOf(text: string, apiKey: string): string {
  const said = messageIn(text)
  return stripHidden(said).replaceAll(apiKey, '…').slice(0, MAX_WORDS).toWellFormed().trim()
}

function messageIn(text: string): string {
  try {
    const { message, error } = JSON.parse(text)
    return [message ?? error].flat().join('; ')
  } catch {
    return ''
  }
}

/** Asks to dial; answers with what the provider made of it. Throws as `VoiceProvider.placeCall` does. */
export async function requestDial(
  access: ProviderAccess,
  path: string,
  question: Omit<Question, 'method'>,
): Promise<unknown> {
  const answer = await requestProvider(access, path, { ...question, method: 'POST' }).catch(fault => {
    // Of an address that may not be asked at all; the operator of this server can allow it.
    if (fault instanceof AppError && fault.code === 'ValidationError') throw new CallRefused(fault.message)
    throw isConnectFailure(fault) ? new CallPostponed('The provider can’t be reached.', LEAST_WAIT_MS) : fault
  })
  const { status, json, words, retryAfterMs } = answer
  if (status < 300) return json
  // The latter is Vapi's "Over Concurrency Limit".
  if (status === 429 || (status === 400 && /\bconcurren/i.test(words))) {
    throw new CallPostponed(words || 'The provider is too busy.', Math.max(retryAfterMs, LEAST_WAIT_MS))
  }
  // Of these it is not certain that the request was not acted upon.
  if (status >= 500 || [408, 409, 425].includes(status)) throw new Error(`the provider answered ${status}`)
  throw new CallRefused(describeFailure(answer)!)
}

/** What is wrong with an answer, in words for the account; undefined when nothing is. */
export function describeFailure({ status, words }: ProviderResponse): string | undefined {
  if (status < 300) return undefined
  if (status === 401 || status === 403) {
    return 'The provider does not accept the API key. Give a valid one, and verify the assistant.'
  }
  return `The provider answered ${status}${words ? `: ${words}` : ''}`
}

/** The JSON of an answer that has to be there. Throws otherwise. */
export function requireJson(answer: ProviderResponse): unknown {
  const fault = describeFailure(answer)
  if (fault) throw new Error(fault)
  return answer.json
}
