import cors from '@fastify/cors'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { App } from '../../kernel/context.ts'
import { createAddressCheck } from '../../kernel/net/address-check.ts'
import { rejectTooManyValues } from '../../kernel/text/reject-too-many-values.ts'
import { allowAnyOrigin } from './allow-any-origin.ts'
import { type Attachments, mountAttachments } from './attachments.ts'
import { mountDocs } from './docs.ts'
import { type GetEmailHtml, mountEmailHtml } from './email-html.ts'
import { routeNotFound } from './errors.ts'
import { mountExports, type OpenExportFile } from './exports.ts'
import { mountHealth } from './health.ts'
import { type Inbound, mountInbound } from './inbound.ts'
import { type InboundCallbacks, mountInboundCallbacks } from './inbound-callbacks.ts'
import { collectKnownPaths, methodNotAllowed } from './known-paths.ts'
import { openServer } from './open-server.ts'
import { mountRecordings, type OpenRecording } from './recordings.ts'
import { type Guards, mountOperations, type ToCsv } from './routes.ts'
import { type LiveEvents, mountSessionEvents } from './session-events.ts'
import { mountSignIn } from './sign-in.ts'
import { mountUnsubscribe } from './unsubscribe.ts'
import { mountVoiceCallbacks, type ReceiveVoiceCallback } from './voice-callbacks.ts'
import { isUnknownPage, mountWeb } from './web.ts'

/** Statuses of the responses that are logged with the client's address. */
const REFUSED_STATUSES = new Set([401, 403, 429])

/** Creates the HTTP server, with timeouts for headers, body, handlers and idle connections. */
export async function openHttp(
  app: App,
  guards: Guards,
  services: {
    inbound: Inbound
    callbacks: InboundCallbacks[]
    receiveVoiceCallback: ReceiveVoiceCallback
    openRecording: OpenRecording
    openExportFile: OpenExportFile
    live: LiveEvents
    toCsv: ToCsv
    attachments: Attachments
    getEmailHtml: GetEmailHtml
  },
): Promise<FastifyInstance> {
  const proxies = app.config.trustedProxies
  const server = openServer(app, {
    trustProxy: proxies.length > 0 && createAddressCheck(proxies),
    connectionTimeout: 60_000,
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    handlerTimeout: 30_000,
    bodyLimit: 64 * 1024,
    forceCloseConnections: 'idle',
  })
  readBodiesAsJson(server)
  collectKnownPaths(server)
  server.addHook('onRequest', async (request, reply) => {
    if (allowAnyOrigin(request, reply)) return reply
    // Runs before the body is read, so that an error in the body does not hide this one.
    if (request.is404 ? !isUnknownPage(request) : isPlainOptions(request))
      throw methodNotAllowed(request, reply) ?? routeNotFound()
  })
  server.addHook('onResponse', async (request, reply) => {
    app.log.info({
      requestId: request.id,
      operation: (request.routeOptions.config as { name?: string }).name,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      accountId: request.identity?.accountId,
      userId: request.identity?.userId,
      ...(REFUSED_STATUSES.has(reply.statusCode) && { address: request.ip }),
    })
  })
  if (app.config.corsOrigins.length > 0) {
    await server.register(cors, {
      origin: app.config.corsOrigins,
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      exposedHeaders: [
        'x-request-id',
        'etag',
        'ratelimit',
        'ratelimit-policy',
        'retry-after',
        'idempotency-replayed',
      ],
      maxAge: 600,
    })
  }
  mountHealth(server, app, { isHealthPort: false })
  await mountSignIn(server, app, guards)
  mountSessionEvents(server, app, guards, services.live)
  mountOperations(server, app, guards, services.toCsv)
  await mountUnsubscribe(server, app, guards.limits)
  await mountInbound(server, app, guards.limits, services.inbound)
  mountEmailHtml(server, app, guards, services.getEmailHtml)
  await mountAttachments(server, app, guards, services.attachments)
  for (const callbacks of services.callbacks)
    await mountInboundCallbacks(server, app, guards.limits, callbacks)
  mountExports(server, app, guards, services.openExportFile)
  mountRecordings(server, app, guards, services.openRecording)
  await mountVoiceCallbacks(server, app, guards.limits, services.receiveVoiceCallback)
  mountDocs(server, app)
  mountWeb(server, app)
  return server
}

/** Returns whether this is an OPTIONS request that is not a CORS preflight. */
const isPlainOptions = ({ method, headers }: FastifyRequest): boolean =>
  method === 'OPTIONS' &&
  (headers.origin === undefined || headers['access-control-request-method'] === undefined)

/** Accepts JSON only; treats an empty body as no body. */
function readBodiesAsJson(server: FastifyInstance): void {
  server.removeAllContentTypeParsers()
  const parse = server.getDefaultJsonParser('error', 'error')
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined)
    try {
      rejectTooManyValues(body as string)
    } catch (error) {
      return done(error as Error)
    }
    parse(request, body as string, done)
  })
}
