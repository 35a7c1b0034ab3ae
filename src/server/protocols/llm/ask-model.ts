import { fetchOutbound } from '../../kernel/net/outbound-fetch.ts'
import type { AllowPrivate } from '../../kernel/net/outbound-host.ts'
import { parseRetryAfter } from '../../kernel/net/retry-after.ts'
import { stripHidden } from '../../kernel/text/strip-hidden.ts'
import { anthropicApi } from './anthropic.ts'
import { type Model, type ModelAnswer, ModelError, type Question } from './model.ts'
import { openaiApi } from './openai.ts'

/** For the whole answer, the look-up included. */
export const MODEL_TIMEOUT_MS = 60_000
const MAX_BYTES = 256 * 1024
const LONGEST_WAIT_MS = 6 * 3_600_000
const MAX_TOLD = 200

const wires = { openai: openaiApi, openai_compatible: openaiApi, anthropic: anthropicApi }

/** Where the providers' own APIs are. */
export const defaultBaseUrls = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
}

type Limits = { allowPrivate: AllowPrivate; signal?: AbortSignal; timeoutMs?: number }

/** Asks once. Throws a ModelError whatever went wrong, but for the signal, whose reason it throws. */
export async function askModel(
  model: Model,
  question: Question,
  { allowPrivate, signal, timeoutMs = MODEL_TIMEOUT_MS }: Limits,
): Promise<ModelAnswer> {
  const wire = wires[model.provider]
  const over = AbortSignal.timeout(timeoutMs)
  let response: Response
  try {
    response = await fetchOutbound(new URL(model.baseUrl + wire.path), allowPrivate, {
      method: 'POST',
      headers: { ...wire.headers(model), 'content-type': 'application/json' },
      body: JSON.stringify(wire.body(model, question)),
      timeoutMs,
      maxBytes: MAX_BYTES,
      allowHttp: true,
      ...(signal && { signal }),
    })
  } catch (fault) {
    signal?.throwIfAborted()
    if (over.aborted) throw new ModelError(`The model gave no answer within ${timeoutMs / 1000} seconds.`)
    throw new ModelError(`The model could not be reached: ${told(nameOf(fault))}.`)
  }
  if (!response.ok) throw await refusalOf(response)
  const answer = await readJson(response)
  const usage = wire.usage(answer)
  return { value: wire.read(answer, usage), usage }
}

/** What the system says of a connection names the address, which is nobody's business outside. */
function nameOf(fault: unknown): string {
  const { code, message } = fault as NodeJS.ErrnoException
  return code && /^E[A-Z]+$/.test(code) ? code : message.replace(/\.$/, '')
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch {
    throw new ModelError('The model’s server answered with something that is no JSON.')
  }
}

/** Both APIs say in `error.message` what they didn't like. */
async function refusalOf(response: Response): Promise<ModelError> {
  const { status, headers } = response
  const text = await response.text()
  const why = /"message"\s*:\s*"((?:[^"\\]|\\.){1,1000})"/.exec(text)?.[1] ?? ''
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'), LONGEST_WAIT_MS)
  return new ModelError(`The model’s server answered ${status}${why && `: ${told(why)}`}.`, { retryAfterMs })
}

/** Some quote the key that they don't know. */
const told = (text: string): string =>
  stripHidden(text)
    .replace(/\b[\w*-]*(?:sk|key)-[\w*-]+/gi, '…')
    .slice(0, MAX_TOLD)
    .toWellFormed()
    .replace(/\.$/, '')
