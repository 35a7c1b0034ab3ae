import { fetchOutbound } from '../../kernel/net/outbound-fetch.ts'
import type { AllowPrivate } from '../../kernel/net/outbound-host.ts'
import { parseRetryAfter } from '../../kernel/net/retry-after.ts'
import { stripHidden } from '../../kernel/text/strip-hidden.ts'
import { anthropicApi } from './anthropic.ts'
import { type Model, type ModelAnswer, ModelError, type Question } from './model.ts'
import { openaiApi } from './openai.ts'

/** Time limit for the whole exchange, including DNS. */
export const MODEL_TIMEOUT_MS = 60_000
const MAX_BYTES = 256 * 1024
const MAX_WAIT_MS = 6 * 3_600_000
const MAX_REASON_LENGTH = 200

const apis = { openai: openaiApi, openai_compatible: openaiApi, anthropic: anthropicApi }

/** The base URLs of the providers. */
export const defaultBaseUrls = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
}

type Limits = { allowPrivate: AllowPrivate; signal?: AbortSignal; timeoutMs?: number }

/** Asks the model once. Throws the signal's reason when it aborts, and a ModelError for any other failure. */
export async function askModel(
  model: Model,
  question: Question,
  { allowPrivate, signal, timeoutMs = MODEL_TIMEOUT_MS }: Limits,
): Promise<ModelAnswer> {
  const api = apis[model.provider]
  const deadline = AbortSignal.timeout(timeoutMs)
  let response: Response
  try {
    response = await fetchOutbound(new URL(model.baseUrl + api.path), allowPrivate, {
      method: 'POST',
      headers: { ...api.headers(model), 'content-type': 'application/json' },
      body: JSON.stringify(api.body(model, question)),
      timeoutMs,
      maxBytes: MAX_BYTES,
      allowHttp: true,
      ...(signal && { signal }),
    })
  } catch (error) {
    signal?.throwIfAborted()
    if (deadline.aborted) throw new ModelError(`The model did not answer within ${timeoutMs / 1000} seconds.`)
    throw new ModelError(`The model could not be reached: ${sanitize(describeError(error))}.`)
  }
  if (!response.ok) throw await toStatusError(response)
  const json = await readJson(response)
  const usage = api.usage(json)
  return { value: api.read(json, usage), usage }
}

/** Returns the message of an error, but only the code of a system error, whose message contains the address. */
function describeError(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code && /^E[A-Z]+$/.test(code) ? code : message.replace(/\.$/, '')
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch {
    throw new ModelError('The model’s server returned invalid JSON.')
  }
}

/** Reads the reason from `error.message`, which both APIs use. */
async function toStatusError(response: Response): Promise<ModelError> {
  const { status, headers } = response
  const text = await response.text()
  const reason = /"message"\s*:\s*"((?:[^"\\]|\\.){1,1000})"/.exec(text)?.[1] ?? ''
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'), MAX_WAIT_MS)
  return new ModelError(`The model’s server returned status ${status}${reason && `: ${sanitize(reason)}`}.`, {
    retryAfterMs,
  })
}

/** Removes API keys, which some servers quote, and hidden characters. */
const sanitize = (text: string): string =>
  stripHidden(text)
    .replace(/\b[\w*-]*(?:sk|key)-[\w*-]+/gi, '…')
    .slice(0, MAX_REASON_LENGTH)
    .toWellFormed()
    .replace(/\.$/, '')
