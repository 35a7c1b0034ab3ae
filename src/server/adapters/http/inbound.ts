import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../kernel/context.ts'
import { AppError, invalid, notFound } from '../../kernel/errors.ts'
import { limitConcurrency } from './concurrency-limit.ts'
import { sendError } from './errors.ts'
import type { RateLimits } from './rate-limits.ts'
import { toNetwork } from './to-network.ts'

type Mailbox = { accountId: string; mailboxId: string }

/** The size limit of pushed emails, the lookup of a mailbox by key, and the handler. */
export type Inbound = {
  maxBytes: number
  findMailbox: (key: string) => Promise<Mailbox | undefined>
  receive: (email: Mailbox & { raw: Buffer; receivedAt: Date; folder: 'pushed' }) => Promise<{
    outcome: string
    kind: string
    messageId?: string
    reason: string
  }>
}

/** Low, because each request may be as large as an email. */
const MAX_CONCURRENT = 10
/** Keeps one account from using all slots. */
const MAX_CONCURRENT_PER_ACCOUNT = 8
const TIMEOUT_MS = 60_000

/**
 * Receives raw mail pushed by a provider or script: `POST /v1/inbound/email/{key}`. The secret URL is the
 * credential. Retries are safe: a repeated email gets the same response and changes nothing.
 */
export async function mountInbound(
  server: FastifyInstance,
  app: App,
  limits: RateLimits,
  { maxBytes, findMailbox, receive }: Inbound,
): Promise<void> {
  const mailboxes = new WeakMap<FastifyRequest, Mailbox>()
  const acquire = limitConcurrency(
    MAX_CONCURRENT,
    'Too many emails at once. Try again in a moment.',
    MAX_CONCURRENT_PER_ACCOUNT,
  )
  /** Runs before the body is read, so that unknown callers use no memory. */
  const admit = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const mailbox = await findMailbox((request.params as { '*': string })['*'])
    await limits.countInbound(mailbox ? `mailbox ${mailbox.mailboxId}` : `address ${toNetwork(request.ip)}`)
    if (!mailbox) throw notFound('inbound mail URL')
    acquire(reply, mailbox.accountId)
    mailboxes.set(request, mailbox)
  }
  await server.register(async scope => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      'message/rfc822',
      { parseAs: 'buffer', bodyLimit: maxBytes },
      (_request, body, done) => done(null, body),
    )
    scope.addHook('onRequest', admit)
    scope.setErrorHandler((error, request, reply) =>
      sendError(app.log, toBodyError(error, maxBytes), request, reply),
    )
    scope.post(
      '/v1/inbound/email/*',
      { bodyLimit: maxBytes, handlerTimeout: TIMEOUT_MS, config: { name: 'receiveEmail' } },
      async request => {
        const raw = request.body
        if (!Buffer.isBuffer(raw) || raw.length === 0) throw invalid('', 'The body must be the raw email.')
        return receive({ ...mailboxes.get(request)!, raw, receivedAt: app.now(), folder: 'pushed' })
      },
    )
  })
}

/** Replaces Fastify's body errors with messages for this route. */
function toBodyError(error: unknown, maxBytes: number): unknown {
  switch (!(error instanceof AppError) && (error as FastifyError).code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return invalid('Content-Type', 'must be message/rfc822, with the raw email as the body')
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return invalid('', `The email is larger than ${maxBytes} bytes.`)
    default:
      return error
  }
}
