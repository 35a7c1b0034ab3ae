import { createHmac } from 'node:crypto'
import {
  type Configuration,
  errors,
  interactionPolicy,
  type KoaContextWithOIDC,
  Provider,
} from 'oidc-provider'
import { findUserById } from '../../domain/accounts/users.ts'
import { getPublicUrl } from '../../kernel/config.ts'
import type { App } from '../../kernel/context.ts'
import type { Keys } from '../../kernel/crypto.ts'
import type { Clients } from './clients.ts'
import { getConsentPageHeaders, NOT_CONNECTED_TITLE, renderMessagePage } from './consent-page.ts'
import { toErrorText } from './error-text.ts'
import { getIssuer, getResources, scopes } from './issuer.ts'
import { createOidcStore } from './oidc-store.ts'
import type { SigningKeys } from './signing-keys.ts'

const MINUTE = 60
const DAY = 24 * 60 * MINUTE
const REFRESH_SECONDS = 30 * DAY
const ACCESS_SECONDS = 30 * MINUTE

/** Creates the protocol endpoints of the authorization server: OAuth 2.1 for public clients. */
export function createProvider(app: App, keys: SigningKeys, findClient: Clients['find']): Provider {
  const issuer = getIssuer(app)
  const resources = getResources(app)
  const isSecure = getPublicUrl(app.config).startsWith('https:')
  const cookie = { signed: true, httpOnly: true, sameSite: 'lax', secure: isSecure, overwrite: true } as const
  const configuration: Configuration = {
    adapter: createOidcStore(app, findClient),
    jwks: { keys: keys.jwks as never },
    routes: { authorization: '/v1/authorize', token: '/v1/token', jwks: '/v1/jwks' },
    // The scopes of the resources are in getResourceServerInfo.
    scopes: ['offline_access'],
    claims: {},
    responseTypes: ['code'],
    clientAuthMethods: ['none'],
    clientDefaults: { id_token_signed_response_alg: 'ES256', token_endpoint_auth_method: 'none' },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: () => true,
    expiresWithSession: () => false,
    allowOmittingSingleRegisteredRedirectUri: false,
    enableHttpPostMethods: false,
    clientBasedCORS: () => true,
    cookies: {
      keys: [createHmac('sha256', app.keys.signing).update('oauth cookies').digest('base64url')],
      names: { session: 'ovt_oauth', interaction: 'ovt_oauth_consent', resume: 'ovt_oauth_resume' },
      long: cookie,
      short: cookie,
    },
    ttl: {
      AuthorizationCode: MINUTE,
      AccessToken: ACCESS_SECONDS,
      RefreshToken: REFRESH_SECONDS,
      Grant: REFRESH_SECONDS,
      Interaction: 60 * MINUTE,
      Session: 60 * MINUTE,
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      revocation: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: (_ctx, _client, oneOf) => oneOf?.[0] ?? resources[0]!,
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, resource) => {
          if (!resources.includes(resource)) throw new errors.InvalidTarget()
          return {
            scope: scopes.join(' '),
            audience: resource,
            accessTokenTTL: ACCESS_SECONDS,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: 'ES256' } },
          }
        },
      },
    },
    findAccount: async (_ctx, id) =>
      (await findUserById(app.db.auth, id)) && { accountId: id, claims: () => ({ sub: id }) },
    extraTokenClaims: (_ctx, token) => ({ grant_id: 'grantId' in token ? token.grantId : undefined }),
    interactions: { policy: alwaysPromptForConsent(), url: (_ctx, { uid }) => `/v1/interaction/${uid}` },
    renderError: (ctx, out) => {
      // Errors that the provider would have redirected have status 303.
      if (ctx.status < 400) ctx.status = 400
      ctx.set(getConsentPageHeaders())
      ctx.body = renderMessagePage(NOT_CONNECTED_TITLE, toErrorText(out))
    },
  }
  const provider = new Provider(issuer, configuration)
  provider.proxy = true
  deriveRefreshTokens(provider, app.keys)
  provider.on('server_error', (_ctx, error) => app.log.error({ err: error }, 'oauth: a request failed'))
  // Koa's own error response would drop all headers.
  provider.use(async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      app.log.error({ err: error }, 'oauth: a request failed')
      ctx.status = 500
      ctx.set(getConsentPageHeaders())
      ctx.body = renderMessagePage(NOT_CONNECTED_TITLE, 'Something went wrong. Try again.')
    }
  })
  provider.on('authorization.error', preventRedirectBeforeConsent)
  provider.on('server_error', preventRedirectBeforeConsent)
  return provider
}

/**
 * Derives each refresh token from the one it replaces, so that concurrent requests with the same token, and retries
 * after a lost response, get the same successor from any process. Deriving it requires our key.
 */
function deriveRefreshTokens({ RefreshToken }: Provider, { signing }: Keys): void {
  const model = RefreshToken.prototype as unknown as { generateTokenId: () => string }
  const generateRandomId = model.generateTokenId
  model.generateTokenId = function () {
    const used = Provider.ctx?.oidc.entities.RotatedRefreshToken?.jti
    return used === undefined
      ? generateRandomId.call(this)
      : createHmac('sha256', signing).update(`oauth refresh token\0${used}`).digest('base64url')
  }
}

/**
 * Prevents redirects with an error before the user has decided on the consent page, because anybody can register a
 * redirect URI and link to `/authorize`. The provider emits its error events before it decides whether to redirect.
 */
function preventRedirectBeforeConsent(
  { oidc }: KoaContextWithOIDC,
  error: Error & { allow_redirect?: boolean },
): void {
  if (!oidc?.entities.Interaction?.result) error.allow_redirect = false
}

/** Prompts for consent with every authorization request, regardless of earlier grants. */
function alwaysPromptForConsent() {
  const policy = interactionPolicy.base()
  policy
    .get('consent')!
    .checks.add(
      new interactionPolicy.Check('always', 'consent is always required', ({ oidc }) =>
        oidc.result?.consent
          ? interactionPolicy.Check.NO_NEED_TO_PROMPT
          : interactionPolicy.Check.REQUEST_PROMPT,
      ),
    )
  return policy
}
