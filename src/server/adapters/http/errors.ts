import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { errorStatus } from '../../../contract/error.ts'
import { toDatabaseError } from '../../kernel/db/database.ts'
import { AppError, invalid } from '../../kernel/errors.ts'
import type { Log } from '../../kernel/log.ts'

/** Sends an error as the API's error body. Unknown errors are logged in full and answered with 500. */
export function sendError(
  log: Log,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const error = toAppError(thrown)
  if (error.code === 'InternalServerError' || error.code === 'ServiceUnavailable') {
    log.error({ requestId: request.id, err: error.cause ?? error }, 'request failed')
  }
  if (error.code === 'Unauthorized' && !reply.hasHeader('www-authenticate')) {
    reply.header('www-authenticate', 'Bearer')
  }
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds)
  return reply
    .code(errorStatus[error.code])
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(toErrorBody(error, request.id)))
}

export const toErrorBody = (error: AppError, requestId: string) => ({
  error: error.code,
  message: error.message,
  requestId,
  ...(error.details && { details: error.details }),
})

export const routeNotFound = (): AppError => new AppError('NotFound', 'Unknown path. See /docs.')

function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown
  const error = toDatabaseError(thrown)
  if (error instanceof AppError) return error
  const { code = '', statusCode = 500 } = thrown as Partial<FastifyError>
  if (code === 'FST_ERR_HANDLER_TIMEOUT') {
    return new AppError('ServiceUnavailable', 'The request timed out. Try again in a moment.', {
      retryAfterSeconds: 5,
      cause: thrown,
    })
  }
  if (code === 'FST_ERR_BAD_URL') return routeNotFound()
  if (statusCode >= 400 && statusCode < 500) return invalid('', bodyErrors[code] ?? (thrown as Error).message)
  return new AppError(
    'InternalServerError',
    'Something went wrong on our side. Quote the request ID when you report it.',
    {
      cause: thrown,
    },
  )
}

/** Messages for Fastify's body errors. */
const bodyErrors: Record<string, string> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'Send the body as JSON, with the header Content-Type: application/json.',
  FST_ERR_CTP_BODY_TOO_LARGE: 'The body is larger than this operation allows.',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The body does not match its Content-Length.',
  FST_ERR_CTP_INVALID_JSON_BODY: 'The body must be valid JSON.',
}
