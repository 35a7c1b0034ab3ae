import type { FastifyInstance } from 'fastify'
import { ClientMetadataError } from './client-metadata.ts'
import type { Clients } from './clients.ts'
import { scopes } from './issuer.ts'

const BODY_LIMIT_BYTES = 16 * 1024

/** Mounts dynamic client registration (RFC 7591). Known applications get their fixed client, all others a new one. */
export async function mountRegistration(
  server: FastifyInstance,
  { register }: Clients,
  {
    countAnonymous,
    countRegistration,
  }: Record<'countAnonymous' | 'countRegistration', (address: string) => Promise<void>>,
): Promise<void> {
  await server.register(async scope => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      '*',
      { parseAs: 'string', bodyLimit: BODY_LIMIT_BYTES },
      (_request, body, done) => done(null, body),
    )
    scope.post('/v1/register', { config: { name: 'oauthRegister' } }, async (request, reply) => {
      await countAnonymous(request.ip)
      reply.header('access-control-allow-origin', '*')
      try {
        const metadata = await register(parseJson(request.body), () => countRegistration(request.ip))
        return reply
          .code(201)
          .send({ ...metadata, client_id_issued_at: nowInSeconds(), scope: scopes.join(' ') })
      } catch (error) {
        if (!(error instanceof ClientMetadataError)) throw error
        return reply
          .code(400)
          .send({ error: error.code, error_description: error.message, message: error.message })
      }
    })
  })
}

const nowInSeconds = (): number => Math.floor(Date.now() / 1000)

function parseJson(body: unknown): unknown {
  try {
    return JSON.parse(String(body))
  } catch {
    throw new ClientMetadataError('invalid_client_metadata', 'The body must be valid JSON.')
  }
}
