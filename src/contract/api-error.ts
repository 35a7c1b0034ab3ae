import type { z } from 'zod'
import type { errorBody } from './error.ts'

type ApiErrorBody = Pick<z.infer<typeof errorBody>, 'message' | 'details'> & {
  error: string
  requestId?: string
  retryAfterSeconds?: number | undefined
}

/** An error response of the API; the code is `Unreachable` when there was no response. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly code: string
  readonly details: { path: string; message: string }[]
  readonly requestId: string | undefined
  /** Seconds to wait before trying again, from Retry-After. */
  readonly retryAfterSeconds: number | undefined

  constructor({ error, message, requestId, retryAfterSeconds, details = [] }: ApiErrorBody) {
    super(message)
    this.code = error
    this.requestId = requestId
    this.retryAfterSeconds = retryAfterSeconds
    this.details = details
  }
}
