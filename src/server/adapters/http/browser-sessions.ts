import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { session, totpRequired } from '../../../contract/sign-in.ts'
import { forgetAccess } from '../../domain/accounts/access-cache.ts'
import type { Author } from '../../domain/accounts/audit-log.ts'
import type { Access } from '../../domain/auth/access.ts'
import { consumeCode, countRecoveryCodes, isRecoveryCode } from '../../domain/auth/authenticator-app.ts'
import { createDeviceToken, type DeviceOwner, findKnownDevice } from '../../domain/auth/known-devices.ts'
import { createSession, deleteSession, renewSession, signedOut } from '../../domain/auth/sessions.ts'
import { isOwnPassword, readUser, toUserKey } from '../../domain/auth/sign-in.ts'
import { beginAttempt } from '../../domain/auth/sign-in-attempts.ts'
import { type App, requireRecentSignIn } from '../../kernel/context.ts'
import { invalid, invalidAll } from '../../kernel/errors.ts'
import { reportBuckets } from '../../kernel/rate-limit-buckets.ts'
import { rejectUnsafeText } from '../../kernel/text/reject-unsafe-text.ts'
import type { Guards } from './routes.ts'
import {
  checkCsrf,
  createCsrfToken,
  readDeviceCookie,
  readSessionCookie,
  setAttemptCookie,
  setDeviceCookie,
  setSessionCookie,
} from './session-cookie.ts'

type SessionResponse = z.output<typeof session>

/** The user to create a session for; see `createSession`. */
type SessionUser = { userId: string; authenticatedAt?: Date | null; passwordHash?: string | null }

export type BrowserSessions = ReturnType<typeof openBrowserSessions>

/** Reads, creates and renews a browser's session. */
export function openBrowserSessions(app: App, { access, limits }: Guards) {
  const { auth } = app.db

  const findSession = async (request: FastifyRequest): Promise<Access | undefined> => {
    const cookie = readSessionCookie(app.config, request)
    return cookie === undefined ? undefined : access.findSession(cookie)
  }
  /**
   * Returns the session and checks its CSRF token. Throws Unauthorized without a session, Forbidden without its token.
   */
  const requireSession = async (request: FastifyRequest): Promise<Access> => {
    const session = await findSession(request)
    if (!session) throw signedOut()
    if (request.method !== 'GET' && request.method !== 'HEAD') checkCsrf(app.keys, request, session.id)
    return session
  }
  /** Returns the session like `requireSession`. Throws Forbidden without a recent sign-in. */
  const requireRecentSession = async (request: FastifyRequest): Promise<Access> => {
    const session = await requireSession(request)
    requireRecentSignIn(session, app.now())
    return session
  }
  /** Marks the browser as known, so that strangers' wrong passwords cannot lock it out. */
  const rememberDevice = async (reply: FastifyReply, userId: string): Promise<void> => {
    const cookie = await createDeviceToken(auth, app.keys, { userId, now: app.now() })
    setDeviceCookie(app.config, reply, cookie)
  }
  const toSessionResponse = async ({
    id,
    userId,
  }: {
    id: string
    userId: string
  }): Promise<SessionResponse> => ({
    ...(await readUser(auth, userId)),
    csrfToken: createCsrfToken(app.keys, id),
  })
  /** Creates a new session and ends the one the browser had, which an attacker may have planted (session fixation). */
  const open = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { userId, ...authentication }: SessionUser,
  ): Promise<SessionResponse> => {
    const old = await findSession(request)
    if (old) await deleteSession(auth, old.id)
    forgetAccess(app)
    const { id, ...cookie } = await createSession(auth, {
      userId,
      userAgent: request.headers['user-agent'],
      address: request.ip,
      now: app.now(),
      ...authentication,
    })
    setSessionCookie(app.config, reply, cookie)
    await rememberDevice(reply, userId)
    app.log.info({ requestId: request.id, userId, address: request.ip }, 'sign-in: a session was created')
    return toSessionResponse({ id, userId })
  }
  /** Continues after the first factor: creates a session or requires a code. */
  const continueSignIn = async (
    request: FastifyRequest,
    reply: FastifyReply,
    user: SessionUser,
  ): Promise<SessionResponse | z.output<typeof totpRequired>> => {
    const { userId } = user
    if ((await countRecoveryCodes(auth, userId)) === undefined) return open(request, reply, user)
    const attempt = await beginAttempt(auth, { kind: 'code', userId, now: app.now() })
    setAttemptCookie(app.config, reply, 'code', attempt)
    return { isCodeNeeded: true }
  }
  /** Issues a new cookie for the session. Keeps the time of sign-in unless a new one is given. */
  const renew = async (
    reply: FastifyReply,
    session: Access,
    authenticatedAt = session.authenticatedAt ?? null,
  ): Promise<SessionResponse> => {
    const cookie = await renewSession(auth, { id: session.id, now: app.now(), authenticatedAt })
    forgetAccess(app)
    if (!cookie) throw signedOut()
    setSessionCookie(app.config, reply, cookie)
    return toSessionResponse(session)
  }
  const toAuthor = (request: FastifyRequest, session?: Access): Author => ({
    actor: session ? `session:${session.id}` : 'sign-in',
    ...(session && { userId: session.userId }),
    address: request.ip,
    requestId: request.id,
  })
  const countSignIn = async (request: FastifyRequest, reply: FastifyReply): Promise<void> =>
    reportBuckets(reply, await limits.countSignIn(request.ip))
  const findDevice = (request: FastifyRequest, owner: DeviceOwner): Promise<string | undefined> =>
    findKnownDevice(auth, app.keys, { token: readDeviceCookie(app.config, request), owner, now: app.now() })
  /** Counts a guess; see `RateLimits`. Guesses with and without a session are counted separately. */
  const countGuess = async (
    request: FastifyRequest,
    user: { email: string } | { userId: string },
  ): Promise<() => Promise<void>> => {
    if ('userId' in user) return limits.countGuess({ user: user.userId, address: request.ip })
    const device = await findDevice(request, user)
    return limits.countGuess({ user: toUserKey(user.email), address: request.ip, device })
  }
  /** Throws if the password is wrong; `field` is the name of the password field in the request. */
  const checkOwnPassword = async (
    request: FastifyRequest,
    { userId }: Access,
    password = '',
    field = 'password',
  ): Promise<void> => {
    const uncount = await countGuess(request, { userId })
    if (!(await isOwnPassword(auth, userId, password))) throw invalid(field, 'That password is incorrect.')
    await uncount()
  }
  /** Throws if the code is wrong, or after too many wrong codes. Recovery codes are not limited. */
  const checkCode = async (request: FastifyRequest, userId: string, code: string): Promise<void> => {
    const uncount = isRecoveryCode(code)
      ? undefined
      : await limits.countCode({
          user: userId,
          address: request.ip,
          device: await findDevice(request, { userId }),
        })
    if (!(await consumeCode(auth, app.keys, { userId, code, now: app.now() }))) {
      throw invalid('code', 'must be the current code and must not have been used before')
    }
    await uncount?.()
  }
  return {
    ...{ findSession, requireSession, requireRecentSession, open, continueSignIn, renew, rememberDevice },
    ...{ toAuthor, countSignIn, countGuess, checkOwnPassword, checkCode, limits },
  }
}

export function readBody<T extends z.ZodType>(schema: T, request: FastifyRequest): z.output<T> {
  const body = request.body ?? {}
  rejectUnsafeText(body)
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  throw invalidAll(parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })))
}
