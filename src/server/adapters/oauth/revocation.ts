import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { forgetAccess } from '../../domain/accounts/access-cache.ts'
import { revokeGrant } from '../../domain/auth/grants.ts'
import type { App } from '../../kernel/context.ts'
import type { Issuer } from './issuer.ts'

const BODY_LIMIT_BYTES = 16 * 1024

/**
 * Mounts token revocation (RFC 7009). An access or refresh token revokes its whole grant, effective with the next
 * request. Unknown tokens and tokens of another client get the same response, so neither is disclosed.
 */
export async function mountRevocation(server: FastifyInstance, app: App, issuer: Issuer): Promise<void> {
  const findGrantId = async (token: string): Promise<string | undefined> => {
    const grantId = await issuer.findGrantId(token)
    if (grantId) return grantId
    const [record] = await app.db.auth<{ grantId: string }[]>`
      select grant_id as "grantId" from oauth_records
       where kind = 'RefreshToken' and id_hash = ${hash('sha256', token, 'buffer')} and grant_id is not null`
    return record?.grantId
  }
  await server.register(async scope => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: BODY_LIMIT_BYTES },
      (_request, body, done) => done(null, new URLSearchParams(body as string)),
    )
    scope.post('/v1/revoke', { config: { name: 'oauthRevoke' } }, async (request, reply) => {
      reply.header('access-control-allow-origin', '*')
      const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
      const token = form.get('token')
      const clientId = form.get('client_id')
      if (!token || !clientId) {
        const missing = token ? 'client_id' : 'token'
        return reply.code(token ? 401 : 400).send({
          error: token ? 'invalid_client' : 'invalid_request',
          error_description: `${missing} is required`,
          message: `${missing} is required`,
        })
      }
      const grantId = await findGrantId(token)
      if (grantId) {
        await revokeGrant(app.db.auth, grantId, clientId)
        forgetAccess(app)
      }
      return reply.code(200).send()
    })
  })
}
