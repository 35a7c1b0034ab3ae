import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../kernel/context.ts'
import { unauthorized } from '../../kernel/errors.ts'
import { reportBuckets } from '../../kernel/rate-limit-buckets.ts'
import { limitAtOnce } from './concurrency-limit.ts'
import { sendError } from './errors.ts'
import type { RateLimits } from './rate-limits.ts'
import { toNetwork } from './to-network.ts'

/** What stands behind the door: the answer to a message; undefined when it isn't proved to be the provider's. */
export type ReceiveVoiceCallback = (callback: {
  accountId: string
  assistantId: string
  headers: IncomingHttpHeaders
  body: string
}) => Promise<object | undefined>

/** A report holds the whole transcript, often twice. */
const MAX_BYTES = 2 * 1024 * 1024
const MAX_AT_ONCE = 32
/** For a body, of which nobody knows yet whether a provider sent it. */
const BODY_MS = 10_000

type Params = { accountId: string; assistantId: string }

/**
 * What voice providers tell of calls: `POST /v1/callbacks/voice/{accountId}/{assistantId}`, proved by a signature or a
 * secret of the assistant's. Unknown addresses and wrong proofs get the same answer.
 */
export async function mountVoiceCallbacks(
  server: FastifyInstance,
  app: App,
  limits: RateLimits,
  receive: ReceiveVoiceCallback,
): Promise<void> {
  const takePlace = limitAtOnce(MAX_AT_ONCE, 'Too many callbacks come in at once. Try again in a moment.')
  /** Before the body is read, and no more of them at once than memory holds. */
  const admit = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    await limits.countVoiceCallback(`${(request.params as Params).assistantId} ${toNetwork(request.ip)}`)
    takePlace(reply)
    // Not the request, which would keep its body for as long.
    const { raw } = request
    setTimeout(() => {
      if (!raw.complete) raw.destroy()
    }, BODY_MS).unref()
  }
  await server.register(async scope => {
    scope.removeAllContentTypeParsers()
    // As it came: signatures are of bytes.
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
        const about = { ...(params as Params), headers, body: typeof body === 'string' ? body : '' }
        const answer = await receive(about)
        if (answer) return answer
        reportBuckets(reply, await limits.countFailure(request.ip))
        throw unauthorized('This is no callback of the assistant’s provider, or one of long ago.')
      },
    )
  })
}
