import { z } from 'zod'

/** The error codes of the API with their HTTP status. */
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
    error: z.enum(errorCodes).describe('Error code; stable'),
    message: z.string().describe('Human-readable explanation: what went wrong and what to do'),
    requestId: z
      .string()
      .describe('ID of the request, as in the X-Request-Id header; include it when you contact support'),
    details: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .describe(
        'The causes. ValidationError: each invalid field. Conflict: each reason; `personId` or `companyId` with the ID of the one that already exists; `Idempotency-Key` while the first request is still running. Forbidden: the rejected header, or `recentSignIn` if the user must confirm the session first. NotFound: the filter whose ID was not found',
      ),
  })
  .meta({ id: 'Error' })
