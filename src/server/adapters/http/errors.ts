import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { errorStatus } from '../../../contract/error.ts'
import { toDatabaseError } from '../../kernel/db/database.ts'
import { AppError, invalid } from '../../kernel/errors.ts'
import type { Log } from '../../kernel/log.ts'

/** Turns whatever was thrown into the API's error body; what is nobody's known fault is logged whole and told as 500. */
export function sendError(
  log: Log,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const error = asAppError(thrown)
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
    .send(JSON.stringify(errorBody(error, request.id)))
}

export const errorBody = (error: AppError, requestId: string) => ({
  error: error.code,
  message: error.message,
  requestId,
  ...(error.details && { details: error.details }),
})

export const nothingHere = (): AppError =>
  new AppError('NotFound', 'There is nothing at this address. See /docs.')

function asAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown
  const fault = toDatabaseError(thrown)
  if (fault instanceof AppError) return fault
  const { code = '', statusCode = 500 } = thrown as Partial<FastifyError>
  if (code === 'FST_ERR_HANDLER_TIMEOUT') {
    return new AppError('ServiceUnavailable', 'This took too long and was given up. Try again in a moment.', {
      retryAfterSeconds: 5,
      cause: thrown,
    })
  }
  if (code === 'FST_ERR_BAD_URL') return nothingHere()
  if (statusCode >= 400 && statusCode < 500) return invalid('', bodyFault[code] ?? (thrown as Error).message)
  return new AppError(
    'InternalServerError',
    'Something went wrong on our side. Quote the request id when you report it.',
    {
      cause: thrown,
    },
  )
}

/** Fastify's faults of a body, in words of what to do. */
const bodyFault: Record<string, string> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'Send the body as JSON, with the header Content-Type: application/json.',
  FST_ERR_CTP_BODY_TOO_LARGE: 'The body is larger than this operation takes.',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The body is not as long as its Content-Length says.',
  FST_ERR_CTP_INVALID_JSON_BODY: 'The body is no valid JSON.',
}
