import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { errorStatus } from '../../../contract/error.ts'
import { getUnsubscribePage, unsubscribe } from '../../domain/dnc/unsubscribe.ts'
import {
  findLinkRecipient,
  type LinkRecipient,
  PREVIEW_TOKEN,
} from '../../domain/people/opt-outs/unsubscribe-token.ts'
import type { App } from '../../kernel/context.ts'
import { AppError } from '../../kernel/errors.ts'
import type { RateLimits } from './rate-limits.ts'
import { toNetwork } from './to-network.ts'
import {
  confirmPage,
  invalidLinkPage,
  previewLinkPage,
  temporaryErrorPage,
  unsubscribedPage,
  unsubscribePageHeaders,
} from './unsubscribe-page.ts'

const BODY_LIMIT_BYTES = 16 * 1024

/**
 * Serves the unsubscribe link of campaign emails. GET changes nothing, because mail scanners open every link. POST opts
 * the recipient out, from the page's button or an email client (RFC 8058). The link is the credential.
 */
export async function mountUnsubscribe(server: FastifyInstance, app: App, limits: RateLimits): Promise<void> {
  const readLink = async (request: FastifyRequest): Promise<LinkRecipient | undefined> => {
    const link = await findLinkRecipient(app, (request.params as { '*': string })['*'])
    // A mail provider's users share a few addresses, so only invalid links count by address.
    await limits.countUnsubscribe(
      link ? `message ${link.emailMessageId}` : `address ${toNetwork(request.ip)}`,
    )
    return link
  }
  await server.register(async scope => {
    // The body is ignored, as long as it is small.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: BODY_LIMIT_BYTES },
      (_request, _body, done) => done(null),
    )
    scope.setErrorHandler((error, request, reply) => sendErrorPage(app, error, request, reply))
    for (const method of ['get', 'post'] as const)
      scope[method](`/u/${PREVIEW_TOKEN}`, { config: { name: 'showPreviewLink' } }, (_request, reply) =>
        sendPage(reply, 200, previewLinkPage()),
      )
    scope.get('/u/*', { config: { name: 'showUnsubscribe' } }, async (request, reply) => {
      const link = await readLink(request)
      const found = link && (await getUnsubscribePage(app, link))
      if (!link || !found) return sendPage(reply, 404, invalidLinkPage())
      const recipient = { email: link.email, accountName: found.accountName }
      return sendPage(reply, 200, found.isOptedOut ? unsubscribedPage(recipient) : confirmPage(recipient))
    })
    scope.post('/u/*', { config: { name: 'unsubscribe' } }, async (request, reply) => {
      const link = await readLink(request)
      const from = { address: request.ip, requestId: request.id }
      const accountName = link && (await unsubscribe(app, link, 'unsubscribe_link', from))
      if (!link || accountName === undefined) return sendPage(reply, 404, invalidLinkPage())
      return sendPage(reply, 200, unsubscribedPage({ email: link.email, accountName }))
    })
  })
}

const sendPage = (reply: FastifyReply, status: number, html: string): FastifyReply =>
  reply.code(status).headers(unsubscribePageHeaders).send(html)

function sendErrorPage(app: App, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const code = error instanceof AppError ? error.code : undefined
  if (code !== 'TooManyRequests') {
    app.log.error({ requestId: request.id, err: error }, 'unsubscribe: a request failed')
  }
  const isTooLarge = (error as { statusCode?: number }).statusCode === 413
  const isRefused = code === 'TooManyRequests' || code === 'Forbidden'
  const retryAfter = error instanceof AppError ? error.retryAfterSeconds : undefined
  reply.header('retry-after', retryAfter ?? 60)
  return sendPage(reply, isRefused ? errorStatus[code] : isTooLarge ? 413 : 503, temporaryErrorPage())
}
