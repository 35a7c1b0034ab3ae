import type { FastifyInstance } from 'fastify'
import { getPublicUrl } from '../../kernel/config.ts'
import type { App } from '../../kernel/context.ts'
import { issuerOf, scopes } from './issuer.ts'

/** Who answers for tokens (RFC 8414); one document under every address at which clients look for it. */
const serverMetadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  registration_endpoint: `${issuer}/register`,
  revocation_endpoint: `${issuer}/revoke`,
  jwks_uri: `${issuer}/jwks`,
  scopes_supported: [...scopes, 'offline_access'],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  // For clients that read it as OpenID's; ID tokens are not given.
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['ES256'],
})

const serverPaths = ['oauth-authorization-server', 'openid-configuration'].flatMap(name => [
  `/.well-known/${name}`,
  `/.well-known/${name}/v1`,
  `/.well-known/${name}/v1/mcp`,
  `/.well-known/${name}/mcp`,
  `/v1/.well-known/${name}`,
])

/** What a token is for (RFC 9728), of the address that the user gave to the client. */
const resourceMetadata = (issuer: string, resource: string) => ({
  resource,
  resource_name: 'Overture',
  authorization_servers: [issuer],
  scopes_supported: scopes,
  bearer_methods_supported: ['header'],
})

const resourcePaths: Record<string, string> = {
  '/.well-known/oauth-protected-resource/v1/mcp': '/v1/mcp',
  '/v1/.well-known/oauth-protected-resource/mcp': '/v1/mcp',
  '/v1/.well-known/oauth-protected-resource': '/v1/mcp',
  '/.well-known/oauth-protected-resource': '/v1/mcp',
  '/.well-known/oauth-protected-resource/mcp': '/mcp',
}

/** Everybody may read these, scripts of any page too. `external` tells of the provider that stands in our place. */
export function mountMetadata(
  server: FastifyInstance,
  app: App,
  external?: { issuer: string; readMetadata: () => Promise<object> },
): void {
  const issuer = external?.issuer ?? issuerOf(app)
  const publicUrl = getPublicUrl(app.config)
  const ours = serverMetadata(issuer)
  const readServer = external?.readMetadata ?? (async () => ours)
  const documents = [
    ...serverPaths.map(path => [path, readServer] as const),
    ...Object.entries(resourcePaths).map(([path, resource]) => {
      const document = resourceMetadata(issuer, publicUrl + resource)
      return [path, async () => document] as const
    }),
  ]
  for (const [path, readDocument] of documents) {
    server.get(path, { config: { name: 'oauthMetadata' } }, async (_request, reply) => {
      const document = await readDocument()
      return reply
        .headers({ 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=60' })
        .type('application/json; charset=utf-8')
        .send(JSON.stringify(document))
    })
  }
}
