import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../kernel/context.ts'
import { AppError, invalid, notFound } from '../../kernel/errors.ts'
import { limitAtOnce } from './concurrency-limit.ts'
import { sendError } from './errors.ts'
import type { RateLimits } from './rate-limits.ts'
import { toNetwork } from './to-network.ts'

type Mailbox = { accountId: string; mailboxId: string }

/** What stands behind the door: whom a key is for, and what is done with a mail. */
export type Inbound = {
  maxBytes: number
  findMailbox: (key: string) => Promise<Mailbox | undefined>
  receive: (mail: Mailbox & { raw: Buffer; receivedAt: Date; folder: 'pushed' }) => Promise<{
    outcome: string
    kind: string
    messageId?: string
    why: string
  }>
}

/** Each may be as large as a mail. */
const MAX_AT_ONCE = 10
/** One account leaves places to others. */
const MAX_OF_ACCOUNT = 8
const TIMEOUT_MS = 60_000

/**
 * Mail that a provider or a script pushes, as it came: `POST /v1/inbound/email/{key}`. Whoever holds the address needs
 * no other proof. The same mail once more is answered the same and changes nothing, so pushing again is always safe.
 */
export async function mountInbound(
  server: FastifyInstance,
  app: App,
  limits: RateLimits,
  { maxBytes, findMailbox, receive }: Inbound,
): Promise<void> {
  const mailboxes = new WeakMap<FastifyRequest, Mailbox>()
  const takePlace = limitAtOnce(
    MAX_AT_ONCE,
    'Too many mails come in at once. Try again in a moment.',
    MAX_OF_ACCOUNT,
  )
  /** Before the body is read, so that a stranger's never is, and no more of them at once than memory holds. */
  const admit = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const mailbox = await findMailbox((request.params as { '*': string })['*'])
    await limits.countInbound(mailbox ? `mailbox ${mailbox.mailboxId}` : `address ${toNetwork(request.ip)}`)
    if (!mailbox) throw notFound('address for mail')
    takePlace(reply, mailbox.accountId)
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
      sendError(app.log, inWordsOf(error, maxBytes), request, reply),
    )
    scope.post(
      '/v1/inbound/email/*',
      { bodyLimit: maxBytes, handlerTimeout: TIMEOUT_MS, config: { name: 'receiveEmail' } },
      async request => {
        const raw = request.body
        if (!Buffer.isBuffer(raw) || raw.length === 0)
          throw invalid('', 'The body must be the mail as it came.')
        return receive({ ...mailboxes.get(request)!, raw, receivedAt: app.now(), folder: 'pushed' })
      },
    )
  })
}

/** Fastify's faults of a body, in words of what to do here. */
function inWordsOf(error: unknown, maxBytes: number): unknown {
  switch (!(error instanceof AppError) && (error as FastifyError).code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return invalid('Content-Type', 'must be message/rfc822, and the body the mail as it came')
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return invalid('', `The mail is larger than ${maxBytes} bytes.`)
    default:
      return error
  }
}
