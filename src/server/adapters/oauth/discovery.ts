import type { FastifyInstance } from 'fastify'
import { getPublicUrl } from '../../kernel/config.ts'
import type { App } from '../../kernel/context.ts'
import { getIssuer, scopes } from './issuer.ts'

/** Returns the authorization server metadata (RFC 8414), one document for every URL at which clients look for it. */
const toServerMetadata = (issuer: string) => ({
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
  // Required by clients that read this as OpenID Connect metadata; no ID tokens are issued.
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

/** Returns the protected resource metadata (RFC 9728) for the MCP URL that the user gave to the client. */
const toResourceMetadata = (issuer: string, resource: string) => ({
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

/**
 * Serves the discovery documents to any origin. `external` is the identity provider that issues the tokens if this
 * server doesn't.
 */
export function mountDiscovery(
  server: FastifyInstance,
  app: App,
  external?: { issuer: string; getMetadata: () => Promise<object> },
): void {
  const issuer = external?.issuer ?? getIssuer(app)
  const publicUrl = getPublicUrl(app.config)
  const ownMetadata = toServerMetadata(issuer)
  const getServerMetadata = external?.getMetadata ?? (async () => ownMetadata)
  const documents = [
    ...serverPaths.map(path => [path, getServerMetadata] as const),
    ...Object.entries(resourcePaths).map(([path, resource]) => {
      const document = toResourceMetadata(issuer, publicUrl + resource)
      return [path, async () => document] as const
    }),
  ]
  for (const [path, getDocument] of documents) {
    server.get(path, { config: { name: 'oauthMetadata' } }, async (_request, reply) => {
      const document = await getDocument()
      return reply
        .headers({ 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=60' })
        .type('application/json; charset=utf-8')
        .send(JSON.stringify(document))
    })
  }
}
