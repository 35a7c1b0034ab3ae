import type { FastifyInstance } from 'fastify'
import * as contract from '../../../contract/sign-in.ts'
import { checkPasskey } from '../../domain/auth/passkeys.ts'
import { requireAllowedSignIn } from '../../domain/auth/provider-sign-in.ts'
import type { App } from '../../kernel/context.ts'
import { unauthorized } from '../../kernel/errors.ts'
import { type BrowserSessions, readBody } from './browser-sessions.ts'
import { takeChallenge } from './passkeys.ts'

/** Routes that confirm a session's user again, which makes the sign-in recent. */
export function mountConfirmation(door: FastifyInstance, app: App, sessions: BrowserSessions): void {
  const { auth } = app.db
  const { signedIn, renew, checkOwnPassword, checkCode } = sessions

  door.post('/v1/session/confirm', { config: { name: 'confirmSession' } }, async (request, reply) => {
    const session = await signedIn(request)
    const { userId } = session
    const { password, code, credential } = readBody(contract.confirmation, request)
    await requireAllowedSignIn(auth, userId)
    if (credential) {
      const challenge = await takeChallenge(app, request, { kind: 'passkey' })
      const shown = await checkPasskey(app, { challenge, response: credential })
      if (shown.userId !== userId) throw unauthorized('This passkey belongs to another user.')
    } else if (code !== undefined) {
      await checkCode(request, userId, code)
    } else {
      await checkOwnPassword(request, session, password)
    }
    return renew(reply, session, app.now())
  })
}
