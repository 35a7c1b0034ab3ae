import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import fastify, { type FastifyHttpOptions, type FastifyInstance, type RawServerDefault } from 'fastify'
import type { App } from '../../kernel/context.ts'
import { invalid } from '../../kernel/errors.ts'
import { limitConnections } from './connection-limits.ts'
import { errorBody, sendError } from './errors.ts'
import { openHostCheck } from './host-check.ts'
import { usualHeaders } from './security-headers.ts'

const SANE_REQUEST_ID = /^[\w.:-]{1,128}$/

/**
 * A server without routes: connections are bounded, host names checked, and every answer, also to bytes that are no
 * HTTP, is ours and has the usual headers.
 */
export function openServer(
  app: App,
  options: Pick<
    FastifyHttpOptions<RawServerDefault>,
    | 'trustProxy'
    | 'connectionTimeout'
    | 'requestTimeout'
    | 'keepAliveTimeout'
    | 'handlerTimeout'
    | 'bodyLimit'
    | 'forceCloseConnections'
  >,
): FastifyInstance {
  const lastRequests = new WeakMap<Socket, IncomingMessage>()
  const server = fastify({
    ...options,
    logger: false,
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
  server.addHook('onRequest', async (request, reply) => {
    reply.headers(usualHeaders(app.config, request.id))
    checkHost(request)
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      throw invalid('Host', 'is a header that every request needs')
    }
  })
  server.setErrorHandler((error, request, reply) => sendError(app.log, error, request, reply))
  return server
}

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
