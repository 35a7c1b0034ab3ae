import { z } from 'zod'

/** Every error code of the API with its HTTP status: the one list. */
export const errorStatus = {
  ValidationError: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  Conflict: 409,
  IdempotencyMismatch: 422,
  TooManyRequests: 429,
  InternalServerError: 500,
  ServiceUnavailable: 503,
} as const

export type ErrorCode = keyof typeof errorStatus

export const errorCodes = Object.keys(errorStatus) as [ErrorCode, ...ErrorCode[]]

export const errorBody = z
  .object({
    error: z.enum(errorCodes).describe('What kind of error it is; stable'),
    message: z.string().describe('What went wrong and what to do, for a person to read'),
    requestId: z.string().describe('The same as in the X-Request-Id header; quote it when asking for help'),
    details: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .describe(
        'For a ValidationError each field at fault, for a Conflict each thing that stands in the way, for a Forbidden the header at fault, or `recentSignIn` where the person has to confirm the session first, for a NotFound the filter whose id was not found',
      ),
  })
  .meta({ id: 'Error' })
