import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../kernel/context.ts'
import { invalid, notFound } from '../../kernel/errors.ts'
import { limitConcurrency } from './concurrency-limit.ts'
import { sendError } from './errors.ts'
import type { RateLimits } from './rate-limits.ts'
import { toNetwork } from './to-network.ts'

type Account = { accountId: string; id: string }

/** Callbacks of one kind: their URL, the lookup of an account by key, and the handler. */
export type InboundCallbacks = {
  /** Names the URL: `/v1/inbound/{kind}/{key}`. */
  kind: 'linkedin' | 'meetings'
  noun: string
  operation: string
  findAccount: (key: string) => Account | undefined
  receive: (request: Account & { headers: FastifyRequest['headers']; body: Buffer }) => Promise<object>
}

const MAX_BYTES = 256 * 1024
const MAX_CONCURRENT = 16
const TIMEOUT_MS = 30_000

/** Receives signed events from a provider: `POST /v1/inbound/{kind}/{key}`. */
export async function mountInboundCallbacks(
  server: FastifyInstance,
  app: App,
  limits: RateLimits,
  { kind, noun, operation, findAccount, receive }: InboundCallbacks,
): Promise<void> {
  const accounts = new WeakMap<FastifyRequest, Account>()
  const acquire = limitConcurrency(MAX_CONCURRENT, 'Too many requests at once. Try again in a moment.')
  const admit = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const account = findAccount((request.params as { '*': string })['*'])
    await limits.countInbound(account ? `${kind} ${account.id}` : `address ${toNetwork(request.ip)}`)
    if (!account) throw notFound(noun)
    acquire(reply)
    accounts.set(request, account)
  }
  await server.register(async scope => {
    scope.removeAllContentTypeParsers()
    // Keeps the raw bytes, because the signature covers them.
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BYTES }, (_request, body, done) =>
      done(null, body),
    )
    scope.addHook('onRequest', admit)
    scope.setErrorHandler((error, request, reply) => sendError(app.log, error, request, reply))
    scope.post(
      `/v1/inbound/${kind}/*`,
      { bodyLimit: MAX_BYTES, handlerTimeout: TIMEOUT_MS, config: { name: operation } },
      async request => {
        if (!Buffer.isBuffer(request.body)) throw invalid('', 'The body must be JSON.')
        return receive({ ...accounts.get(request)!, headers: request.headers, body: request.body })
      },
    )
  })
}
