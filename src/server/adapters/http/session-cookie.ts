import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AttemptKind } from '../../domain/auth/sign-in-attempts.ts'
import type { Config } from '../../kernel/config.ts'
import { type Keys, signToken, verifyToken } from '../../kernel/crypto.ts'
import { AppError } from '../../kernel/errors.ts'

/**
 * The name keeps every other host and path from setting it, which browsers hold to over https alone; without it, as on
 * one's own machine, the cookie has another name.
 */
const cookieName = (config: Config, name: string): string =>
  isSecure(config) ? `__Host-overture-${name}` : `overture-${name}`

export const sessionCookieName = (config: Config): string => cookieName(config, 'session')

const isSecure = ({ publicUrl }: Config): boolean => publicUrl?.startsWith('https:') ?? false

const optionsOf = (config: Config) =>
  ({ path: '/', httpOnly: true, secure: isSecure(config), sameSite: 'lax' }) as const

export const readSessionCookie = (config: Config, request: FastifyRequest): string | undefined =>
  request.cookies[sessionCookieName(config)]

export const setSessionCookie = (
  config: Config,
  reply: FastifyReply,
  { token, expiresAt }: { token: string; expiresAt: Date },
) => reply.setCookie(sessionCookieName(config), token, { ...optionsOf(config), expires: expiresAt })

export const clearSessionCookie = (config: Config, reply: FastifyReply) =>
  reply.clearCookie(sessionCookieName(config), optionsOf(config))

/** Binds what a browser began to that browser: its password or challenge is worth nothing in another one. */
export const readAttemptCookie = (config: Config, request: FastifyRequest, kind: AttemptKind) =>
  request.cookies[cookieName(config, kind)]

export const setAttemptCookie = (
  config: Config,
  reply: FastifyReply,
  kind: AttemptKind,
  { token, expiresAt }: { token: string; expiresAt: Date },
) => reply.setCookie(cookieName(config, kind), token, { ...optionsOf(config), expires: expiresAt })

/** Marks a browser that somebody signed in with. It outlives the session, and opens nothing. */
export const readDeviceCookie = (config: Config, request: FastifyRequest): string | undefined =>
  request.cookies[cookieName(config, 'device')]

export const setDeviceCookie = (
  config: Config,
  reply: FastifyReply,
  { token, expiresAt }: { token: string; expiresAt: Date },
) => reply.setCookie(cookieName(config, 'device'), token, { ...optionsOf(config), expires: expiresAt })

const CSRF = 'csrf'
const CSRF_HEADER = 'x-csrf-token'

export const csrfTokenOf = (keys: Keys, sessionId: string): string => signToken(keys, CSRF, sessionId)

/** A browser sends the cookie along with whatever another site makes it send, but not what only our page knows. */
export function checkCsrf(keys: Keys, request: FastifyRequest, sessionId: string): void {
  const token = request.headers[CSRF_HEADER]
  if (typeof token !== 'string' || verifyToken(keys, CSRF, token) !== sessionId) {
    const message = 'The header x-csrf-token is missing or of another session. Reload the page.'
    // Named, for the page to tell it from a lack of permission.
    throw new AppError('Forbidden', message, { details: [{ path: CSRF_HEADER, message }] })
  }
}

/** Refuses what a page of another origin sent; whoever is no browser sends neither header. */
export function checkOrigin(config: Config, request: FastifyRequest): void {
  const { origin, host, 'sec-fetch-site': site } = request.headers
  const isForeign =
    (site !== undefined && site !== 'same-origin' && site !== 'none') ||
    (origin !== undefined && origin !== publicOrigin(config) && !isHost(origin, host))
  if (isForeign) throw new AppError('Forbidden', 'This request comes from a page of another site.')
}

/** As browsers spell it, whatever path, port or letters the setting has. */
const publicOrigin = ({ publicUrl }: Config): string | undefined => publicUrl && new URL(publicUrl).origin

const isHost = (origin: string, host: string | undefined): boolean =>
  URL.canParse(origin) && new URL(origin).host === host
