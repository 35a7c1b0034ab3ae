import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import fastify, { type FastifyHttpOptions, type FastifyInstance, type RawServerDefault } from 'fastify'
import type { App } from '../../kernel/context.ts'
import { invalid } from '../../kernel/errors.ts'
import { limitConnections } from './connection-limits.ts'
import { sendError, toErrorBody } from './errors.ts'
import { openHostCheck } from './host-check.ts'
import { defaultHeaders } from './security-headers.ts'

const VALID_REQUEST_ID = /^[\w.:-]{1,128}$/

/**
 * Creates a server without routes that limits connections, checks host names, sends our default headers with every
 * response, and reports all errors, even invalid HTTP, with our error body.
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
      return typeof given === 'string' && VALID_REQUEST_ID.test(given) ? given : randomUUID()
    },
    frameworkErrors: (error, request, reply) =>
      sendError(app.log, error, request, reply.headers(defaultHeaders(app.config, request.id))),
    clientErrorHandler: (_error, socket) => {
      // The request handler reports errors in the request body. Clients would mistake a second response for the
      // response to the next request.
      const isWithinBody = lastRequests.get(socket)?.complete === false
      if (socket.writable) socket.end(isWithinBody ? '' : badRequest(app))
      else socket.destroy()
    },
    // Otherwise Node itself rejects requests without a Host header, and its response has no body.
    http: { requireHostHeader: false },
  })
  limitConnections(server.server, app)
  const checkHost = openHostCheck(app.config)
  server.server.on('request', request => lastRequests.set(request.socket, request))
  // Node rejects expectations other than 100-continue; RFC 9110 allows ignoring them.
  server.server.on('checkExpectation', (request, response) => {
    server.server.emit('request', request, response)
  })
  server.addHook('onRequest', async (request, reply) => {
    reply.headers(defaultHeaders(app.config, request.id))
    checkHost(request)
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      throw invalid('Host', 'must be sent with every request')
    }
  })
  server.setErrorHandler((error, request, reply) => sendError(app.log, error, request, reply))
  return server
}

/** Returns the raw response to bytes that are not valid HTTP. */
function badRequest({ config }: App): string {
  const requestId = randomUUID()
  const body = JSON.stringify(toErrorBody(invalid('', 'The request is not valid HTTP.'), requestId))
  const headers = {
    ...defaultHeaders(config, requestId),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 400 Bad Request\r\n${lines.join('')}\r\n${body}`
}
