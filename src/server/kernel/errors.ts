import type { ErrorCode } from '../../contract/error.ts'
import { recentSignIn } from '../../contract/operation.ts'

export type ErrorDetail = { path: string; message: string }

/** An error reported to the caller. `message` is for the caller, `cause` only for our log. */
export class AppError extends Error {
  override name = 'AppError'
  readonly code: ErrorCode
  readonly details: ErrorDetail[] | undefined
  /** Seconds to wait before trying again; sent as Retry-After. */
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

/**
 * Returns a ValidationError. `path` names the field in the caller's JSON, such as `data.0.email`; empty for the whole
 * request.
 */
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

/** Returns an Unauthorized error. `reason` must not reveal whether a token exists. */
export const unauthorized = (reason: string): AppError => new AppError('Unauthorized', reason)

export const forbidden = (permission: string, reason?: string): AppError =>
  new AppError('Forbidden', `Your role lacks the permission ${permission}${reason ? `: ${reason}` : ''}.`)

/** Returns an error for callers who have the permission for their own reps only; `reason` says why that is not enough. */
export const outOfScope = (permission: string, reason: string): AppError =>
  new AppError('Forbidden', `Your role has ${permission} only for your own reps, and ${reason}.`)

/** Returns an error whose `path` makes the web app ask for confirmation and repeat the request. */
export const recentSignInRequired = (): AppError => {
  const message =
    'You last signed in more than ten minutes ago. Confirm your identity (POST /v1/session/confirm) and try again.'
  return new AppError('Forbidden', message, { details: [{ path: recentSignIn, message }] })
}

/** Returns the same message whether the ID is unknown or belongs to another account. */
export const notFound = (noun: string): AppError => new AppError('NotFound', `There is no such ${noun}.`)

/** Returns a NotFound error; `path` names the filter whose ID was not found. */
export const notFoundAt = (path: string, message: string): AppError =>
  new AppError('NotFound', `${path}: ${message}`, { details: [{ path, message }] })

/** Returns a Conflict error; `details` list all causes when there is more than one. */
export const conflict = (message: string, details?: ErrorDetail[]): AppError =>
  new AppError('Conflict', message, details && { details })

/** Returns the Conflict of creating an object that exists; `path` names its ID in `details`. */
export const alreadyExists = (noun: string, path: string, id: string): AppError =>
  conflict(`This ${noun} already exists, with the ID ${id}.`, [{ path, message: id }])

export const unavailable = (message: string, cause?: unknown): AppError =>
  new AppError('ServiceUnavailable', message, { retryAfterSeconds: 5, cause })
