import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../kernel/context.ts'
import { unauthorized } from '../../kernel/errors.ts'
import { reportBuckets } from '../../kernel/rate-limit-buckets.ts'
import { limitConcurrency } from './concurrency-limit.ts'
import { sendError } from './errors.ts'
import type { RateLimits } from './rate-limits.ts'
import { toNetwork } from './to-network.ts'

/** A function that handles a callback and returns the response body; undefined when the signature is invalid. */
export type ReceiveVoiceCallback = (callback: {
  accountId: string
  assistantId: string
  headers: IncomingHttpHeaders
  body: string
}) => Promise<object | undefined>

/** A report contains the whole transcript, often twice. */
const MAX_BYTES = 2 * 1024 * 1024
const MAX_CONCURRENT = 32
/** Time to receive a body, before its sender is known. */
const BODY_TIMEOUT_MS = 10_000

type Params = { accountId: string; assistantId: string }

/**
 * Receives voice providers' callbacks: `POST /v1/callbacks/voice/{accountId}/{assistantId}`, authenticated by a
 * signature or the assistant's secret. Unknown assistants and wrong signatures get the same response.
 */
export async function mountVoiceCallbacks(
  server: FastifyInstance,
  app: App,
  limits: RateLimits,
  receive: ReceiveVoiceCallback,
): Promise<void> {
  const acquire = limitConcurrency(MAX_CONCURRENT, 'Too many callbacks at once. Try again in a moment.')
  /** Runs before the body is read, to limit the memory used. */
  const admit = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    await limits.countVoiceCallback(`${(request.params as Params).assistantId} ${toNetwork(request.ip)}`)
    acquire(reply)
    // Holds the raw request only: the Fastify request would keep the body in memory.
    const { raw } = request
    setTimeout(() => {
      if (!raw.complete) raw.destroy()
    }, BODY_TIMEOUT_MS).unref()
  }
  await server.register(async scope => {
    scope.removeAllContentTypeParsers()
    // Keeps the body unparsed, because the signature covers its exact text.
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: MAX_BYTES }, (_request, body, done) =>
      done(null, body),
    )
    scope.addHook('onRequest', admit)
    scope.setErrorHandler((error, request, reply) => sendError(app.log, error, request, reply))
    scope.post(
      '/v1/callbacks/voice/:accountId/:assistantId',
      { bodyLimit: MAX_BYTES, config: { name: 'receiveVoiceCallback' } },
      async (request, reply) => {
        const { headers, params, body } = request
        const callback = { ...(params as Params), headers, body: typeof body === 'string' ? body : '' }
        const response = await receive(callback)
        if (response) return response
        reportBuckets(reply, await limits.countFailure(request.ip))
        throw unauthorized('The callback is not signed by the assistant’s provider, or is too old.')
      },
    )
  })
}
