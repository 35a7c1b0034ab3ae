import { compactVerify, createLocalJWKSet, decodeJwt, errors, type JWTVerifyGetKey } from 'jose'
import { openGrants } from '../../domain/auth/grants.ts'
import { getPublicUrl } from '../../kernel/config.ts'
import type { App } from '../../kernel/context.ts'
import { openTokenCheck } from './access-tokens.ts'
import { openSigningKeys, publicHalf, type SigningKeys } from './keys.ts'

/** What an application can ask for; what a person sees of it stands on the consent page. */
export const scopes = ['outreach.read', 'outreach.write']

/** The authorization server's names: `H/v1`, and what its tokens are good for. */
export const issuerOf = ({ config }: Pick<App, 'config'>): string => `${getPublicUrl(config)}/v1`
export const resourcesOf = ({ config }: Pick<App, 'config'>): string[] =>
  ['/v1/mcp', '/mcp'].map(path => getPublicUrl(config) + path)

export type Issuer = {
  keys: () => Promise<SigningKeys>
  checkToken: ReturnType<typeof openTokenCheck>
  /** The grant behind an access token of ours, even one that has expired. */
  findGrantOf: (token: string) => Promise<string | undefined>
}

export async function openIssuer(app: App): Promise<Issuer> {
  const keys = openSigningKeys(app)
  const findGrantAccess = await openGrants(app)
  let known: { id: string; find: ReturnType<typeof createLocalJWKSet> } | undefined
  const getKey: JWTVerifyGetKey = async (header, token) => {
    const { id, jwks } = await keys()
    if (known?.id !== id) known = { id, find: createLocalJWKSet({ keys: jwks.map(publicHalf) }) }
    return known.find(header, token)
  }
  return {
    keys,
    checkToken: openTokenCheck(app, {
      getKey,
      rules: {
        issuer: issuerOf(app),
        audience: resourcesOf(app),
        algorithms: ['ES256'],
        typ: 'at+jwt',
        requiredClaims: ['exp', 'iat', 'sub', 'jti', 'client_id', 'grant_id'],
      },
      findGrant: ({ grant_id }) => findGrantAccess(String(grant_id)),
    }),
    findGrantOf: async token => {
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
