import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AttemptKind } from '../../domain/auth/sign-in-attempts.ts'
import type { Config } from '../../kernel/config.ts'
import { type Keys, signToken, verifyToken } from '../../kernel/crypto.ts'
import { AppError } from '../../kernel/errors.ts'

/**
 * Returns the name of a cookie. The prefix `__Host-` keeps other hosts from setting the cookie; browsers accept it only
 * over https.
 */
const cookieName = (config: Config, name: string): string =>
  isSecure(config) ? `__Host-overture-${name}` : `overture-${name}`

export const sessionCookieName = (config: Config): string => cookieName(config, 'session')

const isSecure = ({ publicUrl }: Config): boolean => publicUrl?.startsWith('https:') ?? false

const cookieOptions = (config: Config) =>
  ({ path: '/', httpOnly: true, secure: isSecure(config), sameSite: 'lax' }) as const

export const readSessionCookie = (config: Config, request: FastifyRequest): string | undefined =>
  request.cookies[sessionCookieName(config)]

export const setSessionCookie = (
  config: Config,
  reply: FastifyReply,
  { token, expiresAt }: { token: string; expiresAt: Date },
) => reply.setCookie(sessionCookieName(config), token, { ...cookieOptions(config), expires: expiresAt })

export const clearSessionCookie = (config: Config, reply: FastifyReply) =>
  reply.clearCookie(sessionCookieName(config), cookieOptions(config))

/** Reads the cookie that binds an attempt to the browser that began it. */
export const readAttemptCookie = (config: Config, request: FastifyRequest, kind: AttemptKind) =>
  request.cookies[cookieName(config, kind)]

export const setAttemptCookie = (
  config: Config,
  reply: FastifyReply,
  kind: AttemptKind,
  { token, expiresAt }: { token: string; expiresAt: Date },
) => reply.setCookie(cookieName(config, kind), token, { ...cookieOptions(config), expires: expiresAt })

/** Reads the cookie that identifies a browser the user signed in with. It outlives the session and grants no access. */
export const readDeviceCookie = (config: Config, request: FastifyRequest): string | undefined =>
  request.cookies[cookieName(config, 'device')]

export const setDeviceCookie = (
  config: Config,
  reply: FastifyReply,
  { token, expiresAt }: { token: string; expiresAt: Date },
) => reply.setCookie(cookieName(config, 'device'), token, { ...cookieOptions(config), expires: expiresAt })

const CSRF = 'csrf'
const CSRF_HEADER = 'x-csrf-token'

export const createCsrfToken = (keys: Keys, sessionId: string): string => signToken(keys, CSRF, sessionId)

/**
 * Throws Forbidden unless the request has the session's CSRF token. Browsers attach the cookie to cross-site
 * requests, but only our page knows the token.
 */
export function checkCsrf(keys: Keys, request: FastifyRequest, sessionId: string): void {
  const token = request.headers[CSRF_HEADER]
  if (typeof token !== 'string' || verifyToken(keys, CSRF, token) !== sessionId) {
    const message = 'The x-csrf-token header is missing or belongs to another session. Reload the page.'
    // This detail lets the page distinguish the error from a missing permission.
    throw new AppError('Forbidden', message, { details: [{ path: CSRF_HEADER, message }] })
  }
}

/**
 * Rejects requests from pages of other origins. Clients other than browsers send neither `Origin` nor
 * `Sec-Fetch-Site`.
 */
export function checkOrigin(config: Config, request: FastifyRequest): void {
  const { origin, host, 'sec-fetch-site': site } = request.headers
  const isForeign =
    (site !== undefined && site !== 'same-origin' && site !== 'none') ||
    (origin !== undefined && origin !== publicOrigin(config) && !isHost(origin, host))
  if (isForeign) throw new AppError('Forbidden', 'This request was sent by a page of another site.')
}

/** Returns the origin of PUBLIC_URL, normalized as browsers do. */
const publicOrigin = ({ publicUrl }: Config): string | undefined => publicUrl && new URL(publicUrl).origin

const isHost = (origin: string, host: string | undefined): boolean =>
  URL.canParse(origin) && new URL(origin).host === host
