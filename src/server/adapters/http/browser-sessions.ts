import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { codeNeeded, session } from '../../../contract/sign-in.ts'
import { forgetAccess } from '../../domain/accounts/access-cache.ts'
import type { Author } from '../../domain/accounts/audit-log.ts'
import type { Access } from '../../domain/auth/access.ts'
import { countRecoveryCodes, isRecoveryCode, spendCode } from '../../domain/auth/authenticator-app.ts'
import { createDeviceToken, type DeviceOwner, findKnownDevice } from '../../domain/auth/known-devices.ts'
import { createSession, deleteSession, renewSession, signedOut } from '../../domain/auth/sessions.ts'
import { isOwnPassword, nameOf, readUser } from '../../domain/auth/sign-in.ts'
import { beginAttempt } from '../../domain/auth/sign-in-attempts.ts'
import { type App, requireRecentSignIn } from '../../kernel/context.ts'
import { invalid, invalidAll } from '../../kernel/errors.ts'
import { reportBuckets } from '../../kernel/rate-limit-buckets.ts'
import { rejectUnsafeText } from '../../kernel/text/reject-unsafe-text.ts'
import type { Guards } from './routes.ts'
import {
  checkCsrf,
  csrfTokenOf,
  readDeviceCookie,
  readSessionCookie,
  setAttemptCookie,
  setDeviceCookie,
  setSessionCookie,
} from './session-cookie.ts'

type SessionAnswer = z.output<typeof session>

/** Who gets a session: see `createSession`. */
type Entering = { userId: string; authenticatedAt?: Date | null; passwordHash?: string | null }

export type BrowserSessions = ReturnType<typeof openBrowserSessions>

/** Who is signed in in a browser, and how somebody becomes it. */
export function openBrowserSessions(app: App, { access, limits }: Guards) {
  const { auth } = app.db

  const sessionOf = async (request: FastifyRequest): Promise<Access | undefined> => {
    const cookie = readSessionCookie(app.config, request)
    return cookie === undefined ? undefined : access.findSession(cookie)
  }
  /** Who is signed in, for what only they may do. */
  const signedIn = async (request: FastifyRequest): Promise<Access> => {
    const session = await sessionOf(request)
    if (!session) throw signedOut()
    if (request.method !== 'GET') checkCsrf(app.keys, request, session.id)
    return session
  }
  /** The same, for what asks for a recent sign-in. */
  const recentlySignedIn = async (request: FastifyRequest): Promise<Access> => {
    const session = await signedIn(request)
    requireRecentSignIn(session, app.now())
    return session
  }
  /** Strangers who guess the user's password cannot keep this browser from signing in. */
  const rememberDevice = async (reply: FastifyReply, userId: string): Promise<void> => {
    const cookie = await createDeviceToken(auth, app.keys, { userId, now: app.now() })
    setDeviceCookie(app.config, reply, cookie)
  }
  const answerOf = async ({ id, userId }: { id: string; userId: string }): Promise<SessionAnswer> => ({
    ...(await readUser(auth, userId)),
    csrfToken: csrfTokenOf(app.keys, id),
  })
  /** Always a new session: one that somebody else may have put into the browser ends here. */
  const open = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { userId, ...known }: Entering,
  ): Promise<SessionAnswer> => {
    const old = await sessionOf(request)
    if (old) await deleteSession(auth, old.id)
    forgetAccess(app)
    const { id, ...cookie } = await createSession(auth, {
      userId,
      userAgent: request.headers['user-agent'],
      address: request.ip,
      now: app.now(),
      ...known,
    })
    setSessionCookie(app.config, reply, cookie)
    await rememberDevice(reply, userId)
    app.log.info({ requestId: request.id, userId, address: request.ip }, 'sign-in: a session began')
    return answerOf({ id, userId })
  }
  /** For who showed one factor: a session, or the question for a code. */
  const enter = async (
    request: FastifyRequest,
    reply: FastifyReply,
    who: Entering,
  ): Promise<SessionAnswer | z.output<typeof codeNeeded>> => {
    const { userId } = who
    if ((await countRecoveryCodes(auth, userId)) === undefined) return open(request, reply, who)
    const attempt = await beginAttempt(auth, { kind: 'code', userId, now: app.now() })
    setAttemptCookie(app.config, reply, 'code', attempt)
    return { isCodeNeeded: true }
  }
  /** The same session under a new cookie, unless it ended; as recent as it was, unless its person proved who they are. */
  const renew = async (
    reply: FastifyReply,
    session: Access,
    authenticatedAt = session.authenticatedAt ?? null,
  ): Promise<SessionAnswer> => {
    const cookie = await renewSession(auth, { id: session.id, now: app.now(), authenticatedAt })
    forgetAccess(app)
    if (!cookie) throw signedOut()
    setSessionCookie(app.config, reply, cookie)
    return answerOf(session)
  }
  const authorOf = (request: FastifyRequest, session?: Access): Author => ({
    actor: session ? `session:${session.id}` : 'sign-in',
    ...(session && { userId: session.userId }),
    address: request.ip,
    requestId: request.id,
  })
  const countSignIn = async (request: FastifyRequest, reply: FastifyReply): Promise<void> =>
    reportBuckets(reply, await limits.countSignIn(request.ip))
  const findDevice = (request: FastifyRequest, owner: DeviceOwner): Promise<string | undefined> =>
    findKnownDevice(auth, app.keys, { token: readDeviceCookie(app.config, request), owner, now: app.now() })
  /** See `RateLimits`; guesses of who is signed in and of who is not are counted apart. */
  const countGuess = async (
    request: FastifyRequest,
    who: { email: string } | { userId: string },
  ): Promise<() => Promise<void>> => {
    if ('userId' in who) return limits.countGuess({ user: who.userId, address: request.ip })
    const device = await findDevice(request, who)
    return limits.countGuess({ user: nameOf(who.email), address: request.ip, device })
  }
  /** Throws when it is not the user's; `field` names it in the request. */
  const checkOwnPassword = async (
    request: FastifyRequest,
    { userId }: Access,
    password = '',
    field = 'password',
  ): Promise<void> => {
    const takeBack = await countGuess(request, { userId })
    if (!(await isOwnPassword(auth, userId, password))) throw invalid(field, 'That password is incorrect.')
    await takeBack()
  }
  /** Throws when it is wrong, or after too many wrong ones: of the app, because a recovery code always counts. */
  const checkCode = async (request: FastifyRequest, userId: string, code: string): Promise<void> => {
    const takeBack = isRecoveryCode(code)
      ? undefined
      : await limits.countCode({
          user: userId,
          address: request.ip,
          device: await findDevice(request, { userId }),
        })
    if (!(await spendCode(auth, app.keys, { userId, code, now: app.now() }))) {
      throw invalid('code', 'is not the one that the app shows now, or was used already')
    }
    await takeBack?.()
  }
  return {
    ...{ sessionOf, signedIn, recentlySignedIn, open, enter, renew, rememberDevice },
    ...{ authorOf, countSignIn, countGuess, checkOwnPassword, checkCode, limits },
  }
}

export function readBody<T extends z.ZodType>(schema: T, request: FastifyRequest): z.output<T> {
  const body = request.body ?? {}
  rejectUnsafeText(body)
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  throw invalidAll(parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })))
}
