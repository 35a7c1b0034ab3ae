import type { FastifyInstance } from 'fastify'
import * as contract from '../../../contract/sign-in.ts'
import { findUserById } from '../../domain/accounts/users.ts'
import { beginTotpSetup, disableTotp, enableTotp } from '../../domain/auth/authenticator-app.ts'
import { deleteSessions } from '../../domain/auth/sessions.ts'
import { readAuthenticatedUser, readOwnSignIn } from '../../domain/auth/sign-in.ts'
import { consumeAttempt, findAttempt } from '../../domain/auth/sign-in-attempts.ts'
import type { App } from '../../kernel/context.ts'
import { unauthorized } from '../../kernel/errors.ts'
import { type BrowserSessions, readBody } from './browser-sessions.ts'
import { readAttemptCookie } from './session-cookie.ts'

/** Mounts the routes for authenticator codes (TOTP): the second step of sign-in, and turning codes on and off. */
export function mountTotp(scope: FastifyInstance, app: App, sessions: BrowserSessions): void {
  const { auth } = app.db
  const { requireSession, open, toAuthor, requireRecentSession, renew, checkCode, rememberDevice } = sessions

  scope.post('/v1/session/code', { config: { name: 'signInWithCode' } }, async (request, reply) => {
    const { code } = readBody(contract.signInCode, request)
    const attempt = {
      kind: 'code',
      token: readAttemptCookie(app.config, request, 'code'),
      now: app.now(),
    } as const
    const userId = (await findAttempt(auth, attempt))?.userId
    if (!userId) throw expired()
    await checkCode(request, userId, code)
    const recognized = await readAuthenticatedUser(auth, userId)
    // A concurrent request may have used the attempt, or a password change may have invalidated it.
    if (!(await consumeAttempt(auth, attempt))) throw expired()
    return open(request, reply, recognized)
  })

  scope.get('/v1/user/sign-in', { config: { name: 'getOwnSignIn' } }, async request => {
    const { userId } = await requireSession(request)
    return readOwnSignIn(auth, userId)
  })
  scope.post('/v1/user/totp', { config: { name: 'beginTotpSetup' } }, async request => {
    const { userId } = await requireRecentSession(request)
    return beginTotpSetup(app.keys, { user: (await findUserById(auth, userId))!, now: app.now() })
  })
  scope.post('/v1/user/totp/confirm', { config: { name: 'enableTotp' } }, async (request, reply) => {
    const session = await requireRecentSession(request)
    const { userId } = session
    const { setUp, code } = readBody(contract.enableTotp, request)
    const recoveryCodes = await enableTotp(
      auth,
      app.keys,
      { session, setUp, code, now: app.now() },
      toAuthor(request, session),
    )
    // Ends sessions that were created with the password alone.
    await deleteSessions(auth, userId, session.id)
    await rememberDevice(reply, userId)
    return { session: await renew(reply, session), recoveryCodes }
  })
  scope.post('/v1/user/totp/turn-off', { config: { name: 'disableTotp' } }, async (request, reply) => {
    const session = await requireRecentSession(request)
    await disableTotp(auth, session.userId, toAuthor(request, session))
    await rememberDevice(reply, session.userId)
    return renew(reply, session)
  })
}

const expired = () => unauthorized('This took too long. Sign in again.')
