import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as contract from '../../../contract/sign-in.ts'
import { findUserById } from '../../domain/accounts/users.ts'
import {
  addPasskey,
  checkPasskey,
  getPasskeyRegistrationOptions,
  getPasskeySignInOptions,
  removePasskey,
} from '../../domain/auth/passkeys.ts'
import { requireAllowedSignIn } from '../../domain/auth/provider-sign-in.ts'
import { beginAttempt, consumeAttempt } from '../../domain/auth/sign-in-attempts.ts'
import type { App } from '../../kernel/context.ts'
import { notFound, unauthorized } from '../../kernel/errors.ts'
import { type BrowserSessions, readBody } from './browser-sessions.ts'
import { readAttemptCookie, setAttemptCookie } from './session-cookie.ts'

/**
 * Mounts the routes for signing in with passkeys and managing them. A challenge can be used once, and only by the
 * browser that requested it.
 */
export function mountPasskeys(scope: FastifyInstance, app: App, sessions: BrowserSessions): void {
  const { auth } = app.db
  const { requireRecentSession, open, renew, toAuthor } = sessions

  scope.post(
    '/v1/session/passkey/options',
    { config: { name: 'getPasskeySignInOptions' } },
    async (_request, reply) => {
      const options = await getPasskeySignInOptions(app)
      const payload = { challenge: options.challenge }
      setAttemptCookie(
        app.config,
        reply,
        'passkey',
        await beginAttempt(auth, { kind: 'passkey', payload, now: app.now() }),
      )
      return options
    },
  )
  scope.post('/v1/session/passkey', { config: { name: 'signInWithPasskey' } }, async (request, reply) => {
    const { credential } = readBody(contract.passkeySignIn, request)
    const challenge = await consumeChallenge(app, request, { kind: 'passkey' })
    const recognized = await checkPasskey(app, { challenge, response: credential })
    await requireAllowedSignIn(auth, recognized.userId)
    // A passkey with user verification counts as both factors, so no code is required.
    return open(request, reply, recognized)
  })

  scope.post(
    '/v1/user/passkeys/options',
    { config: { name: 'getPasskeyRegistrationOptions' } },
    async (request, reply) => {
      const { userId } = await requireRecentSession(request)
      const options = await getPasskeyRegistrationOptions(app, (await findUserById(auth, userId))!)
      const payload = { challenge: options.challenge }
      const attempt = await beginAttempt(auth, { kind: 'new-passkey', userId, payload, now: app.now() })
      setAttemptCookie(app.config, reply, 'new-passkey', attempt)
      return options
    },
  )
  scope.post('/v1/user/passkeys', { config: { name: 'addPasskey' } }, async (request, reply) => {
    const session = await requireRecentSession(request)
    const { userId } = session
    const { name, credential } = readBody(contract.newPasskey, request)
    const challenge = await consumeChallenge(app, request, { kind: 'new-passkey', userId })
    await addPasskey(app, { session, name, challenge, response: credential }, toAuthor(request, session))
    return renew(reply, session)
  })
  scope.delete(
    '/v1/user/passkeys/:passkeyId',
    { config: { name: 'removePasskey' } },
    async (request, reply) => {
      const session = await requireRecentSession(request)
      const { passkeyId } = request.params as { passkeyId: string }
      if (!contract.passkeyId.safeParse(passkeyId).success) throw notFound('passkey')
      await removePasskey(auth, { userId: session.userId, passkeyId }, toAuthor(request, session))
      return renew(reply, session)
    },
  )
}

/** Returns this browser's challenge and invalidates it. */
export async function consumeChallenge(
  app: App,
  request: FastifyRequest,
  { kind, userId }: { kind: 'passkey' | 'new-passkey'; userId?: string },
): Promise<string> {
  const token = readAttemptCookie(app.config, request, kind)
  const attempt = await consumeAttempt(app.db.auth, { kind, token, now: app.now() })
  if (!attempt?.payload.challenge || attempt.userId !== (userId ?? null)) {
    throw unauthorized('This took too long. Try again.')
  }
  return attempt.payload.challenge
}
