import { decodeJwt, importPKCS8, SignJWT } from 'jose'
import { z } from 'zod'
import type { Config } from '../../kernel/config.ts'
import { fetchOutbound } from '../../kernel/net/outbound-fetch.ts'
import {
  GOOGLE_MAIL_SCOPE,
  getRevocationUrl,
  getTokenUrl,
  isApplicationKind,
  type MailClient,
  MICROSOFT_APP_SCOPE,
} from './provider.ts'
import { type TokenError, toNetworkError, toTokenError } from './token-error.ts'

/** Time limit for the whole exchange, including the response body. */
export const TOKEN_TIMEOUT_MS = 10_000
const MAX_LIFETIME_SECONDS = 24 * 60 * 60
const DEFAULT_LIFETIME_SECONDS = 60 * 60

export type Tokens = {
  accessToken: string
  lifetimeMs: number
  /** Absent when the refresh token that was used remains valid. */
  refreshToken?: string | undefined
  scope?: string | undefined
  idToken?: string | undefined
}

export type TokenResult = { tokens: Tokens } | { error: TokenError }

type OAuthConfig = Pick<Config, 'googleOauthUrl' | 'microsoftLoginUrl' | 'privateHosts'>

const tokenResponse = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().positive().max(MAX_LIFETIME_SECONDS).catch(DEFAULT_LIFETIME_SECONDS),
  refresh_token: z.string().min(1).optional(),
  scope: z.string().optional(),
  id_token: z.string().optional(),
})

/** Exchanges an authorization code for tokens. */
export const redeemCode = (
  client: MailClient,
  { code, verifier, redirectUri }: { code: string; verifier: string; redirectUri: string },
  config: OAuthConfig,
): Promise<TokenResult> =>
  post(
    client,
    { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri },
    config,
  )

export const refreshAccess = (
  client: MailClient,
  refreshToken: string,
  config: OAuthConfig,
): Promise<TokenResult> => post(client, { grant_type: 'refresh_token', refresh_token: refreshToken }, config)

/** Obtains a token for a user's mailbox with a client that does not need the user's consent. */
export async function obtainAppToken(
  client: MailClient,
  email: string,
  { config, now }: { config: OAuthConfig; now: Date },
): Promise<TokenResult> {
  if (client.kind === 'microsoft_app')
    return post(client, { grant_type: 'client_credentials', scope: MICROSOFT_APP_SCOPE }, config)
  const assertion = await signAssertion(client, email, { config, now }).catch((error: Error) => error)
  if (assertion instanceof Error) {
    const reason = 'The service account key cannot be read: store its JSON file again'
    return { error: { class: 'operator', code: 'invalid_key', reason } }
  }
  return post(client, { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }, config)
}

export const serviceAccountKey = z.object({
  type: z.literal('service_account'),
  client_id: z.string().regex(/^\d+$/),
  client_email: z.email(),
  private_key: z.string().includes('PRIVATE KEY'),
})

async function signAssertion(
  client: MailClient,
  email: string,
  { config, now }: { config: OAuthConfig; now: Date },
): Promise<string> {
  const key = serviceAccountKey.parse(JSON.parse(client.secret))
  const issuedAt = Math.floor(now.getTime() / 1000)
  return new SignJWT({ scope: GOOGLE_MAIL_SCOPE })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
    .setIssuer(key.client_email)
    .setSubject(email)
    .setAudience(getTokenUrl(client, config).href)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + 60 * 60)
    .sign(await importPKCS8(key.private_key, 'RS256'))
}

async function post(
  client: MailClient,
  parameters: Record<string, string>,
  config: OAuthConfig,
): Promise<TokenResult> {
  const isServiceAccount = client.kind === 'google_service_account'
  const body = new URLSearchParams({
    ...parameters,
    ...(!isServiceAccount && { client_id: client.clientId, client_secret: client.secret }),
  })
  const response = await postForm(getTokenUrl(client, config), body, config)
  if ('error' in response) return response
  const parsed = tokenResponse.safeParse(response.body)
  if (response.status !== 200 || !parsed.success)
    return {
      error: toTokenError(response, { isServiceAccount, isApplication: isApplicationKind(client.kind) }),
    }
  const { access_token, expires_in, refresh_token, scope, id_token } = parsed.data
  return {
    tokens: {
      accessToken: access_token,
      lifetimeMs: expires_in * 1000,
      refreshToken: refresh_token,
      scope,
      idToken: id_token,
    },
  }
}

/** Revokes the user's grant to the client, which only Google supports. Returns the error, if any. */
export async function revokeGrant(token: string, config: OAuthConfig): Promise<TokenError | undefined> {
  const response = await postForm(getRevocationUrl(config), new URLSearchParams({ token }), config)
  if ('error' in response) return response.error
  // The status 400 means that the token is no longer valid, so there is nothing left to revoke.
  return response.status === 200 || response.status === 400 ? undefined : toTokenError(response)
}

async function postForm(
  url: URL,
  body: URLSearchParams,
  { privateHosts }: OAuthConfig,
): Promise<{ status: number; body: unknown } | { error: TokenError }> {
  try {
    const response = await fetchOutbound(url, privateHosts, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: body.toString(),
      timeoutMs: TOKEN_TIMEOUT_MS,
      // The operator's settings determine the scheme; the default URLs use https.
      allowHttp: url.protocol === 'http:',
    })
    return { status: response.status, body: await response.json().catch(() => undefined) }
  } catch (error) {
    return { error: toNetworkError(error) }
  }
}

/** The account that signed in, from claims that the token endpoint returned directly, not through the browser. */
export type SignedIn = { subject: string; emails: string[]; login: string }

const claims = z.object({
  sub: z.string().min(1),
  aud: z.union([z.string(), z.array(z.string())]),
  nonce: z.string(),
  exp: z.number(),
  email: z.string().optional(),
  email_verified: z.boolean().optional(),
  tid: z.string().optional(),
  oid: z.string().optional(),
  preferred_username: z.string().optional(),
})

/**
 * Returns the account that signed in; undefined when the ID token is not for this client and this sign-in. Does not
 * verify the signature, because the token endpoint returned the token over TLS (OpenID Connect Core, section 3.1.3.7).
 */
export function readIdentity(
  { kind, clientId }: MailClient,
  { idToken, nonce, now }: { idToken: string | undefined; nonce: string; now: Date },
): SignedIn | undefined {
  const parsed = claims.safeParse(tryDecode(idToken))
  if (!parsed.success) return undefined
  const { sub, aud, exp, email, email_verified: isVerified, tid, oid, preferred_username: upn } = parsed.data
  const isForUs = [aud].flat().includes(clientId) && parsed.data.nonce === nonce && exp * 1000 > now.getTime()
  if (!isForUs) return undefined
  if (kind === 'google')
    return email && isVerified ? { subject: sub, emails: [email], login: email } : undefined
  if (!tid || !oid || !upn) return undefined
  return { subject: `${tid}:${oid}`, emails: [upn, ...(email ? [email] : [])], login: upn }
}

function tryDecode(idToken: string | undefined): unknown {
  try {
    return idToken && decodeJwt(idToken)
  } catch {
    return undefined
  }
}
