import cookies from '@fastify/cookie'
import type { FastifyInstance } from 'fastify'
import * as contract from '../../../contract/sign-in.ts'
import { forgetAccess } from '../../domain/accounts/access-cache.ts'
import { acceptInvitation, createInvitedUser, findInvitation } from '../../domain/auth/invitations.ts'
import { createResetToken, findReset, resetPassword } from '../../domain/auth/password-resets.ts'
import { requireAllowedSignIn } from '../../domain/auth/provider-sign-in.ts'
import { deleteSession } from '../../domain/auth/sessions.ts'
import {
  changePassword,
  checkPassword,
  isSetUp,
  readOwnSignIn,
  readUser,
  setUp,
  toUserKey,
} from '../../domain/auth/sign-in.ts'
import { hasSystemMail, sendSystemMail } from '../../domain/auth/system-mail.ts'
import { type App, requireRecentSignIn } from '../../kernel/context.ts'
import { invalid, unauthorized } from '../../kernel/errors.ts'
import { openBrowserSessions, readBody } from './browser-sessions.ts'
import { mountConfirmation } from './confirmation.ts'
import { mountPasskeys } from './passkeys.ts'
import type { Guards } from './routes.ts'
import { checkCsrf, checkOrigin, clearSessionCookie, createCsrfToken } from './session-cookie.ts'
import { mountSingleSignOn } from './single-sign-on.ts'
import { mountTotp } from './totp.ts'

/**
 * Mounts the routes for signing in, the first owner's setup, invitations and password resets. They accept no API token;
 * a response that signs the user in sets a new session cookie.
 */
