import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import cors from '@fastify/cors'
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import type { App } from '../context.ts'
import { invalid } from '../errors.ts'
import { refuseManyValues } from '../many-values.ts'
import { trustedProxies } from '../trusted-proxies.ts'
import { collectAddresses, methodFault } from './addresses.ts'
import { letAnyOrigin } from './any-origin.ts'
import { limitConnections } from './connection-limits.ts'
import { mountDocs } from './docs.ts'
import { errorBody, nothingHere, sendError } from './errors.ts'
import { mountHealth } from './health.ts'
import { openHostCheck } from './host-check.ts'
import { type Inbound, mountInbound } from './inbound.ts'
import { type InboundLinkedin, mountInboundLinkedin } from './inbound-linkedin.ts'
import { mountRecordings, type OpenRecording } from './recordings.ts'
import { type Guards, mountOperations } from './routes.ts'
import { mountSignIn } from './sign-in.ts'
import { mountUnsubscribe } from './unsubscribe.ts'
import { usualHeaders } from './usual-headers.ts'
import { mountVoiceCallbacks, type ReceiveVoiceCallback } from './voice-callbacks.ts'
import { mountWeb } from './web.ts'

/** Requests that lacked credentials or permission, or came too often: their lines name the address. */
const REFUSED_STATUSES = new Set([401, 403, 429])
const SANE_REQUEST_ID = /^[\w.:-]{1,128}$/

/** The HTTP door, ready to listen. Every wait has an end: headers, body, handler, idle connections. */
export async function openHttp(
  app: App,
  guards: Guards,
  behind: {
    inbound: Inbound
    linkedin: InboundLinkedin
    receiveVoiceCallback: ReceiveVoiceCallback
    openRecording: OpenRecording
  },
): Promise<FastifyInstance> {
  const lastRequests = new WeakMap<Socket, IncomingMessage>()
  const proxies = app.config.trustedProxies
  const server = fastify({
    logger: false,
    trustProxy: proxies.length > 0 && trustedProxies(proxies),
    connectionTimeout: 60_000,
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    handlerTimeout: 30_000,
    bodyLimit: 64 * 1024,
    forceCloseConnections: 'idle',
    genReqId: request => {
      const given = request.headers['x-request-id']
      return typeof given === 'string' && SANE_REQUEST_ID.test(given) ? given : randomUUID()
    },
    frameworkErrors: (error, request, reply) =>
      sendError(app.log, error, request, reply.headers(usualHeaders(app.config, request.id))),
    clientErrorHandler: (_error, socket) => {
      // What goes wrong within a body has its request's answer; another one would be taken for the next request's.
      const isWithinBody = lastRequests.get(socket)?.complete === false
      if (socket.writable) socket.end(isWithinBody ? '' : badRequest(app))
      else socket.destroy()
    },
    // Else Node refuses by itself, without a body.
    http: { requireHostHeader: false },
  })
  limitConnections(server.server, app)
  const checkHost = openHostCheck(app.config)
  server.server.on('request', request => lastRequests.set(request.socket, request))
  // Node would refuse what a client expects beyond 100-continue with an answer of its own; RFC 9110 lets us not care.
  server.server.on('checkExpectation', (request, response) => {
    server.server.emit('request', request, response)
  })
  readBodiesAsJson(server)
  collectAddresses(server)
  server.addHook('onRequest', async (request, reply) => {
    reply.headers(usualHeaders(app.config, request.id))
    checkHost(request)
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      throw invalid('Host', 'is a header that every request needs')
    }
    if (letAnyOrigin(request, reply)) return reply
    // Before the body is read, which would have its own faults.
    if (request.is404 || isPlainOptions(request)) throw methodFault(request, reply) ?? nothingHere()
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
  server.setErrorHandler((error, request, reply) => sendError(app.log, error, request, reply))
  if (app.config.corsOrigins.length > 0) {
    await server.register(cors, {
      origin: app.config.corsOrigins,
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      exposedHeaders: [
        'x-request-id',
        'ratelimit',
        'ratelimit-policy',
        'retry-after',
        'idempotency-replayed',
      ],
      maxAge: 600,
    })
  }
  mountHealth(server, app, { isOwnPort: false })
  await mountSignIn(server, app, guards)
  mountOperations(server, app, guards)
  await mountUnsubscribe(server, app, guards.limits)
  await mountInbound(server, app, guards.limits, behind.inbound)
  await mountInboundLinkedin(server, app, guards.limits, behind.linkedin)
  mountRecordings(server, app, guards, behind.openRecording)
  await mountVoiceCallbacks(server, app, guards.limits, behind.receiveVoiceCallback)
  await mountDocs(server, app)
  mountWeb(server, app)
  return server
}

/** No question of a browser for a script of another origin, which CORS_ORIGINS answers. */
const isPlainOptions = ({ method, headers }: FastifyRequest): boolean =>
  method === 'OPTIONS' &&
  (headers.origin === undefined || headers['access-control-request-method'] === undefined)

/** The answer to bytes that are no HTTP, so that no request exists which could be answered. */
function badRequest({ config }: App): string {
  const requestId = randomUUID()
  const body = JSON.stringify(errorBody(invalid('', 'The request is no valid HTTP.'), requestId))
  const headers = {
    ...usualHeaders(config, requestId),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 400 Bad Request\r\n${lines.join('')}\r\n${body}`
}

/** JSON alone; an empty body is one that is not there. */
function readBodiesAsJson(server: FastifyInstance): void {
  server.removeAllContentTypeParsers()
  const parse = server.getDefaultJsonParser('error', 'error')
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined)
    try {
      refuseManyValues(body as string)
    } catch (fault) {
      return done(fault as Error)
    }
    parse(request, body as string, done)
  })
}
