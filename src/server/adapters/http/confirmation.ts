import type { FastifyInstance } from 'fastify'
import * as contract from '../../../contract/sign-in.ts'
import { checkPasskey } from '../../domain/auth/passkeys.ts'
import { requireAllowedSignIn } from '../../domain/auth/provider-sign-in.ts'
import type { App } from '../../kernel/context.ts'
import { unauthorized } from '../../kernel/errors.ts'
import { type BrowserSessions, readBody } from './browser-sessions.ts'
import { consumeChallenge } from './passkeys.ts'

/** Mounts the route for confirming the user's identity. Afterwards, the session counts as recently signed in. */
export function mountConfirmation(scope: FastifyInstance, app: App, sessions: BrowserSessions): void {
  const { auth } = app.db
  const { requireSession, renew, checkOwnPassword, checkCode } = sessions

  scope.post('/v1/session/confirm', { config: { name: 'confirmSession' } }, async (request, reply) => {
    const session = await requireSession(request)
    const { userId } = session
    const { password, code, credential } = readBody(contract.confirmation, request)
    await requireAllowedSignIn(auth, userId)
    if (credential) {
      const challenge = await consumeChallenge(app, request, { kind: 'passkey' })
      const owner = await checkPasskey(app, { challenge, response: credential })
      if (owner.userId !== userId) throw unauthorized('This passkey belongs to another user.')
    } else if (code !== undefined) {
      await checkCode(request, userId, code)
    } else {
      await checkOwnPassword(request, session, password)
    }
    return renew(reply, session, app.now())
  })
}
