import type { FastifyReply, FastifyRequest } from 'fastify'
import { type AccessFinder, resolveAccount } from '../../domain/auth/access.ts'
import type { App, Identity } from '../../kernel/context.ts'
import { AppError, unauthorized } from '../../kernel/errors.ts'
import { reportBuckets } from '../../kernel/rate-limit-buckets.ts'
import type { RateLimits } from './rate-limits.ts'
import { checkCsrf, checkOrigin, readSessionCookie } from './session-cookie.ts'

/**
 * Identifies the caller by the `Authorization: Bearer …` header or, without one, by the session cookie, and the account
 * by `x-account-id`. Counts failures by address. Throws Unauthorized.
 */
export async function authenticate(
  app: App,
  access: AccessFinder,
  limits: RateLimits,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Identity> {
  try {
    return await identify(app, access, request, { countsAsUse: true })
  } catch (error) {
    if (error instanceof AppError && error.code === 'Unauthorized') {
      reportBuckets(reply, await limits.countFailure(request.ip))
    }
    throw error
  }
}

/**
 * Identifies the caller again during a long response, without prolonging the session; undefined when access has ended.
 */
export async function identifyAgain(
  app: App,
  access: AccessFinder,
  request: FastifyRequest,
): Promise<Identity | undefined> {
  try {
    return await identify(app, access, request, { countsAsUse: false })
  } catch (error) {
    if (error instanceof AppError && error.code === 'Unauthorized') return undefined
    throw error
  }
}

async function identify(
  app: App,
  access: AccessFinder,
  request: FastifyRequest,
  use: { countsAsUse: boolean },
): Promise<Identity> {
  const cookie = readSessionCookie(app.config, request)
  if (request.headers.authorization === undefined && cookie !== undefined) {
    return identifyBySession(app, access, request, cookie, use)
  }
  const found = await access.find(bearerToken(request.headers.authorization), use)
  if (!found) throw unauthorized('The API token is not valid, has expired or was revoked.')
  return resolveAccount(found, accountHeader(request))
}

async function identifyBySession(
  { config, keys }: App,
  access: AccessFinder,
  request: FastifyRequest,
  cookie: string,
  use: { countsAsUse: boolean },
): Promise<Identity> {
  const found = await access.findSession(cookie, use)
  if (!found) throw unauthorized('You are signed out. Sign in again.')
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    checkOrigin(config, request)
    checkCsrf(keys, request, found.id)
  }
  return resolveAccount(found, accountHeader(request))
}

function bearerToken(header: string | undefined): string {
  if (!header) throw unauthorized('Send an API token: Authorization: Bearer <token>.')
  const [scheme, token, ...rest] = header.trim().split(/\s+/)
  if (scheme?.toLowerCase() !== 'bearer' || !token || rest.length > 0) {
    throw unauthorized('Only the Bearer authentication scheme is accepted: Authorization: Bearer <token>.')
  }
  return token
}

const accountHeader = (request: FastifyRequest): string | undefined => {
  const header = request.headers['x-account-id']
  return (Array.isArray(header) ? header[0] : header)?.trim() || undefined
}
