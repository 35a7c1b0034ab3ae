import Provider from 'oidc-provider'
import { type HttpsServer, openHttpsServer } from './https-server.ts'

/** A company's OpenID Connect provider that signs every visitor in as `person`, a set of claims. */
export type OpenidProvider = HttpsServer & { person: object }

export const client = { clientId: 'overture', clientSecret: 'a secret between the two' }

export async function openOpenidProvider(redirectUri: string): Promise<OpenidProvider> {
  const server: OpenidProvider = Object.assign(await openHttpsServer(), { person: {} })
  const provider = new Provider(server.origin, {
    clients: [
      { client_id: client.clientId, client_secret: client.clientSecret, redirect_uris: [redirectUri] },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId, ...server.person }) }),
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    features: { devInteractions: { enabled: false } },
    ttl: { AccessToken: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
    cookies: { keys: ['of this test'] },
  })
  const answer = provider.callback()
  server.answer = async (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return answer(request, response)
    const accountId = 'somebody'
    const grant = new provider.Grant({ accountId, clientId: client.clientId })
    grant.addOIDCScope('openid email profile')
    const consent = { grantId: await grant.save() }
    await provider.interactionFinished(request, response, { login: { accountId }, consent })
  }
  return server
}
