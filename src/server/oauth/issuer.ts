import { createLocalJWKSet } from 'jose'
import { openGrants } from '../accounts/grants.ts'
import { publicUrlOf } from '../config.ts'
import type { App } from '../context.ts'
import { openTokenCheck } from './access-tokens.ts'
import { openSigningKeys, publicHalf, type SigningKeys } from './keys.ts'

/** The authorization server's names: `H/v1`, and what its tokens are good for. */
export const issuerOf = ({ config }: Pick<App, 'config'>): string => `${publicUrlOf(config)}/v1`
export const resourcesOf = ({ config }: Pick<App, 'config'>): string[] =>
  ['/v1/mcp', '/mcp'].map(path => publicUrlOf(config) + path)

export type Issuer = {
  keys: () => Promise<SigningKeys>
  checkToken: ReturnType<typeof openTokenCheck>
}

export async function openIssuer(app: App): Promise<Issuer> {
  const keys = openSigningKeys(app)
  let known: { id: string; find: ReturnType<typeof createLocalJWKSet> } | undefined
  return {
    keys,
    checkToken: openTokenCheck(app, {
      issuer: issuerOf(app),
      audience: resourcesOf(app),
      findGrant: await openGrants(app),
      getKey: async (header, token) => {
        const { id, jwks } = await keys()
        if (known?.id !== id) known = { id, find: createLocalJWKSet({ keys: jwks.map(publicHalf) }) }
        return known.find(header, token)
      },
    }),
  }
}
