import { compactVerify, createLocalJWKSet, decodeJwt, errors, type JWTVerifyGetKey } from 'jose'
import { openGrantAccess } from '../../domain/auth/grants.ts'
import { getPublicUrl } from '../../kernel/config.ts'
import type { App } from '../../kernel/context.ts'
import { openSigningKeys, type SigningKeys, toPublicJwk } from './signing-keys.ts'
import { createTokenVerifier } from './verify-access-token.ts'

/** Scopes that a client can request. The consent page describes them. */
export const scopes = ['outreach.read', 'outreach.write']

/** Returns the issuer identifier of the authorization server. */
export const getIssuer = ({ config }: Pick<App, 'config'>): string => `${getPublicUrl(config)}/v1`
/** Returns the resource identifiers of the MCP server, which are the audiences of its tokens. */
export const getResources = ({ config }: Pick<App, 'config'>): string[] =>
  ['/v1/mcp', '/mcp'].map(path => getPublicUrl(config) + path)

export type Issuer = {
  keys: () => Promise<SigningKeys>
  verifyAccessToken: ReturnType<typeof createTokenVerifier>
  /** Returns the grant ID of an access token from this issuer, even an expired one; undefined for any other token. */
  findGrantId: (token: string) => Promise<string | undefined>
}

export async function openIssuer(app: App): Promise<Issuer> {
  const keys = openSigningKeys(app)
  const findGrantAccess = await openGrantAccess(app)
  let cached: { version: string; find: ReturnType<typeof createLocalJWKSet> } | undefined
  const getKey: JWTVerifyGetKey = async (header, token) => {
    const { version, jwks } = await keys()
    if (cached?.version !== version) {
      cached = { version, find: createLocalJWKSet({ keys: jwks.map(toPublicJwk) }) }
    }
    return cached.find(header, token)
  }
  return {
    keys,
    verifyAccessToken: createTokenVerifier(app, {
      getKey,
      rules: {
        issuer: getIssuer(app),
        audience: getResources(app),
        algorithms: ['ES256'],
        typ: 'at+jwt',
        requiredClaims: ['exp', 'iat', 'sub', 'jti', 'client_id', 'grant_id'],
      },
      findGrant: ({ grant_id }) => findGrantAccess(String(grant_id)),
    }),
    findGrantId: async token => {
      try {
        await compactVerify(token, getKey, { algorithms: ['ES256'] })
        return String(decodeJwt(token).grant_id)
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined
        throw error
      }
    },
  }
}
