import { exportJWK, generateKeyPair, importJWK, type JWK, type JWTPayload, SignJWT } from 'jose'
import { Provider } from 'oidc-provider'
import { type HttpsServer, openHttpsServer } from './https-server.ts'

/** An identity provider that issues tokens for our MCP server; its user is always signed in. */
export type IdentityProvider = AsyncDisposable & {
  issuer: string
  server: HttpsServer
  /** Token claims about the signed-in user. */
  person: JWTPayload
  /** Replaces the signing key. */
  rotate: () => Promise<void>
  /** Signs a token with overridden claims. */
  sign: (claims: JWTPayload, header?: object) => Promise<string>
  privateJwk: () => JWK
}

export const clientId = 'assistant'
const redirectUri = 'http://localhost:7777/callback'

export async function openIdentityProvider(resource: string): Promise<IdentityProvider> {
  const server = await openHttpsServer()
  let key: JWK
  const opened: IdentityProvider = {
    issuer: server.origin,
    server,
    person: {},
    privateJwk: () => key,
    rotate: async () => {
      const { privateKey } = await generateKeyPair('ES256', { extractable: true })
      key = { ...(await exportJWK(privateKey)), kid: crypto.randomUUID(), alg: 'ES256', use: 'sig' }
      server.answer = createHandler(server.origin, resource, key, () => opened.person)
    },
    sign: async (claims, header = {}) =>
      new SignJWT({
        iss: server.origin,
        aud: resource,
        sub: 'ada',
        scope: 'outreach.read outreach.write',
        iat: Math.floor(Date.now() / 1000),
        exp: Math.floor(Date.now() / 1000) + 600,
        ...opened.person,
        ...claims,
      })
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: key.kid!, ...header })
        .sign(await importJWK(key, 'ES256')),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
  await opened.rotate()
  return opened
}

function createHandler(
  issuer: string,
  resource: string,
  key: JWK,
  person: () => JWTPayload,
): HttpsServer['answer'] {
  const provider = new Provider(issuer, {
    jwks: { keys: [key as never] },
    clients: [
      {
        client_id: clientId,
        application_type: 'native',
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'none',
        id_token_signed_response_alg: 'ES256',
      },
    ],
    cookies: { keys: ['a key'] },
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    extraTokenClaims: () => person() as never,
    interactions: { url: (_ctx, { uid }) => `/sign-in/${uid}` },
    features: {
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: 'outreach.read outreach.write',
          audience: resource,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  })
  return async (request, response) => {
    if (!request.url!.startsWith('/sign-in/')) return provider.callback()(request, response)
    const { params } = await provider.interactionDetails(request, response)
    const grant = new provider.Grant({ accountId: 'ada', clientId })
    grant.addOIDCScope('offline_access')
    grant.addResourceScope(resource, String(params.scope))
    await provider.interactionFinished(request, response, {
      login: { accountId: 'ada' },
      consent: { grantId: await grant.save() },
    })
  }
}
