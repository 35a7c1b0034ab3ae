import type { ErrorCode } from '../../contract/error.ts'
import { recentSignIn } from '../../contract/operation.ts'

export type ErrorDetail = { path: string; message: string }

/** A fault the caller is told about: `message` is theirs, `cause` stays in our log. */
export class AppError extends Error {
  override name = 'AppError'
  readonly code: ErrorCode
  readonly details: ErrorDetail[] | undefined
  /** Seconds after which trying again makes sense; a door turns it into Retry-After. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: ErrorDetail[]; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.code = code
    this.details = options.details
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** `path` names the field in the caller's own JSON, as in `data.0.email`; empty for the request as a whole. */
export const invalid = (path: string, message: string): AppError => invalidAll([{ path, message }])

export const invalidAll = (details: ErrorDetail[]): AppError => {
  const [first] = details
  return new AppError(
    'ValidationError',
    first?.path ? `${first.path}: ${first.message}` : (first?.message ?? ''),
    {
      details,
    },
  )
}

/** `reason` says which of the causes it was; it must not tell a stranger whether a token exists. */
export const unauthorized = (reason: string): AppError => new AppError('Unauthorized', reason)

export const forbidden = (permission: string): AppError =>
  new AppError('Forbidden', `Your role lacks the permission ${permission}.`)

/** `path` lets the web app recognize it, ask the person and go on. */
export const recentSignInRequired = (): AppError => {
  const message =
    'You last signed in more than ten minutes ago. Confirm who you are (POST /v1/session/confirm) and try again.'
  return new AppError('Forbidden', message, { details: [{ path: recentSignIn, message }] })
}

/** The same words whether the id is unknown or belongs to another account. */
export const notFound = (what: string): AppError => new AppError('NotFound', `There is no such ${what}.`)

/** `path` names the filter whose id was not found. */
export const notFoundAt = (path: string, message: string): AppError =>
  new AppError('NotFound', `${path}: ${message}`, { details: [{ path, message }] })

/** `details` name everything that stands in the way, when it is more than one thing. */
export const conflict = (message: string, details?: ErrorDetail[]): AppError =>
  new AppError('Conflict', message, details && { details })

export const unavailable = (message: string, cause?: unknown): AppError =>
  new AppError('ServiceUnavailable', message, { retryAfterSeconds: 5, cause })