export async function mountSignIn(
  server: FastifyInstance,
  app: App,
  { access, limits }: Guards,
): Promise<void> {
  const { auth } = app.db
  await server.register(cookies)
  const sessions = openBrowserSessions(app, { access, limits })
  const {
    findSession,
    requireSession,
    open,
    continueSignIn,
    toAuthor,
    countSignIn,
    countGuess,
    checkOwnPassword,
    rememberDevice,
    renew,
  } = sessions

  await server.register(async scope => {
    scope.addHook('onRequest', async (request, reply) => {
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        checkOrigin(app.config, request)
        await countSignIn(request, reply)
      }
    })

    scope.get('/v1/session', { config: { name: 'getSession' } }, async request => {
      const { id, userId } = await requireSession(request)
      return { ...(await readUser(auth, userId)), csrfToken: createCsrfToken(app.keys, id) }
    })
    scope.post('/v1/session', { config: { name: 'signIn' } }, async (request, reply) => {
      const { email, password } = readBody(contract.signIn, request)
      const uncount = await countGuess(request, { email })
      const recognized = await checkPassword(auth, email, password)
      await uncount()
      await requireAllowedSignIn(auth, recognized.userId)
      return continueSignIn(request, reply, recognized)
    })
    scope.delete('/v1/session', { config: { name: 'signOut' } }, async (request, reply) => {
      const { id } = await requireSession(request)
      await deleteSession(auth, id)
      forgetAccess(app)
      clearSessionCookie(app.config, reply)
      return {}
    })

    scope.get('/v1/setup', { config: { name: 'getSetup' } }, async () => ({
      isNeeded: !(await isSetUp(auth)),
    }))
    scope.post('/v1/setup', { config: { name: 'setUp' } }, async (request, reply) => {
      return open(request, reply, await setUp(app, readBody(contract.setUp, request), toAuthor(request)))
    })

    scope.post('/v1/user/password', { config: { name: 'changePassword' } }, async (request, reply) => {
      const session = await requireSession(request)
      const { userId } = session
      // A new session would outlive the user's access at their identity provider.
      await requireAllowedSignIn(auth, userId)
      const { currentPassword, ...change } = readBody(contract.changePassword, request)
      const { hasPassword } = await readOwnSignIn(auth, userId)
      if (hasPassword) await checkOwnPassword(request, session, currentPassword, 'currentPassword')
      else requireRecentSignIn(session, app.now())
      const recognized = await changePassword(auth, session, change, toAuthor(request, session))
      const authenticatedAt = hasPassword ? app.now() : (session.authenticatedAt ?? null)
      return open(request, reply, { ...recognized, authenticatedAt })
    })
    scope.get('/v1/password-reset', { config: { name: 'getPasswordReset' } }, async () => ({
      isMailed: hasSystemMail(app.config),
    }))
    scope.post('/v1/password-reset', { config: { name: 'requestPasswordReset' } }, async request => {
      const { email } = readBody(contract.requestPasswordReset, request)
      if (!hasSystemMail(app.config)) {
        throw invalid(
          '',
          'This server does not send email. Ask its administrator for a link (overture user reset-password).',
        )
      }
      // Over the limit, the response is the same, and the links in earlier emails still work.
      const uncount = await limits.countResetEmail(toUserKey(email))
      // Not awaited, so that timing does not reveal who has an account.
      if (uncount) void mailResetLink(app, email, uncount)
      return {}
    })
    scope.get('/v1/password-reset/confirm', { config: { name: 'findPasswordReset' } }, async request => {
      const { token } = request.query as { token?: unknown }
      const { email } = await findReset(auth, app.keys, { token: String(token), now: app.now() })
      return { email }
    })
    scope.post(
      '/v1/password-reset/confirm',
      { config: { name: 'resetPassword' } },
      async (request, reply) => {
        const reset = { ...readBody(contract.resetPassword, request), now: app.now() }
        const { userId } = await resetPassword(auth, app.keys, reset, toAuthor(request))
        forgetAccess(app)
        await rememberDevice(reply, userId)
        return {}
      },
    )

    mountConfirmation(scope, app, sessions)
    mountTotp(scope, app, sessions)
    mountPasskeys(scope, app, sessions)
    mountSingleSignOn(scope, app, sessions)

    scope.get('/v1/invitations/accept', { config: { name: 'getInvitation' } }, async request => {
      const { token } = request.query as { token?: unknown }
      const { accountName, email, role } = await findInvitation(auth, app.keys, {
        token: String(token),
        now: app.now(),
      })
      return { accountName, email, role }
    })
    scope.post('/v1/invitations/user', { config: { name: 'createInvitedUser' } }, async request => {
      const { token, ...user } = readBody(contract.createInvitedUser, request)
      const invitation = await findInvitation(auth, app.keys, { token, now: app.now() })
      await createInvitedUser(auth, invitation, user, toAuthor(request))
      return {}
    })
    scope.post('/v1/invitations/accept', { config: { name: 'acceptInvitation' } }, async (request, reply) => {
      const { token, password } = readBody(contract.acceptInvitation, request)
      const invitation = await findInvitation(auth, app.keys, { token, now: app.now() })
      const session = await findSession(request)
      if (!session) throw unauthorized(`Sign in as ${invitation.email} to join.`)
      checkCsrf(app.keys, request, session.id)
      // Without this check, anybody with an unattended browser and an invitation link could replace the password.
      if (password) requireRecentSignIn(session, app.now())
      const author = toAuthor(request, session)
      const passwordHash = await acceptInvitation(auth, invitation, { session, password }, author)
      await requireAllowedSignIn(auth, session.userId, invitation.accountId).catch(
        async (refusal: unknown) => {
          await deleteSession(auth, session.id)
          forgetAccess(app)
          throw refusal
        },
      )
      return passwordHash
        ? open(request, reply, { userId: session.userId, passwordHash })
        : renew(reply, session)
    })
  })
}

async function mailResetLink(app: App, email: string, uncount: () => Promise<void>): Promise<void> {
  try {
    const reset = await createResetToken(app.db.auth, app.keys, { email, now: app.now() })
    if (!reset) return
    await sendSystemMail(app.config, {
      to: reset.email,
      subject: 'Reset your Overture password',
      text: `Someone, probably you, asked to reset your password. Set a new one within an hour:

${app.config.publicUrl}/reset?token=${reset.token}

A new password signs you out everywhere. It also revokes your API tokens, disconnects your apps, and removes your
passkeys and authenticator app. Add them again if you need them.

If it wasn't you, ignore this email: nothing has changed.
`,
    })
  } catch (err) {
    app.log.error({ err }, 'sign-in: a password reset email could not be sent')
    await uncount().catch((err: unknown) =>
      app.log.error({ err }, 'sign-in: the limit still counts the unsent email'),
    )
  }
}
