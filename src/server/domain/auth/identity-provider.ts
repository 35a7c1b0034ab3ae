import type { Configuration, CustomFetch } from 'openid-client'
import { getPublicUrl } from '../../kernel/config.ts'
import type { App } from '../../kernel/context.ts'
import { decrypt } from '../../kernel/crypto.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { fetchOutbound } from '../../kernel/net/outbound-fetch.ts'
import { asciiDomain } from '../../protocols/identity/domain.ts'
import { getEmailDomain, parseExactEmail } from '../../protocols/identity/email.ts'
import { cleanText } from '../../protocols/identity/text.ts'

/** An account's identity provider with a verified domain. */
export type IdentityProvider = {
  accountId: string
  accountName: string
  issuer: string
  clientId: string
  clientSecret: Uint8Array
  domain: string
  isRequired: boolean
  newMemberRole: 'viewer' | 'member' | 'manager' | null
}

const TIMEOUT_SECONDS = 5

/** Loads the library on demand, to keep the other commands fast. */
const loadOpenidClient = () => import('openid-client')

export const toSecretContext = (accountId: string): string => `single_sign_on ${accountId} client_secret`

export const getRedirectUri = ({ config }: Pick<App, 'config'>): string =>
  `${getPublicUrl(config)}/v1/session/single-sign-on/callback`

/**
 * Returns the identity provider of an email address or domain. If several accounts have verified the domain, the most
 * recent verification wins.
 */
export async function findIdentityProvider(
  auth: Sql,
  address: string,
): Promise<IdentityProvider | undefined> {
  const [found] = await auth<IdentityProvider[]>`
    select s.account_id as "accountId", a.name as "accountName", s.issuer, s.client_id as "clientId",
           s.client_secret as "clientSecret", s.domain, s.is_required as "isRequired",
           s.new_member_role as "newMemberRole"
      from single_sign_ons s join accounts a on a.id = s.account_id
     where s.domain = ${getAsciiDomain(address) ?? ''} and s.domain_verified_at is not null
     order by s.domain_verified_at desc, s.account_id
     limit 1`
  return found
}

const getAsciiDomain = (address: string): string | undefined => asciiDomain(getEmailDomain(address))

/** Reads the provider's metadata. Throws an Error that can be shown to the user. */
export async function discoverProvider(
  app: Pick<App, 'config' | 'keys'>,
  provider: Pick<IdentityProvider, 'accountId' | 'issuer' | 'clientId' | 'clientSecret'>,
): Promise<Configuration> {
  const { ClientSecretBasic, ClientSecretPost, customFetch, discovery, enableNonRepudiationChecks } =
    await loadOpenidClient()
  const secret = decrypt(app.keys, provider.clientSecret, toSecretContext(provider.accountId))
  const guardedFetch: CustomFetch = (url, { method, headers, body }) =>
    fetchOutbound(new URL(url), app.config.privateHosts, {
      method,
      headers,
      ...(body != null && { body: String(body) }),
    })
  const configuration = await discovery(
    new URL(provider.issuer),
    provider.clientId,
    undefined,
    (server, ...rest) => {
      const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
      const authenticate = methods.includes('client_secret_basic') ? ClientSecretBasic : ClientSecretPost
      authenticate(secret)(server, ...rest)
    },
    {
      // Verifies signatures even though the token comes from the provider directly.
      execute: [enableNonRepudiationChecks],
      timeout: TIMEOUT_SECONDS,
      [customFetch]: guardedFetch,
    },
  )
  // Some providers serve all tenants at one issuer URL, where any of their users could sign in.
  const { issuer, authorization_endpoint: endpoint } = configuration.serverMetadata()
  if (new URL(issuer).href !== new URL(provider.issuer).href)
    throw new Error(`its metadata has another issuer, ${issuer}`)
  if (!endpoint?.startsWith('https:')) throw new Error('its authorization endpoint must be an https URL')
  return configuration
}

/** State to keep in the browser until it returns from the provider. */
export type PendingProviderSignIn = {
  accountId: string
  issuer: string
  verifier: string
  state: string
  nonce: string
}

/** Returns the URL at which to sign in; `isFresh` requires a new sign-in at the provider. */
export async function beginProviderSignIn(
  app: Pick<App, 'config' | 'keys'>,
  provider: IdentityProvider,
  { email, isFresh }: { email: string; isFresh: boolean },
): Promise<{ url: string; pending: PendingProviderSignIn }> {
  const configuration = await discoverProvider(app, provider)
  const { buildAuthorizationUrl, calculatePKCECodeChallenge, ...random } = await loadOpenidClient()
  const verifier = random.randomPKCECodeVerifier()
  const state = random.randomState()
  const nonce = random.randomNonce()
  const url = buildAuthorizationUrl(configuration, {
    redirect_uri: getRedirectUri(app),
    scope: 'openid email profile',
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    login_hint: email,
    // Most providers support `prompt`; `max_age` makes them return `auth_time`.
    ...(isFresh && { prompt: 'login', max_age: '0' }),
  })
  return {
    url: url.href,
    pending: { accountId: provider.accountId, issuer: provider.issuer, verifier, state, nonce },
  }
}

/**
 * Returns the user who signed in; undefined if the provider has not verified their address or if the address is outside
 * the provider's domain. `authenticatedAt` is the time of the sign-in at the provider, if the provider reports it.
 */
export async function finishProviderSignIn(
  app: Pick<App, 'config' | 'keys' | 'now'>,
  provider: IdentityProvider,
  { pending, query }: { pending: PendingProviderSignIn; query: string },
): Promise<{ email: string; name: string; authenticatedAt: Date | undefined } | undefined> {
  const configuration = await discoverProvider(app, provider)
  const { authorizationCodeGrant, fetchUserInfo } = await loadOpenidClient()
  const tokens = await authorizationCodeGrant(configuration, new URL(`${getRedirectUri(app)}?${query}`), {
    pkceCodeVerifier: pending.verifier,
    expectedState: pending.state,
    expectedNonce: pending.nonce,
    idTokenExpected: true,
  })
  const claims = tokens.claims()!
  // Many providers omit the address from the token.
  const userInfo =
    claims.email === undefined ? await fetchUserInfo(configuration, tokens.access_token, claims.sub) : claims
  const email = parseExactEmail(userInfo.email)
  if (!email || userInfo.email_verified !== true || getAsciiDomain(email) !== provider.domain)
    return undefined
  return {
    email,
    name: cleanText(String(userInfo.name ?? ''), 200)?.replace(/\p{Cc}+/gu, ' ') || email,
    // Never in the future: a provider's fast clock must not make a sign-in count as recent for longer.
    authenticatedAt:
      claims.auth_time === undefined
        ? undefined
        : new Date(Math.min(claims.auth_time * 1000, app.now().getTime())),
  }
}
